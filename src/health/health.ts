// Checks the health of a running installation. All checks run concurrently with a time limit, and their results are
// kept for a minute.

import type { Resolver } from '../dns/resolver.ts'
import type { Clock } from '../lib/clock.ts'
import type { Read } from '../store/database/store.ts'
import { type BlockListSettings, checkBlockLists } from './block-lists.ts'
import { type Check, fail, ok } from './check.ts'
import {
  checkAdminListener,
  checkCertificate,
  checkClock,
  checkDisk,
  checkDomains,
  checkDurability,
  checkNode,
  checkOrders,
  checkPublicUrl,
  type InstallationOptions,
} from './installation.ts'
import { type NetworkOptions, networkChecks, SKIPPED_IN_PLAYGROUND } from './network.ts'

/** Domain of a mail host that reliably accepts connections; the help of `doctor` mentions the same host. */
export const PORT_25_HOST = 'gmail-smtp-in.l.google.com'

const KEPT_MS = 60_000
const MAX_MS = 20_000

/** Settings that the health checks use. */
export type HealthOptions = InstallationOptions &
  BlockListSettings &
  Omit<NetworkOptions, 'resolver' | 'port25Host' | 'inbound'> & {
    readonly roles: readonly string[]
    readonly inboundHost: string
    readonly inboundPort: number | undefined
  }

/** Results of all health checks, with the time of the checks. */
export interface HealthReport {
  /** Time of the checks in milliseconds since the epoch. */
  readonly checkedAt: number
  readonly checks: readonly Check[]
}

/** Runs the health checks on demand, at most once a minute. */
export class Health {
  readonly #options: HealthOptions
  readonly #read: Read
  readonly #clock: Clock
  readonly #resolver: Resolver
  /** Last report with its monotonic time, so that the report expires even if the clock is set back. */
  #last: { readonly report: Promise<HealthReport>; readonly at: number } | undefined

  /** @param resolver resolver that must not cache */
  constructor(options: HealthOptions, read: Read, clock: Clock, resolver: Resolver) {
    this.#options = options
    this.#read = read
    this.#clock = clock
    this.#resolver = resolver
  }

  /** Returns the results of new checks, or of checks that are at most a minute old. */
  check(): Promise<HealthReport> {
    const at = this.#clock.monotonic()
    if (this.#last === undefined || at - this.#last.at >= KEPT_MS) {
      this.#last = { at, report: this.#check(this.#clock.now()) }
    }
    return this.#last.report
  }

  async #check(checkedAt: number): Promise<HealthReport> {
    const options = this.#options
    const kind = options.databaseUrl === undefined ? 'SQLite' : 'PostgreSQL'
    const [durability, clock, disk, certificate, orders, network, lists, domains] = await Promise.all([
      within('durability', async () => [await checkDurability(this.#read)]),
      within('clock', async () => [await checkClock(options, this.#read)]),
      checkDisk(options),
      checkCertificate(options, checkedAt),
      within('certificate orders', () => checkOrders(options, this.#read)),
      within('network', () => checkNetwork(options, this.#resolver)),
      within('block lists', () => checkBlockLists(options, this.#read)),
      within('domains', () => checkDomains(this.#read)),
    ])
    const checks = [
      checkNode(process.versions.node),
      clock.some(({ status }) => status === 'fail') ? undefined : ok('store', `${kind} answers`),
      ...durability,
      ...clock,
      disk,
      checkPublicUrl(options),
      checkAdminListener(options),
      certificate,
      ...orders,
      ...network,
      ...lists,
      ...domains,
    ]
    return { checkedAt, checks: checks.filter((check) => check !== undefined) }
  }
}

/** Runs the network checks that apply to these settings. */
export function checkNetwork(
  options: HealthOptions,
  resolver: Resolver,
  port25Host: string = PORT_25_HOST,
): Promise<Check[]> {
  if (options.mode === 'playground') return Promise.resolve(SKIPPED_IN_PLAYGROUND)
  const { roles, inboundHost, inboundPort } = options
  const inbound =
    roles.includes('inbound') && inboundPort !== undefined
      ? { host: inboundHost, port: inboundPort }
      : undefined
  return networkChecks({ ...options, inbound, port25Host, resolver })
}

/**
 * Runs a check with a time limit. A check that times out or throws becomes a failed check, so that the health page is
 * still shown.
 */
async function within(name: string, work: () => Promise<Check[]>): Promise<Check[]> {
  const { promise: late, resolve } = Promise.withResolvers<Check[]>()
  const remedy = 'Check again in a minute; if it fails again, see the log.'
  const timer = setTimeout(
    () => resolve([fail(name, `did not end within ${MAX_MS / 1_000} s`, remedy)]),
    MAX_MS,
  )
  try {
    return await Promise.race([work(), late])
  } catch (error) {
    return [fail(name, (error as Error).message, remedy)]
  } finally {
    clearTimeout(timer)
  }
}
