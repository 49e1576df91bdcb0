// Cache of the workspaces of domains, emptied when any of them changes.

import { cacheOf } from '../../lib/caches.ts'
import { reading } from '../database/store.ts'
import type { VersionWatch } from '../node/version-watch.ts'

/** A value to be cached, and its weight in bytes. */
export interface Loaded<Value> {
  readonly value: Value
  readonly weight: number
}

/**
 * Keeps templates, layouts and streams, so that sending with them asks the database for nothing. A change on this node
 * is seen at once (`forget`), one on another within a tenth of a second.
 */
export class WorkspaceCache {
  readonly #entries = cacheOf<Loaded<unknown>>('workspaces')
  /** One more each time that all is forgotten: a value asked for before must not be kept after. */
  #epoch = 0

  /** `watch` may be left out by a process that ends soon. */
  constructor(watch?: VersionWatch) {
    watch?.on('workspace', () => this.forget())
  }

  /** The value in the cache, at once, else what `load` finds. Throws `unavailable` when the store cannot be read. */
  get<Value>(key: string, load: () => Promise<Loaded<Value>>): Value | Promise<Value> {
    const known = this.#entries.get(key) as Loaded<Value> | undefined
    return known === undefined ? this.#load(key, load) : known.value
  }

  /** Empties the cache after a change on this node. */
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
