// Cache of the templates, layouts and streams of domains, cleared when any of these changes.

import { cacheOf } from '../../lib/caches.ts'
import { reading } from '../database/store.ts'
import type { VersionWatch } from '../node/version-watch.ts'

/** A value to be cached, and its weight in bytes. */
export interface Loaded<Value> {
  readonly value: Value
  readonly weight: number
}

/**
 * Caches templates, layouts and streams, so that sending a message needs no query for them. A change on this node is
 * visible immediately (`forget`), and a change on another node within a tenth of a second.
 */
export class WorkspaceCache {
  readonly #entries = cacheOf<Loaded<unknown>>('workspaces')
  /**
   * Number of times that the cache was cleared. A value that was requested before the cache was cleared must not be
   * cached afterwards.
   */
  #epoch = 0

  /** @param watch watch of the versions of workspaces; omitted by a process that ends soon */
  constructor(watch?: VersionWatch) {
    watch?.on('workspace', () => this.forget())
  }

  /**
   * Returns the cached value immediately, or the promised result of `load`. Throws `unavailable` if the store cannot be
   * read.
   */
  get<Value>(key: string, load: () => Promise<Loaded<Value>>): Value | Promise<Value> {
    const known = this.#entries.get(key) as Loaded<Value> | undefined
    return known === undefined ? this.#load(key, load) : known.value
  }

  /** Clears the cache after a change on this node. */
  forget(): void {
    this.#epoch++
    this.#entries.clear()
  }

  async #load<Value>(key: string, load: () => Promise<Loaded<Value>>): Promise<Value> {
    const epoch = this.#epoch
    const loaded = await reading(load())
    if (epoch === this.#epoch) this.#entries.set(key, loaded, loaded.weight)
    return loaded.value
  }
}
