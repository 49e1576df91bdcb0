// Looks up credentials by their secret and remembers them until anything about access changes.

import { cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { type Credential, findCredential, recordKeyUse } from '../store/access/keys.ts'
import { reading, type Store } from '../store/database/store.ts'
import { accessVersion } from '../store/node/installation.ts'
import { hashSecret } from './secrets.ts'

export type { Credential }

/**
 * Interval at which a node looks for changes of access made elsewhere: a revocation there reaches it within this time.
 */
export const ACCESS_POLL_MS = 100
const USE_WRITE_MS = 10_000

/**
 * Finds credentials. A known one costs no round trip to the database: all are forgotten together as soon as any
 * account, domain or key changes, on this node or another.
 */
export class Credentials implements Part {
  readonly name = 'credentials'
  readonly #store: Store
  readonly #clock: Clock
  readonly #log: Log
  readonly #byHash = cacheOf<Credential>('credentials')
  #version = ''
  #used = new Map<string, { id: string; account_id: string; last_used_at: number }>()
  #timer: NodeJS.Timeout | undefined
  #lastWrite = 0
  #checking: Promise<void> | undefined

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store
    this.#clock = clock
    this.#log = log
  }

  async start(): Promise<void> {
    this.#version = await accessVersion(this.#store.read)
    this.#timer = setInterval(() => void this.refresh(), ACCESS_POLL_MS)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#checking
    await this.#writeUse()
  }

  /**
   * The credential whose secret this is, if it is neither revoked nor expired. Answers at once when it is
   * remembered. Throws `unavailable` when the store cannot be read.
   */
  find(secret: string): Credential | undefined | Promise<Credential | undefined> {
    const hash = hashSecret(secret)
    const known = this.#byHash.get(hash)
    return known === undefined ? this.#load(hash) : this.#ifValid(known)
  }

  /** Looks whether access has changed, and forgets what was known if so. */
  refresh(): Promise<void> {
    this.#checking ??= this.#refresh().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  /** A store whose writes that take access away are done when this node has noticed it. */
  noticing(store: Store): Store {
    return {
      ...store,
      write: async (write, item) => {
        const result = await store.write(write, item)
        if (write.takesAccess) {
          // A look that is under way may have come too early.
          await this.#checking
          await this.refresh()
        }
        return result
      },
    }
  }

  async #refresh(): Promise<void> {
    try {
      const version = await accessVersion(this.#store.read)
      if (version !== this.#version) {
        this.#version = version
        this.#byHash.clear()
      }
      if (this.#clock.now() - this.#lastWrite >= USE_WRITE_MS) await this.#writeUse()
    } catch (error) {
      this.#log.warn({ err: error }, 'cannot look whether access has changed')
    }
  }

  async #load(hash: string): Promise<Credential | undefined> {
    const version = this.#version
    const found = await reading(findCredential(this.#store.read, hash))
    if (found === undefined) return undefined
    // A row read before a change must not be remembered after it.
    if (version === this.#version) this.#byHash.set(hash, found)
    return this.#ifValid(found)
  }

  #ifValid(credential: Credential): Credential | undefined {
    const now = this.#clock.now()
    if (credential.revoked_at !== null || credential.domain_deleted_at !== null) return undefined
    if (credential.expires_at !== null && credential.expires_at <= now) return undefined
    const { id, account_id } = credential
    const used = this.#used.get(id)
    if (used === undefined) this.#used.set(id, { id, account_id, last_used_at: now })
    else used.last_used_at = now
    return credential
  }

  async #writeUse(): Promise<void> {
    this.#lastWrite = this.#clock.now()
    const used = this.#used
    if (used.size === 0) return
    this.#used = new Map()
    await Promise.all([...used.values()].map((one) => this.#store.write(recordKeyUse, one)))
  }
}
