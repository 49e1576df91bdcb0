// Passkeys (WebAuthn): made by who is logged in, and a login by themselves, since the authenticator knows its user.

import { isIP } from 'node:net'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { Problem } from '../model/problem.ts'
import { findUser, type User } from '../store/accounts.ts'
import { findPasskey, listPasskeys, type Passkey } from '../store/passkeys.ts'
import type { Tables } from '../store/schema.ts'
import { reading, type Store } from '../store/store.ts'
import { requireName } from './accounts.ts'
import { hashSecret } from './secrets.ts'

/** Loaded when it is first used: it takes 30 MB, and a tenth of a second. */
const webAuthn = () => import('@simplewebauthn/server')

/** EdDSA, ES256, RS256: what every authenticator of today has one of. */
const ALGORITHMS = [-8, -7, -257]
const CHALLENGE_MS = 5 * 60_000
const MOST_PASSKEYS = 20

type Purpose = Extract<Tables['one_time_tokens']['purpose'], 'passkey_login' | 'passkey_making'>
type Transports = NonNullable<RegistrationResponseJSON['response']['transports']>

/** The passkeys of users. `origin` is always the one of the page that asks, which the door has checked. */
export class Passkeys {
  readonly #store: Store
  readonly #clock: Clock

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  list(userId: string): Promise<Passkey[]> {
    return reading(listPasskeys(this.#store.read, userId))
  }

  /** What a browser needs to make one. Throws `conflict` where the page has no name, or the user has too many. */
  async optionsForMaking(
    user: Pick<User, 'id' | 'email' | 'name'>,
    origin: string,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const existing = await this.list(user.id)
    if (existing.length >= MOST_PASSKEYS) {
      throw new Problem('conflict', `A user has at most ${MOST_PASSKEYS} passkeys; remove one first.`)
    }
    const { generateRegistrationOptions } = await webAuthn()
    const options = await generateRegistrationOptions({
      rpName: 'Postrider',
      rpID: relyingParty(origin),
      userName: user.email,
      userID: new TextEncoder().encode(user.id),
      userDisplayName: user.name ?? user.email,
      supportedAlgorithmIDs: ALGORITHMS,
      excludeCredentials: existing.map(({ credential_id: id, transports }) => ({
        id,
        transports: JSON.parse(transports) as Transports,
      })),
      // It stands for password and code together: the authenticator has to know its user and to ask who it is.
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    await this.#keepChallenge(options.challenge, 'passkey_making', user.id)
    return options
  }

  /** Keeps the passkey that the browser made. Throws `validation_failed` when it is not what was asked for. */
  async add(
    user: Pick<User, 'id' | 'account_id'>,
    origin: string,
    response: RegistrationResponseJSON,
    name: string,
  ): Promise<Passkey> {
    const kept = requireName(name)
    const { verifyRegistrationResponse } = await webAuthn()
    const verified = await verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => this.#takeChallenge(challenge, 'passkey_making', user.id),
      expectedOrigin: origin,
      expectedRPID: relyingParty(origin),
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }).catch((cause: Error) => {
      throw notTaken(cause)
    })
    if (!verified.verified) throw notTaken(undefined)
    const { id, publicKey, counter, transports } = verified.registrationInfo.credential
    const now = this.#clock.now()
    const passkey: Passkey = {
      id: newId('pky', now),
      user_id: user.id,
      account_id: user.account_id,
      credential_id: id,
      public_key: Buffer.from(publicKey),
      counter,
      transports: JSON.stringify(transports ?? []),
      name: kept,
      created_at: now,
      last_used_at: null,
    }
    if (!(await this.#store.write('addPasskey', passkey))) {
      throw new Problem('conflict', 'This passkey is kept already.')
    }
    return passkey
  }

  remove(userId: string, id: string): Promise<boolean> {
    return this.#store.write('removePasskey', { userId, id })
  }

  /** What a browser needs to ask for one; it names no user. */
  async optionsForLogin(origin: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await webAuthn()
    const options = await generateAuthenticationOptions({
      rpID: relyingParty(origin),
      userVerification: 'required',
    })
    await this.#keepChallenge(options.challenge, 'passkey_login', null)
    return options
  }

  /** The user whose passkey has signed; undefined when there is something wrong with it. */
  async userOf(origin: string, response: AuthenticationResponseJSON): Promise<User | undefined> {
    // What is no base64url is nobody's, and not every database takes it.
    if (!/^[\w-]+$/.test(response.id)) return undefined
    const passkey = await reading(findPasskey(this.#store.read, response.id))
    if (passkey === undefined) return undefined
    const { verifyAuthenticationResponse } = await webAuthn()
    const verified = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => this.#takeChallenge(challenge, 'passkey_login', null),
      expectedOrigin: origin,
      expectedRPID: relyingParty(origin),
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: passkey.counter,
        transports: JSON.parse(passkey.transports) as Transports,
      },
    }).catch(() => undefined)
    if (!verified?.verified) return undefined
    const counter = verified.authenticationInfo.newCounter
    const use = { id: passkey.id, before: passkey.counter, counter, now: this.#clock.now() }
    if (!(await this.#store.write('usePasskey', use))) return undefined
    return reading(findUser(this.#store.read, passkey.account_id, passkey.user_id))
  }

  async #keepChallenge(challenge: string, purpose: Purpose, userId: string | null): Promise<void> {
    const now = this.#clock.now()
    const token = { hash: hashSecret(challenge), purpose, user_id: userId, expires_at: now + CHALLENGE_MS }
    await this.#store.write('keepToken', { token, now })
  }

  async #takeChallenge(challenge: string, purpose: Purpose, userId: string | null): Promise<boolean> {
    const now = this.#clock.now()
    const taken = await this.#store.write('takeToken', { hash: hashSecret(challenge), purpose, now })
    return taken !== undefined && taken.userId === userId
  }
}

/** WebAuthn knows pages by the name of their host. Throws `conflict` for a page that was opened by its address. */
function relyingParty(origin: string): string {
  const { hostname, port } = new URL(origin)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) === 0) return hostname
  const instead = port === '' ? 'its name' : `http://localhost:${port}`
  throw new Problem(
    'conflict',
    `Passkeys need a host name; open the dashboard at ${instead} instead of ${hostname}.`,
  )
}

const notTaken = (cause: unknown): Problem =>
  new Problem('validation_failed', 'The passkey was not made as it was asked for; please try again.', {
    cause,
    errors: [{ path: 'response', code: 'invalid_passkey', message: 'Begin anew.' }],
  })
