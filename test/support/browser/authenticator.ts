// A software authenticator for passkeys: creates a key pair for a page, and signs challenges as WebAuthn requires.

import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest()
const url64 = (data: Buffer): string => data.toString('base64url')

/** Flags of authenticator data (WebAuthn §6.1): user is present, user was verified, and a credential is attested. */
const FLAGS = { present: 0x01, verified: 0x04, attested: 0x40 }

interface Kept {
  readonly id: Buffer
  readonly key: KeyObject
  readonly rpId: string
  readonly userHandle: string
}

/**
 * An authenticator with at most one passkey. A test may change the public fields to simulate an authenticator that
 * misbehaves.
 */
export class Authenticator {
  /** Number of signatures made. */
  counter = 0
  /** True if the authenticator verifies the user (flag UV). */
  verifiesUser = true
  #kept: Kept | undefined

  /** Returns the registration response for the options of `POST /api/me/passkeys/options`. */
  make(options: CreationOptions, origin: string): object {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const id = randomBytes(32)
    this.#kept = { id, key: privateKey, rpId: options.rp.id, userHandle: options.user.id }
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const length = Buffer.from([0, id.length])
    const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey(x, y)])
    const data = Buffer.concat([this.#data(FLAGS.attested), attested])
    return this.#answer({
      clientDataJSON: url64(clientData('webauthn.create', options.challenge, origin)),
      attestationObject: url64(attestation(data)),
      transports: ['internal'],
    })
  }

  /** Returns the authentication response for the options of `POST /api/session/passkey/options`. */
  sign(options: { readonly challenge: string }, origin: string): object {
    this.counter++
    const data = this.#data(0)
    const client = clientData('webauthn.get', options.challenge, origin)
    const signed = createSign('sha256').update(Buffer.concat([data, sha256(client)]))
    return this.#answer({
      clientDataJSON: url64(client),
      authenticatorData: url64(data),
      signature: url64(signed.sign(this.#passkey.key)),
      userHandle: this.#passkey.userHandle,
    })
  }

  get #passkey(): Kept {
    if (this.#kept === undefined) throw new Error('the authenticator has no passkey')
    return this.#kept
  }

  #data(flags: number): Buffer {
    const all = FLAGS.present | (this.verifiesUser ? FLAGS.verified : 0) | flags
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    return Buffer.concat([sha256(this.#passkey.rpId), Buffer.from([all]), counter])
  }

  #answer(response: object): object {
    const id = url64(this.#passkey.id)
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }
}

interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id: string }
  readonly user: { readonly id: string }
}

const clientData = (type: string, challenge: string, origin: string): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

/** Returns an ES256 key (RFC 9053) in CBOR (RFC 8949): {1: 2, 3: -7, -1: 1, -2: x, -3: y}. */
function coseKey(x: string, y: string): Buffer {
  const coordinate = (text: string): Buffer =>
    Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(text, 'base64url')])
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    coordinate(x),
    Buffer.from([0x22]),
    coordinate(y),
  ])
}

/** Returns an attestation object in CBOR: {fmt: "none", attStmt: {}, authData: …}. */
function attestation(data: Buffer): Buffer {
  const text = (word: string): Buffer => Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)])
  const length = Buffer.alloc(3)
  length[0] = 0x59
  length.writeUInt16BE(data.length, 1)
  return Buffer.concat([
    Buffer.from([0xa3]),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.from([0xa0]),
    text('authData'),
    length,
    data,
  ])
}
