// MTA-STS policies: the mail hosts of a domain and its demand for TLS (RFC 8461).

import { normalizeHostName } from '../dns/host-name.ts'
import type { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'

export type MtaStsMode = 'none' | 'testing' | 'enforce'

/** A policy in the form that its domain publishes. */
export interface MtaStsPolicy {
  readonly mode: MtaStsMode
  /** Host names in lower case; a leading `*.` stands for one label. */
  readonly mx: readonly string[]
  /** Lifetime in seconds, as published. */
  readonly maxAge: number
}

const MAX_MX = 200
/** Maximum of `max_age` in seconds, about a year (RFC 8461 §3.2). */
const MAX_SECONDS = 31_557_600

/**
 * Returns the `id` of the policy from the TXT records of `_mta-sts.<domain>`; undefined if there is no valid record, or
 * more than one record (RFC 8461 §3.1).
 */
export function readPolicyId(texts: readonly string[]): string | undefined {
  const records = texts.filter((text) => /^v=STSv1[ \t]*(?:;|$)/.test(text))
  if (records.length !== 1) return undefined
  for (const part of records[0]!.split(';').slice(1)) {
    const id = /^[ \t]*id[ \t]*=[ \t]*([A-Za-z0-9]{1,32})[ \t]*$/.exec(part)?.[1]
    if (id !== undefined) return id
  }
  return undefined
}

/** Parses a policy file (RFC 8461 §3.2). Returns a string that names the problem if the file is invalid. */
export function parsePolicy(text: string): MtaStsPolicy | string {
  const fields = new Map<string, string>()
  const mx: string[] = []
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon < 0) continue
    const key = line.slice(0, colon).trim()
    const value = line.slice(colon + 1).trim()
    // The key `mx` may be repeated; the first value of any other key counts, and unknown keys are ignored (RFC 8461
    // §3.2).
    if (key === 'mx') mx.push(value)
    else if (!fields.has(key)) fields.set(key, value)
  }
  const mode = fields.get('mode')
  const maxAge = fields.get('max_age') ?? ''
  if (fields.get('version') !== 'STSv1') return 'its version is not STSv1'
  if (mode !== 'none' && mode !== 'testing' && mode !== 'enforce') return 'its mode is unknown'
  if (!/^\d{1,10}$/.test(maxAge)) return 'it has no max_age'
  const patterns = mx.slice(0, MAX_MX).flatMap((pattern) => readPattern(pattern) ?? [])
  if (mode !== 'none' && patterns.length === 0) return 'it names no mail host'
  return { mode, mx: patterns, maxAge: Math.min(Number(maxAge), MAX_SECONDS) }
}

function readPattern(pattern: string): string | undefined {
  const wildcard = pattern.startsWith('*.')
  const name = normalizeHostName(wildcard ? pattern.slice(2) : pattern)
  return name === undefined || !wildcard ? name : `*.${name}`
}

/**
 * True if the policy names this host. A wildcard is the whole leftmost label of a pattern, and matches exactly one
 * label (RFC 8461 §4.1).
 */
export function namesHost(policy: Pick<MtaStsPolicy, 'mx'>, hostName: string): boolean {
  const host = hostName.toLowerCase()
  const parent = host.slice(host.indexOf('.') + 1)
  return policy.mx.some((pattern) => pattern === host || (pattern === `*.${parent}` && parent !== host))
}

/** Reason why the fetch of a policy failed, as a result type of RFC 8460 §4.3.2.2 and as a sentence. */
export interface FetchFailure {
  readonly failure: 'sts-policy-fetch-error' | 'sts-webpki-invalid' | 'sts-policy-invalid'
  readonly detail: string
}

/**
 * Timeout of a policy fetch, in milliseconds: RFC 8461 §3.3 suggests a minute, and §3.2 suggests 64 KiB (`MAX_BYTES`).
 */
const TIMEOUT_MS = 60_000
const MAX_BYTES = 64 * 1024

/** Fetches `https://mta-sts.<domain>/.well-known/mta-sts.txt`; never rejects. `port` is 443 outside of tests. */
export async function fetchPolicy(
  http: OutgoingHttp,
  domain: string,
  port: number,
): Promise<MtaStsPolicy | FetchFailure> {
  const url = new URL(`https://mta-sts.${domain}:${port}/.well-known/mta-sts.txt`)
  const answer = await http.request(url, { method: 'GET', timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })
  if ('problem' in answer) {
    const failure = answer.problem === 'certificate' ? 'sts-webpki-invalid' : 'sts-policy-fetch-error'
    return { failure, detail: answer.detail }
  }
  // Only status 200 counts, and redirects are not followed (RFC 8461 §3.3).
  if (answer.status !== 200) {
    return { failure: 'sts-policy-fetch-error', detail: `The host answered with status ${answer.status}.` }
  }
  // The required media type prevents users who can upload files to a web site from publishing a policy (RFC 8461 §3.2).
  const type = answer.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'text/plain') {
    return { failure: 'sts-policy-invalid', detail: 'The answer is not of type text/plain.' }
  }
  const policy = parsePolicy(answer.body.toString('utf8'))
  if (typeof policy !== 'string') return policy
  return { failure: 'sts-policy-invalid', detail: `The policy cannot be used: ${policy}.` }
}
