// TLS results for domains that have a TLS policy or want TLS reports: counted in memory, written periodically.

import type { Resolver } from '../dns/resolver.ts'
import { bytesOf, cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { dayOf } from '../lib/rfc3339.ts'
import type { StageFailure } from '../smtp/stage.ts'
import type { TlsState } from '../smtp/tls.ts'
import type { Store } from '../store/database/store.ts'
import { recordTlsResults, type TlsResult } from '../store/domains/tls-results.ts'

/**
 * A policy in the form of TLS reports (RFC 8460 §4.4). The type `no-policy-found` stands for a domain without a policy,
 * whose results are counted if the domain wants reports.
 */
export interface ReportedPolicy {
  readonly type: TlsResult['policy_type']
  /** Recipient domain. */
  readonly domain: string
  readonly text: readonly string[]
  /**
   * True for a host that receives mail although the policy does not name the host, because the policy is in testing
   * mode.
   */
  readonly unnamed?: boolean
}

/** `success`, or a result type of RFC 8460 §4.3. */
export type TlsResultType =
  | 'success'
  | 'starttls-not-supported'
  | 'certificate-host-mismatch'
  | 'certificate-expired'
  | 'certificate-not-trusted'
  | 'validation-failure'
  | 'tlsa-invalid'
  | 'sts-policy-fetch-error'
  | 'sts-policy-invalid'
  | 'sts-webpki-invalid'

const FLUSH_MS = 10_000
const KEPT_DAYS = 35
/** Maximum characters of a policy; the policy of a domain with hundreds of hosts is truncated. */
const MAX_TEXT = 4_096

/** IP addresses of a session. */
interface SessionEnds {
  readonly sending?: string | undefined
  readonly receiving?: string | undefined
}

/** Results of one kind since the last write. */
interface Counted {
  readonly row: TlsResult
  /** True if the domain has a policy or wants reports; undefined until the DNS has answered. */
  isWanted: boolean | undefined
}

/**
 * Counts TLS results in memory, and periodically adds the counts to the store, so that delivery waits neither for the
 * store nor for the lookup of the domains that want reports.
 */
export class TlsResults implements Part {
  readonly name = 'TLS results'
  readonly #store: Store
  readonly #clock: Clock
  readonly #log: Log
  readonly #resolver: Pick<Resolver, 'txt'> | undefined
  /**
   * Counts since the last write. The least recently seen results are dropped when there are too many different
   * results.
   */
  readonly #counts = cacheOf<Counted>('tls_results')
  #cancelFlush: (() => void) | undefined
  #isStopping = false

  /**
   * @param resolver looks up which domains without a policy want reports; without it, results are counted only for
   * domains that have a policy
   */
  constructor(store: Store, clock: Clock, log: Log, resolver?: Pick<Resolver, 'txt'>) {
    this.#resolver = resolver
    this.#store = store
    this.#clock = clock
    this.#log = log
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    // Lookups under way are not awaited, so the counts of the last seconds may be incomplete.
    await this.#flush()
  }

  /** Counts one session, or one policy lookup without a session. The addresses are kept for failures only. */
  count(policy: ReportedPolicy, mx: string, result: TlsResultType, ends: SessionEnds = {}): void {
    const hasPolicy = policy.type !== 'no-policy-found'
    if (!hasPolicy && this.#resolver === undefined) return
    this.#flushLater()
    const day = dayOf(this.#clock.now())
    const { sending = '', receiving = '' } = result === 'success' ? {} : ends
    const key = [day, policy.domain, policy.type, mx, result, sending, receiving].join(' ')
    const counted = this.#counts.get(key)
    if (counted !== undefined) {
      counted.row.sessions++
      return
    }
    const row = {
      day,
      policy_domain: policy.domain,
      policy_type: policy.type,
      mx,
      result,
      sending_ip: sending,
      receiving_ip: receiving,
      policy: JSON.stringify(withinLength(policy.text)),
      sessions: 1,
    }
    const added: Counted = { row, isWanted: hasPolicy || undefined }
    this.#counts.set(key, added, bytesOf(row))
    if (!hasPolicy) void this.#lookUp(policy.domain, added)
  }

  /** Looks up whether a domain without a policy wants reports (RFC 8460 §3); a failed lookup counts as no. */
  async #lookUp(domain: string, counted: Counted): Promise<void> {
    const found = await this.#resolver?.txt(`_smtp._tls.${domain}`)
    counted.isWanted =
      found?.kind === 'found' && found.records.some((text) => /^v=TLSRPTv1[ \t]*;/.test(text))
  }

  #flushLater(): void {
    this.#cancelFlush ??= this.#clock.after(FLUSH_MS, () => void this.#flush())
  }

  /** Writes the counts since the last write, except the counts of domains that are still being looked up. */
  async #flush(): Promise<void> {
    this.#cancelFlush?.()
    this.#cancelFlush = undefined
    if (this.#counts.size === 0) return
    // Rows are written in key order, so that two nodes never deadlock.
    const counts = [...this.#counts.entries()].sort(([a], [b]) => (a < b ? -1 : 1))
    this.#counts.clear()
    const results = counts.flatMap(([, { row, isWanted }]) => (isWanted === true ? [row] : []))
    for (const [key, counted] of counts) {
      if (counted.isWanted === undefined) this.#counts.set(key, counted, bytesOf(counted.row))
    }
    if (this.#counts.size > 0 && !this.#isStopping) this.#flushLater()
    if (results.length === 0) return
    const oldestDay = dayOf(this.#clock.now() - KEPT_DAYS * 86_400_000)
    await this.#store.write(recordTlsResults, { results, oldestDay }).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'TLS results could not be stored')
    })
  }
}

/** Returns the TLS result of a new connection; undefined if the dialog ended before TLS. */
export function resultOf(
  policy: ReportedPolicy,
  tls: TlsState | undefined,
  failure: StageFailure | undefined,
): TlsResultType | undefined {
  if (policy.unnamed) return 'validation-failure'
  if (failure === undefined) {
    if (tls === undefined) return 'starttls-not-supported'
    // Only MTA-STS requires a certificate that is valid by the authorities of the Web.
    return policy.type !== 'sts' || tls.authorized ? 'success' : byCertificate(tls.authorizationError)
  }
  switch (failure.error?.code) {
    case 'certificate':
      return byCertificate(failure.error.reason)
    case 'no-tls':
      return 'starttls-not-supported'
    case 'tls':
      return 'validation-failure'
    default:
      return failure.stage === 'starttls' && failure.reply !== undefined
        ? 'starttls-not-supported'
        : undefined
  }
}

function byCertificate(reason: string | undefined): TlsResultType {
  if (reason === 'DANE') return 'validation-failure'
  if (reason === 'CERT_HAS_EXPIRED') return 'certificate-expired'
  return reason === 'ERR_TLS_CERT_ALTNAME_INVALID' ? 'certificate-host-mismatch' : 'certificate-not-trusted'
}

function withinLength(lines: readonly string[]): string[] {
  let left = MAX_TEXT
  return lines.filter((line) => {
    left -= line.length
    return left >= 0
  })
}
