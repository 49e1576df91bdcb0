// Cache of the workspaces of domains, dropped when any of it changes.

import { cacheOf } from '../../lib/caches.ts'
import type { Part } from '../../lib/lifecycle.ts'
import type { Log } from '../../lib/log.ts'
import { type Read, reading } from '../database/store.ts'
import { workspaceVersion } from '../node/installation.ts'

/** Interval at which a node looks for changes made elsewhere. */
const POLL_MS = 100

/** A value to be remembered, and what it weighs in octets. */
export interface Loaded<Value> {
  readonly value: Value
  readonly weight: number
}

/**
 * Remembers templates, layouts and streams, so that sending with them asks the database for nothing. A change on this
 * node is seen at once (`forget`), one on another within a tenth of a second.
 */
export class Remembered implements Part {
  readonly name = 'remembered workspaces'
  readonly #read: Read
  readonly #log: Log
  readonly #entries = cacheOf<Loaded<unknown>>('workspaces')
  #version = ''
  /** One more each time that all is forgotten: what was asked for before must not be remembered after. */
  #epoch = 0
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined

  constructor(read: Read, log: Log) {
    this.#read = read
    this.#log = log
  }

  async start(): Promise<void> {
    this.#version = await workspaceVersion(this.#read)
    this.#timer = setInterval(() => void this.#look(), POLL_MS)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  /** The remembered value, at once, else what `load` finds. Throws `unavailable` when the store cannot be read. */
  get<Value>(key: string, load: () => Promise<Loaded<Value>>): Value | Promise<Value> {
    const known = this.#entries.get(key) as Loaded<Value> | undefined
    return known === undefined ? this.#load(key, load) : known.value
  }

  /** Something was changed here: nothing that was known before is answered any more. */
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

  #look(): Promise<void> {
    this.#looking ??= this.#lookAtVersion().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #lookAtVersion(): Promise<void> {
    try {
      const version = await workspaceVersion(this.#read)
      if (version === this.#version) return
      this.#version = version
      this.forget()
    } catch (error) {
      this.#log.warn({ err: error }, 'cannot look whether workspaces have changed')
    }
  }
}
