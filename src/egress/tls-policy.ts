// TLS policy for a mail host: required by DANE, by MTA-STS or by the message, or else opportunistic.

import type { SecureResolver } from '../dns/secure-resolver.ts'
import type { DaneDemand, TlsaRecord } from '../model/tlsa.ts'
import { namesHost } from '../mta-sts/policy.ts'
import type { SmtpConnection } from '../smtp/connection.ts'
import { daneDemand, usableTlsa } from '../smtp/dane.ts'
import { meaningOf } from '../smtp/reply-meaning.ts'
import type { DialogErrorCode, Stage, StageFailure } from '../smtp/stage.ts'
import type { RecipientResult } from '../smtp/transaction.ts'
import type { KnownPolicy, MtaStsPolicies } from './mta-sts.ts'
import type { ReportedPolicy, TlsResults } from './tls-results.ts'

/** TLS policy for the connections to one host. */
export interface TlsPolicy {
  /** True if mail must not be sent without TLS; otherwise plaintext is the fallback (RFC 7435). */
  readonly required: boolean
  /** True if the certificate must be valid for the name of the host. */
  readonly verify: boolean
  /** DANE requirement that the certificate of the host must satisfy; overrides `verify`. */
  readonly dane?: DaneDemand
  /** Source of the TLS requirement, for error messages. */
  readonly demandedBy?: string
  /** Policy under which the result is counted for the TLS report of the destination; absent to count no result. */
  readonly reported?: ReportedPolicy
}

export const OPPORTUNISTIC: TlsPolicy = { required: false, verify: false }

/** The sources of TLS policies. */
export interface TlsPolicySources {
  readonly mtaSts: MtaStsPolicies
  /** Resolver for DANE; undefined if the name servers do not validate DNSSEC. */
  readonly secureResolver: SecureResolver | undefined
  readonly results: TlsResults
}

/** A host that must not be contacted now. */
export interface Forbidden {
  readonly forbidden: StageFailure
}

/** Returns the policy for a host of a destination. DANE takes precedence over MTA-STS (RFC 8461 §2). */
export async function tlsPolicyOf(
  host: { readonly destination: string; readonly hostName: string; readonly port: number },
  requireTls: boolean,
  sources: TlsPolicySources,
): Promise<TlsPolicy | Forbidden> {
  const policy = (await byDane(host, sources)) ?? (await byMtaSts(host, sources))
  if ('forbidden' in policy || !requireTls || policy.dane !== undefined) return policy
  return { ...policy, required: true, verify: true, demandedBy: policy.demandedBy ?? 'the message' }
}

async function byDane(
  { destination, hostName, port }: { destination: string; hostName: string; port: number },
  { secureResolver, results }: TlsPolicySources,
): Promise<TlsPolicy | Forbidden | undefined> {
  if (secureResolver === undefined) return undefined
  const dane = await daneOf(secureResolver, destination, hostName, port)
  if (dane.kind === 'none') return undefined
  if (dane.kind === 'unknown') {
    // An attacker who makes DNS lookups fail must not be able to disable DANE (RFC 7672 §2.1.2).
    return forbid(dane.reason)
  }
  const reported: ReportedPolicy = { type: 'tlsa', domain: destination, text: dane.records.map(tlsaText) }
  const demanded = { required: true, verify: false, demandedBy: `DANE of ${hostName}`, reported }
  if (dane.kind === 'records') {
    return { ...demanded, dane: daneDemand(dane.records, hostName, destination) }
  }
  results.count(reported, hostName, 'tlsa-invalid')
  return demanded
}

async function byMtaSts(
  { destination, hostName }: { destination: string; hostName: string },
  { mtaSts, results }: TlsPolicySources,
): Promise<TlsPolicy | Forbidden> {
  const policy = await mtaSts.policyFor(destination)
  if (policy === undefined) {
    return { ...OPPORTUNISTIC, reported: { type: 'no-policy-found', domain: destination, text: [] } }
  }
  const named = namesHost(policy, hostName)
  const reported: ReportedPolicy = { type: 'sts', domain: destination, text: policyText(policy) }
  if (policy.mode === 'testing') {
    return { ...OPPORTUNISTIC, reported: named ? reported : { ...reported, unnamed: true } }
  }
  if (!named) {
    results.count(reported, hostName, 'validation-failure')
    return forbid(`${hostName} is not named by the MTA-STS policy of ${destination}`)
  }
  return { required: true, verify: true, demandedBy: `the MTA-STS policy of ${destination}`, reported }
}

const forbid = (message: string): Forbidden => ({
  forbidden: { stage: 'connect', error: { code: 'tls-policy', message } },
})

/**
 * True if TLS failed, timed out or was cut off before any mail command, so that the host may still accept plaintext.
 * Later failures do not count: the host may have the message, or an attacker may break the connection on purpose.
 */
