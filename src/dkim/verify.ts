// Verifies the DKIM signatures of a message (RFC 6376 §6), RSA and Ed25519, and explains the result of each signature
// in a sentence.

import { createPublicKey, hash, type KeyObject, verify as verifyBytes } from 'node:crypto'
import type { DkimAlgorithm } from './keys.ts'
import { relaxedBodyHash } from './relaxed-body.ts'
import { relaxedField } from './signed-fields.ts'

/** DKIM results (RFC 8601 §2.7.1) that this verifier distinguishes. */
type DkimResult = 'pass' | 'fail' | 'permerror' | 'temperror'

/** Result of one signature. */
export interface CheckedSignature {
  readonly result: DkimResult
  /** Explanation in one sentence for people. */
  readonly explanation: string
  /** Domain of the signature (`d=`); empty if missing. */
  readonly domain: string
  readonly selector: string
  readonly algorithm: string
  /** DNS name at which the key is published. */
  readonly keyName: string
  /** Names of the covered header fields in lower case, without duplicates. */
  readonly covers: readonly string[]
}

/** Returns the TXT records of a name; undefined when the lookup failed. */
export type KeyRecords = (name: string) => Promise<readonly string[] | undefined>

/** Maximum number of signatures that are verified: each signature costs a DNS lookup and a key operation. */
const MAX_SIGNATURES = 5
const MAX_HEAD = 256 * 1024

/** Verifies the signatures of a whole message from top to bottom, at most MAX_SIGNATURES. */
export async function verifyDkim(raw: Buffer, keyRecords: KeyRecords): Promise<CheckedSignature[]> {
  const end = endOfHead(raw)
  const fields = splitFields(raw.toString('latin1', 0, Math.min(end, MAX_HEAD)))
  const body = raw.subarray(Math.min(raw.length, end + 4))
  const signatures = fields.filter(({ key }) => key === 'dkim-signature').slice(0, MAX_SIGNATURES)
  return Promise.all(
    signatures.map(async (field) => {
      const tags = readTags(field.raw.slice(field.nameLength + 1))
      const about = {
        domain: tags.get('d') ?? '',
        selector: tags.get('s') ?? '',
        algorithm: (tags.get('a') ?? '').toLowerCase(),
        keyName: `${tags.get('s') ?? ''}._domainkey.${tags.get('d') ?? ''}`.toLowerCase(),
        covers: [...new Set(coveredNames(tags))],
      }
      return { ...about, ...(await check({ field, fields, tags, body, ...about }, keyRecords)) }
    }),
  )
}

interface Field {
  /** Name in lower case. */
  readonly key: string
  /** Position of the colon. */
  readonly nameLength: number
  /** The whole field with its final CRLF, one character per byte. */
  readonly raw: string
}

interface Signature {
  readonly field: Field
  readonly fields: readonly Field[]
  readonly tags: ReadonlyMap<string, string>
  readonly body: Buffer
  readonly algorithm: string
  readonly keyName: string
}

type Verdict = Pick<CheckedSignature, 'result' | 'explanation'>

const verdict = (result: DkimResult, explanation: string): Verdict => ({ result, explanation })

async function check(signature: Signature, keyRecords: KeyRecords): Promise<Verdict> {
  const { tags, keyName } = signature
  const malformed = problemOf(tags)
  if (malformed !== undefined) return verdict('permerror', malformed)
  const records = await keyRecords(keyName)
  if (records === undefined) return verdict('temperror', `The DNS did not answer for ${keyName}.`)
  const key = publishedKey(records, signature.algorithm as DkimAlgorithm)
  if (typeof key === 'string') return verdict('permerror', `${key} (${keyName}).`)
  const [headerForm = 'simple', bodyForm = 'simple'] = (tags.get('c') ?? '').toLowerCase().split('/')
  const bodyHash = bodyForm === 'relaxed' ? relaxedBodyHash(signature.body) : simpleBodyHash(signature.body)
  if (bodyHash !== tags.get('bh')) {
    return verdict('fail', 'The body was changed after signing.')
  }
  const data = signedData(signature, headerForm === 'relaxed')
  const holds = isSignature(signature.algorithm as DkimAlgorithm, data, key, tags.get('b') ?? '')
  return holds
    ? verdict('pass', `Header and body match the signature by the key at ${keyName}.`)
    : verdict('fail', 'The header was changed after signing, or another key signed it.')
}

/** Returns the reason why a signature is unusable before its key is looked up (RFC 6376 §6.1.1). */
function problemOf(tags: ReadonlyMap<string, string>): string | undefined {
  for (const name of ['v', 'a', 'd', 's', 'h', 'bh', 'b']) {
    if (!tags.get(name)) return `The signature lacks its tag ${name}=.`
  }
  if (tags.get('v') !== '1') return 'The signature has an unknown version.'
  if (!/^(?:rsa|ed25519)-sha256$/i.test(tags.get('a') ?? '')) {
    return 'The signature has an obsolete algorithm.'
  }
  if (!/^[a-z0-9._-]{1,250}$/i.test(`${tags.get('s')}.${tags.get('d')}`)) {
    return 'The signature names no domain and selector that could exist.'
  }
  if (!coveredNames(tags).includes('from')) return 'The signature does not cover the From field.'
  // A signature of only a part of the body lets an attacker append content to the body (RFC 6376 §8.2).
  if (tags.has('l')) return 'The signature covers a part of the body only (l=).'
  return undefined
}

