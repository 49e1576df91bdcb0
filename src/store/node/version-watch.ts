// Watches the versions in the store by which nodes detect changes of access data or workspaces.

import { systemClock } from '../../lib/clock.ts'
import type { Part } from '../../lib/lifecycle.ts'
import type { Log } from '../../lib/log.ts'
import { Periodic } from '../../lib/periodic.ts'
import type { Store } from '../database/store.ts'
import { readVersions, type Versions } from './installation.ts'

/** Interval of the checks for changes on other nodes; a change is detected after at most this time. */
export const VERSION_POLL_MS = 100
/** Maximum pause between checks while the database is unreachable. */
const MAX_RETRY_MS = 1_000

/** Checks both versions repeatedly, with one query, from `start` to `stop`. */
export class VersionWatch implements Part {
  readonly name = 'versions of access and workspaces'
  readonly #store: Pick<Store, 'urgentRead' | 'dataVersion'>
  readonly #listeners: Record<keyof Versions, (() => void)[]> = { access: [], workspace: [] }
  #seen: Versions = { access: '', workspace: '' }
  readonly #checking: Periodic

  constructor(store: Pick<Store, 'urgentRead' | 'dataVersion'>, log: Log) {
    this.#store = store
    this.#checking = new Periodic({
      ...{ name: this.name, clock: systemClock, log },
      ...{ everyMs: VERSION_POLL_MS, maxRetryMs: MAX_RETRY_MS },
      failure: 'cannot check whether access or workspaces have changed',
      version: () => store.dataVersion(),
      step: () => this.#check(),
    })
  }

  /** Registers a listener: calls `changed` whenever this version has changed on any node. */
  on(version: keyof Versions, changed: () => void): void {
    this.#listeners[version].push(changed)
  }

  async start(): Promise<void> {
    this.#seen = await readVersions(this.#store.urgentRead)
    this.#checking.start()
  }

  stop(): Promise<void> {
    return this.#checking.stop()
  }

  /** Checks the versions now; resolves after all changes that were written before the call have been reported. */
  check(): Promise<void> {
    return this.#checking.runAnew()
  }

  async #check(): Promise<void> {
    const before = this.#seen
    this.#seen = await readVersions(this.#store.urgentRead)
    for (const version of ['access', 'workspace'] as const) {
      if (this.#seen[version] !== before[version]) for (const changed of this.#listeners[version]) changed()
    }
  }
}
