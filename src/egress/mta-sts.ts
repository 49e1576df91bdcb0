// Looks up and fetches the MTA-STS policies of destinations, stores them across restarts, and renews them in the
// background.

import type { Resolver } from '../dns/resolver.ts'
import { bytesOf, cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type FetchFailure, fetchPolicy, type MtaStsMode, readPolicyId } from '../mta-sts/policy.ts'
import type { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import type { Store } from '../store/database/store.ts'
import { findMtaStsPolicy, keepMtaStsPolicy } from '../store/domains/mta-sts-policies.ts'

/** A policy in force. */
export interface KnownPolicy {
  readonly domain: string
  readonly id: string
  readonly mode: MtaStsMode
  readonly mx: readonly string[]
  readonly maxAge: number
  readonly fetchedAt: number
  readonly expiresAt: number
}

export interface MtaStsOptions {
  readonly resolver: Resolver
  readonly http: OutgoingHttp
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Port of policy hosts: 443 outside of tests. */
  readonly port: number
  /** Called for each policy fetch that failed. */
  readonly onFailure: (domain: string, failure: FetchFailure['failure']) => void
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/**
 * Minimum and maximum lifetime of a policy, regardless of `max_age`: a short-lived policy would expire between two
 * messages.
 */
const KEEP_AT_LEAST = DAY
const KEEP_AT_MOST = 365 * DAY
/** Minimum time between two fetches after a failure, in milliseconds (RFC 8461 §3.3). */
const RETRY_MS = 5 * MINUTE

/** State of one domain. */
interface Known {
  policy: KnownPolicy | undefined
  /** Time of the last fetch, successful or not; undefined before the first fetch. */
  fetchedAt: number | undefined
  fetching: Promise<void> | undefined
}

/** Memory for the entry of a domain, in bytes, without the policy. */
const KNOWN_BYTES = 300

/** Provides the MTA-STS policies of destinations. */
export class MtaStsPolicies {
  readonly #options: MtaStsOptions
  readonly #domains = cacheOf<Promise<Known>>('mta_sts_policies')
  readonly #fetching = new Set<Promise<void>>()

  constructor(options: MtaStsOptions) {
    this.#options = options
  }

  /**
   * Returns the policy in force for a domain; undefined if there is no policy, or if the mode of the policy is `none`.
   * Waits only for the first fetch of a policy.
   */
  async policyFor(domain: string): Promise<KnownPolicy | undefined> {
    // The two lookups run in parallel; the DNS lookup never rejects.
    const asked = this.#options.resolver.txt(`_mta-sts.${domain}`)
    const known = await this.#known(domain)
    const texts = await asked
    const id = texts.kind === 'found' ? readPolicyId(texts.records) : undefined
    if (id !== undefined && this.#isToBeFetched(known, id)) {
      const fetching = this.#fetch(domain, id, known)
      // A known policy stays in force even if its TXT record is gone or its policy host is unreachable (RFC 8461 §5.1).
      if (this.#inForce(known) === undefined) await fetching
    }
    const policy = this.#inForce(known)
    return policy?.mode === 'none' ? undefined : policy
  }

  /** Waits until the fetches under way have ended. */
  async stop(): Promise<void> {
    await Promise.all(this.#fetching)
  }

  #inForce({ policy }: Known): KnownPolicy | undefined {
    return policy !== undefined && policy.expiresAt > this.#options.clock.now() ? policy : undefined
  }

  #isToBeFetched(known: Known, id: string): boolean {
    const now = this.#options.clock.now()
    if (known.fetching !== undefined) return true
    // The absolute difference is used, so that setting back a fast clock delays no fetch.
    const since = (at: number): number => Math.abs(now - at)
    if (known.fetchedAt !== undefined && since(known.fetchedAt) < RETRY_MS) return false
    const policy = this.#inForce(known)
    if (policy === undefined || policy.id !== id) return true
    // A policy is renewed early, so that an attacker who blocks the policy host for a while gains nothing (RFC 8461
    // §10.2).
    return since(policy.fetchedAt) > Math.min((policy.expiresAt - policy.fetchedAt) / 2, DAY)
  }

  #fetch(domain: string, id: string, known: Known): Promise<void> {
    if (known.fetching !== undefined) return known.fetching
    const fetching = this.#fetchNow(domain, id, known).finally(() => {
      known.fetching = undefined
      this.#fetching.delete(fetching)
    })
    known.fetching = fetching
    this.#fetching.add(fetching)
    return fetching
  }

  async #fetchNow(domain: string, id: string, known: Known): Promise<void> {
    const { http, port, clock, log, onFailure } = this.#options
    const fetched = await fetchPolicy(http, domain, port)
    const now = clock.now()
    known.fetchedAt = now
    if ('failure' in fetched) {
      log.info({ domain, detail: fetched.detail }, 'an MTA-STS policy could not be fetched')
      onFailure(domain, fetched.failure)
      return
    }
    const { mode, mx, maxAge } = fetched
    const keep = Math.min(Math.max(maxAge * 1000, KEEP_AT_LEAST), KEEP_AT_MOST)
    known.policy = { domain, id, mode, mx, maxAge, fetchedAt: now, expiresAt: now + keep }
    this.#weigh(domain, known)
    await this.#keep(known.policy)
  }

  async #keep({ domain, id, mode, mx, maxAge, fetchedAt, expiresAt }: KnownPolicy): Promise<void> {
    const { store, log } = this.#options
    const policy = {
      domain,
      policy_id: id,
      mode,
      mx: JSON.stringify(mx),
      max_age: maxAge,
      fetched_at: fetchedAt,
      expires_at: expiresAt,
    }
    await store.write(keepMtaStsPolicy, { policy, now: fetchedAt }).catch((error: unknown) => {
      log.warn({ err: error, domain }, 'an MTA-STS policy could not be stored')
    })
  }

  /** Returns the state of a domain from memory, or loads the stored policy. */
  #known(domain: string): Promise<Known> {
    const known = this.#domains.get(domain)
    if (known !== undefined) return known
    const loaded = this.#load(domain)
    this.#domains.set(domain, loaded, KNOWN_BYTES)
    void loaded.then(
      (found) => this.#weigh(domain, found),
      () => {},
    )
    // A failed read does not mean that the domain has no policy; the next message reads the store again.
    loaded.catch(() => this.#domains.delete(domain))
    return loaded
  }

  #weigh(domain: string, known: Known): void {
    const bytes = KNOWN_BYTES + bytesOf(known.policy)
    if (this.#domains.has(domain)) this.#domains.set(domain, Promise.resolve(known), bytes)
  }

  async #load(domain: string): Promise<Known> {
    const row = await findMtaStsPolicy(this.#options.store.read, domain)
    const policy = row && {
      domain,
      id: row.policy_id,
      mode: row.mode,
      mx: JSON.parse(row.mx) as string[],
      maxAge: row.max_age,
      fetchedAt: row.fetched_at,
      expiresAt: row.expires_at,
    }
    return { policy, fetchedAt: undefined, fetching: undefined }
  }
}