const coveredNames = (tags: ReadonlyMap<string, string>): string[] =>
  (tags.get('h') ?? '').toLowerCase().split(':').filter(Boolean).slice(0, 200)

/** Returns the key of a record (RFC 6376 §3.6.1), or the reason why the key cannot be used. */
function publishedKey(records: readonly string[], algorithm: DkimAlgorithm): KeyObject | string {
  const wanted = algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'
  const keys = records.map(readTags).filter((tags) => (tags.get('v') ?? 'DKIM1') === 'DKIM1' && tags.has('p'))
  if (keys.length === 0) return 'No key is published there'
  const tags = keys.find((one) => (one.get('k') ?? 'rsa') === wanted)
  if (tags === undefined) return 'The published key is of another kind'
  const bytes = Buffer.from(tags.get('p') ?? '', 'base64')
  if (bytes.length === 0) return 'The published key was revoked'
  if (!allows(tags, 'h', 'sha256')) return 'The published key is for another hash'
  if (!allows(tags, 's', 'email')) return 'The published key is for another service'
  try {
    if (wanted === 'ed25519') {
      const x = bytes.toString('base64url')
      return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    }
    const key = createPublicKey({ key: bytes, format: 'der', type: 'spki' })
    // RFC 8301 §3.2: a key must have at least 1,024 bits.
    const isShort = (key.asymmetricKeyDetails?.modulusLength ?? 0) < 1024
    return isShort ? 'The published key has fewer than 1024 bits' : key
  } catch {
    return 'The published key cannot be read'
  }
}

/** True if the list of a tag contains the name, or `*` in the case of `s=`, or if the tag is missing. */
function allows(tags: ReadonlyMap<string, string>, tag: string, name: string): boolean {
  const listed = tags.get(tag)?.toLowerCase().split(':') ?? [name]
  return listed.includes(name) || (tag === 's' && listed.includes('*'))
}

function isSignature(algorithm: DkimAlgorithm, data: Buffer, key: KeyObject, base64: string): boolean {
  const bytes = Buffer.from(base64, 'base64')
  // Ed25519 signs the hash of the data (RFC 8463 §3).
  return algorithm === 'ed25519-sha256'
    ? verifyBytes(null, hash('sha256', data, 'buffer'), key, bytes)
    : verifyBytes('sha256', data, key, bytes)
}

/**
 * Returns the signed data: the covered fields, and the signature field with an empty `b=`. The last of several fields
 * with the same name comes first (RFC 6376 §5.4.2).
 */
function signedData({ field, fields, tags }: Signature, relaxed: boolean): Buffer {
  const shown = ({ key, nameLength, raw }: Field): string =>
    relaxed ? relaxedField(key, nameLength, raw) : raw
  const left = Map.groupBy(fields, ({ key }) => key)
  let data = ''
  for (const name of coveredNames(tags)) {
    const next = left.get(name)?.pop()
    if (next !== undefined) data += shown(next)
  }
  const value = field.raw.slice(field.nameLength + 1)
  const raw = `${field.raw.slice(0, field.nameLength + 1)}${value.replace(/((?:^|;)[ \t\r\n]*b[ \t\r\n]*=)[^;]*/, '$1')}`
  return Buffer.from(data + shown({ ...field, raw }).replace(/\r\n$/, ''), 'latin1')
}

/** Returns the SHA-256 of the body without the empty lines at its end (RFC 6376 §3.4.3). */
function simpleBodyHash(body: Buffer): string {
  let end = body.length
  while (end >= 2 && body[end - 2] === 13 && body[end - 1] === 10) end -= 2
  return hash('sha256', Buffer.concat([body.subarray(0, end), Buffer.from('\r\n')]), 'base64')
}

/** Parses the tags of a tag list, without the white space in and around tags (RFC 6376 §3.2). */
function readTags(list: string): Map<string, string> {
  const pairs = list
    .replace(/[ \t\r\n]/g, '')
    .split(';')
    .slice(0, 100)
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

/** Returns the end of the header section, before the CRLF of the empty line. */
function endOfHead(raw: Buffer): number {
  const end = raw.indexOf('\r\n\r\n')
  return end < 0 ? raw.length : end
}

function splitFields(head: string): Field[] {
  return head.split(/\r\n(?![ \t])/).flatMap((field) => {
    const colon = field.indexOf(':')
    if (colon < 1) return []
    const name = field.slice(0, colon)
    return [{ key: name.trimEnd().toLowerCase(), nameLength: colon, raw: `${field}\r\n` }]
  })
}