export const isOfTls = ({ stage, error }: StageFailure): boolean =>
  error !== undefined &&
  BEFORE_MAIL.has(stage) &&
  (error.code === 'tls' || (stage === 'starttls' && CUT_OFF.has(error.code)))

const BEFORE_MAIL: ReadonlySet<Stage> = new Set(['connect', 'greeting', 'starttls', 'ehlo'])
const CUT_OFF: ReadonlySet<DialogErrorCode> = new Set(['timeout', 'closed', 'reset'])

/**
 * Corrects the result of a plaintext dialog. A host that announces STARTTLS and refuses mail without TLS (530) has not
 * judged the message, and may accept the message over TLS.
 */
export function forWantOfTls(
  result: RecipientResult,
  { tls, extensions }: Pick<SmtpConnection, 'tls' | 'extensions'>,
): RecipientResult {
  const reply = result.failure?.reply
  if (reply === undefined || tls !== undefined || !extensions.startTls) return result
  if (meaningOf(result.failure as StageFailure).category !== 'tls') return result
  const message = `The host demands TLS, which failed before (${reply.code} ${reply.text})`
  return { failure: { stage: 'starttls', error: { code: 'no-tls', message } } }
}

/** True if a plaintext dialog failed because the host demands TLS. */
export const wantedTls = (failure: StageFailure | undefined): boolean =>
  failure?.stage === 'starttls' && failure.error?.code === 'no-tls'

/** Returns the failure of a host whose policy demands TLS; names the policy if TLS itself failed. */
export function demanded({ stage, reply, error }: StageFailure, tls: TlsPolicy): StageFailure {
  const required = error?.code === 'certificate' ? 'a verified certificate' : 'TLS'
  const demands = `; ${tls.demandedBy} requires ${required}`
  if (error !== undefined) {
    const ofTls = error.code === 'tls' || error.code === 'certificate' || error.code === 'no-tls'
    return { stage, error: ofTls ? { ...error, message: error.message + demands } : error }
  }
  if (stage !== 'starttls' || reply === undefined) return { stage, ...(reply && { reply }) }
  // The refusal of STARTTLS is no refusal of the message: the message waits for TLS under any policy of the host.
  const message = `STARTTLS was refused by ${reply.code} ${reply.text}${demands}`
  return { stage, error: { code: 'no-tls', message } }
}

const tlsaText = ({ usage, selector, matchingType, data }: TlsaRecord): string =>
  `${usage} ${selector} ${matchingType} ${Buffer.from(data).toString('hex')}`

const policyText = ({ mode, mx, maxAge }: KnownPolicy): string[] => [
  'version: STSv1',
  `mode: ${mode}`,
  ...mx.map((pattern) => `mx: ${pattern}`),
  `max_age: ${maxAge}`,
]

/**
 * `none`: the host does not use DANE; `unusable`: no TLSA record of the host has a usable form; `unknown`: the DNS
 * lookup failed, possibly because of an attacker.
 */
type Dane =
  | { readonly kind: 'none' }
  | { readonly kind: 'records'; readonly records: readonly TlsaRecord[] }
  | { readonly kind: 'unusable'; readonly records: readonly TlsaRecord[] }
  | { readonly kind: 'unknown'; readonly reason: string }

const NONE: Dane = { kind: 'none' }

/**
 * Returns the DANE policy of a host of `destination`; an MX record named the host, or the host is the destination
 * itself.
 */
async function daneOf(
  resolver: SecureResolver,
  destination: string,
  hostName: string,
  port: number,
): Promise<Dane> {
  // DANE requires DNSSEC for the MX record, because a forged MX record could name an attacker's host, whose certificate
  // matches its own TLSA records (RFC 7672 §2.2.1).
  const mx = await resolver.mx(destination)
  if (mx.kind === 'failure') return unknown(`the MX records of ${destination}`, mx.code)
  if (!mx.secure) return NONE
  // A host that the signed MX records do not name comes from a spoofed or outdated DNS answer.
  const isNamed = mx.kind === 'found' ? mx.records.includes(hostName) : hostName === destination
  if (!isNamed)
    return { kind: 'unknown', reason: `DANE: the signed DNS of ${destination} does not name ${hostName}` }
  // TLSA records are not queried in unsigned zones, whose name servers may fail to handle TLSA queries (RFC 7672
  // §2.2.2).
  const address = await resolver.address(hostName)
  if (address.kind === 'failure') return unknown(`the address of ${hostName}`, address.code)
  if (!address.secure) return NONE
  const name = `_${port}._tcp.${hostName}`
  const tlsa = await resolver.tlsa(name)
  if (tlsa.kind === 'failure') return unknown(name, tlsa.code)
  if (tlsa.kind !== 'found' || !tlsa.secure) return NONE
  const records = usableTlsa(tlsa.records)
  return records.length > 0 ? { kind: 'records', records } : { kind: 'unusable', records: tlsa.records }
}

const unknown = (what: string, code: string): Dane => ({
  kind: 'unknown',
  reason: `DANE: ${what} could not be looked up (${code})`,
})
