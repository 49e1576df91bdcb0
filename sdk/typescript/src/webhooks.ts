// Verifying the signature of a webhook request (Standard Webhooks, https://www.standardwebhooks.com).

import type { WebhookEvent } from './generated/nouns.ts'

/** Header fields of a request: of `fetch`, of Node, or of a framework; names in any case. */
export type RequestHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** Options of a verification. */
export interface VerifyOptions {
  /** Maximum difference between the time of the request and the clock of this machine, in seconds; 300 by default. */
  readonly toleranceSeconds?: number
  /** Present time in milliseconds since 1970; the clock of this machine by default. */
  readonly now?: number
}

/** Reason why a webhook request is not genuine. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

const TOLERANCE_S = 300
/** Maximum number of signatures that are compared. */
const MAX_SIGNATURES = 20

/**
 * Verifies a webhook request, and returns its event, or its events if the webhook has a `batch_size` above 1.
 *
 * @param body the bytes of the request as they came, not parsed and written again
 * @param secret the secret (`whsec_…`) or the public key (`whpk_…`) of the webhook
 * @throws WebhookVerificationError if the request is not genuine, or too old
 */
async function verify(
  body: string | Uint8Array | ArrayBuffer,
  headers: RequestHeaders,
  secret: string,
  { toleranceSeconds = TOLERANCE_S, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent | WebhookEvent[]> {
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = headerOf(headers, name)
    if (value === undefined || value === '')
      throw new WebhookVerificationError(`The header ${name} is missing.`)
    return value
  }) as [string, string, string]
  if (!/^\d{1,12}$/.test(time))
    throw new WebhookVerificationError('The header webhook-timestamp is not a time.')
  const late = Math.round(now / 1_000 - Number(time))
  if (!(Math.abs(late) <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      `The request is ${late} s old by the clock of this machine, and ${toleranceSeconds} s are allowed: the request was repeated by a stranger, or a clock is wrong.`,
    )
  }
  const bytes = bytesOf(body)
  const signed = await new Blob([`${id}.${time}.`, bytes]).arrayBuffer()
  const { version, isOf } = await verifierOf(secret)
  const given = signatures.split(' ').filter((one) => one.startsWith(`${version},`))
  for (const one of given.slice(0, MAX_SIGNATURES)) {
    const signature = fromBase64(one.slice(version.length + 1))
    if (signature !== undefined && (await isOf(signature, signed))) {
      return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent | WebhookEvent[]
    }
  }
  throw new WebhookVerificationError(
    'No signature of the request fits its body: the body was changed or parsed on the way, or the secret belongs to another webhook.',
  )
}

/** Functions for the receiver of webhooks. */
export const webhooks = { verify } as const

type Bytes = Uint8Array<ArrayBuffer>

/** Returns the version of the signatures that a secret verifies, and the comparison, which takes constant time. */
async function verifierOf(secret: string) {
  const [, kind = '', text = ''] = /^(whsec|whpk)_([A-Za-z0-9+/=]+)$/.exec(secret) ?? []
  const key = fromBase64(text)
  if (key === undefined || key.length === 0) {
    throw new TypeError('secret is the secret (whsec_…) or the public key (whpk_…) of the webhook.')
  }
  const algorithm = kind === 'whsec' ? { name: 'HMAC', hash: 'SHA-256' } : { name: 'Ed25519' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify'])
  return {
    version: kind === 'whsec' ? 'v1' : 'v1a',
    isOf: (signature: Bytes, signed: ArrayBuffer) =>
      crypto.subtle.verify(algorithm.name, imported, signature, signed).catch(() => false),
  }
}

function headerOf(headers: RequestHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const [, value] = Object.entries(headers).find(([one]) => one.toLowerCase() === name) ?? []
  return typeof value === 'string' ? value : value?.join(' ')
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Bytes {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (body instanceof Uint8Array) return new Uint8Array(body)
  throw new TypeError('body is the text or the bytes of the request, not the parsed object.')
}

function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
