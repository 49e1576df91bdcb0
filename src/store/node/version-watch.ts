// Watch of the versions by which nodes tell each other that access or workspaces have changed.

import type { Part } from '../../lib/lifecycle.ts'
import type { Log } from '../../lib/log.ts'
import type { Read, Store } from '../database/store.ts'
import { readVersions, type Versions } from './installation.ts'

/** Interval at which a node looks for changes made elsewhere: it has noticed them after this time. */
export const VERSION_POLL_MS = 100

/** Looks at both versions with one query, from `start` to `stop`. */
export class VersionWatch implements Part {
  readonly name = 'versions of access and workspaces'
  readonly #read: Read
  readonly #log: Log
  readonly #listeners: Record<keyof Versions, (() => void)[]> = { access: [], workspace: [] }
  #seen: Versions = { access: '', workspace: '' }
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined

  constructor(read: Read, log: Log) {
    this.#read = read
    this.#log = log
  }

  /** Calls `changed` whenever this version has changed, on this node or another. */
  on(version: keyof Versions, changed: () => void): void {
    this.#listeners[version].push(changed)
  }

  async start(): Promise<void> {
    this.#seen = await readVersions(this.#read)
    this.#timer = setInterval(() => void this.#look(), VERSION_POLL_MS)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  /** Looks now: a change that was written before the call has been noticed when this resolves. */
  async look(): Promise<void> {
    // A look that is under way may have come too early.
    await this.#looking
    await this.#look()
  }

  /** A store whose writes that take access away are done when this node has noticed it. */
  noticing(store: Store): Store {
    return {
      ...store,
      write: async (write, item) => {
        const result = await store.write(write, item)
        if (write.takesAccess) await this.look()
        return result
      },
    }
  }

  #look(): Promise<void> {
    this.#looking ??= this.#compare().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #compare(): Promise<void> {
    try {
      const before = this.#seen
      this.#seen = await readVersions(this.#read)
      for (const version of ['access', 'workspace'] as const) {
        if (this.#seen[version] !== before[version]) for (const changed of this.#listeners[version]) changed()
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'cannot look whether access or workspaces have changed')
    }
  }
}
