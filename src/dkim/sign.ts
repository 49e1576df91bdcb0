// DKIM signatures, RSA and Ed25519 (RFC 6376, RFC 8463): one body hash and one header pass per message.

import { hash, type KeyObject, sign as signBytes } from 'node:crypto'
import { promisify } from 'node:util'
import type { ComposedMessage, HeaderField } from '../model/composed-message.ts'
import type { DkimAlgorithm } from './keys.ts'
import { relaxedBodyHash } from './relaxed-body.ts'
import { type SignedFields, signedFields } from './signed-fields.ts'

/** A signer: the domain that takes responsibility, and its published key. */
export interface Signer {
  /** Domain of the signer (`d=`), in A-labels. */
  readonly domain: string
  /** Selector (`s=`); the key is published at `<selector>._domainkey.<domain>`. */
  readonly selector: string
  readonly algorithm: DkimAlgorithm
  readonly key: KeyObject
}

const MAX_LINE = 76

/** Signs in the thread pool of libuv (the form with a callback), because an RSA-2048 signature takes 250 µs. */
const signInPool = promisify(signBytes)

/**
 * Returns the DKIM-Signature fields of a message, one per signer in the order of the signers, to be put on top of the
 * header. The canonicalization is relaxed/relaxed, without `l=` and `x=`; equal arguments give equal fields. RSA
 * signatures are made concurrently in the thread pool.
 * @param message message to sign, with its `bodyHash` if the hash has already been computed
 * @param at time of the signature in milliseconds since 1970-01-01 UTC; `t=` contains whole seconds
 */
export async function sign(
  message: Pick<ComposedMessage, 'headers' | 'body'> & { readonly bodyHash?: string },
  signers: readonly Signer[],
  at: number,
): Promise<HeaderField[]> {
  if (signers.length === 0) return []
  const bodyHash = message.bodyHash ?? relaxedBodyHash(message.body)
  const fields = signedFields(message.headers)
  const common = [...foldedNames(fields.names), `bh=${bodyHash};`]
  const seconds = Math.floor(at / 1000)
  const tags = signers.map((signer) => [...tagsOf(signer, seconds), ...common])
  return Promise.all(signers.map((signer, i) => signTags(signer, tags[i]!, fields)))
}

/** Returns the lines of the signature field before the tag `h=`. */
function tagsOf({ domain, selector, algorithm }: Signer, seconds: number): string[] {
  // A name with a `;` or white space would add tags.
  if (!/^[A-Za-z0-9._-]{1,255}$/.test(domain) || !/^[A-Za-z0-9._-]{1,255}$/.test(selector)) {
    throw new TypeError(`Not a domain and a selector: ${JSON.stringify([domain, selector])}`)
  }
  const names = [`d=${domain};`, `s=${selector};`]
  const lines = names.join(' ').length <= MAX_LINE ? [names.join(' ')] : names
  return [`v=1; a=${algorithm}; c=relaxed/relaxed; t=${seconds};`, ...lines]
}

/** Returns the `h=` tag in lines that end after a colon, where white space is allowed (RFC 6376 §3.5). */
function foldedNames(names: readonly string[]): string[] {
  const lines: string[] = []
  let line = 'h='
  for (const [i, name] of names.entries()) {
    const next = i === names.length - 1 ? `${name};` : `${name}:`
    if (line.length + next.length > MAX_LINE) {
      lines.push(line)
      line = ''
    }
    line += next
  }
  return [...lines, line]
}

/** Signs the covered header fields, followed by the new field with an empty `b=` (RFC 6376 §3.7). */
async function signTags(signer: Signer, tags: readonly string[], fields: SignedFields): Promise<HeaderField> {
  const data = Buffer.from(`${fields.relaxed}dkim-signature:${tags.join(' ')} b=`, 'latin1')
  const signature =
    signer.algorithm === 'ed25519-sha256'
      ? // RFC 8463 §3: Ed25519 signs the hash. Signing takes 40 µs here, and would take twice as long in the thread pool.
        signBytes(null, hash('sha256', data, 'buffer'), signer.key)
      : await signInPool('sha256', data, signer.key)
  const lines = [...tags, ...foldedSignature(signature.toString('base64'))]
  return { name: 'DKIM-Signature', raw: `DKIM-Signature: ${lines.join('\r\n ')}\r\n` }
}

function foldedSignature(base64: string): string[] {
  const lines = [`b=${base64.slice(0, 74)}`]
  for (let at = 74; at < base64.length; at += MAX_LINE) lines.push(base64.slice(at, at + MAX_LINE))
  return lines
}
