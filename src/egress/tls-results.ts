// TLS results for domains that want TLS reports: counted in memory, written periodically.

import { cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import type { StageFailure } from '../smtp/stage.ts'
import type { TlsState } from '../smtp/tls.ts'
import type { Store } from '../store/database/store.ts'
import { recordTlsResults, type TlsResult } from '../store/domains/tls-results.ts'

/** A policy in the form of TLS reports (RFC 8460 §4.4). */
export interface ReportedPolicy {
  readonly type: 'sts' | 'tlsa'
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

/**
 * Counts TLS results in memory, and periodically adds the counts to the store, so that delivery does not wait for the
 * store.
 */
export class TlsResults implements Part {
  readonly name = 'TLS results'
  readonly #store: Store
  readonly #clock: Clock
  readonly #log: Log
  /**
   * Counts since the last write. The least recently seen results are dropped when there are too many different
   * results.
   */
  readonly #counts = cacheOf<TlsResult>('tls_results')
  #cancelFlush: (() => void) | undefined

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store
    this.#clock = clock
    this.#log = log
  }

  async stop(): Promise<void> {
    await this.#flush()
  }

  /** Counts one session, or one policy lookup without a session. */
  count(policy: ReportedPolicy, mx: string, result: TlsResultType): void {
    this.#cancelFlush ??= this.#clock.after(FLUSH_MS, () => void this.#flush())
    const day = dayOf(this.#clock.now())
    const key = [day, policy.domain, policy.type, mx, result].join(' ')
    const counted = this.#counts.get(key)
    if (counted !== undefined) {
      counted.sessions++
    } else {
      this.#counts.set(key, {
        day,
        policy_domain: policy.domain,
        policy_type: policy.type,
        mx,
        result,
        policy: JSON.stringify(withinLength(policy.text)),
        sessions: 1,
      })
    }
  }

  /** Writes the counts since the last write. */
  async #flush(): Promise<void> {
    this.#cancelFlush?.()
    this.#cancelFlush = undefined
    if (this.#counts.size === 0) return
    // Rows are written in key order, so that two nodes never deadlock.
    const results = [...this.#counts.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, result]) => result)
    this.#counts.clear()
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
    return policy.type === 'tlsa' || tls.authorized ? 'success' : byCertificate(tls.authorizationError)
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

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

function withinLength(lines: readonly string[]): string[] {
  let left = MAX_TEXT
  return lines.filter((line) => {
    left -= line.length
    return left >= 0
  })
}
