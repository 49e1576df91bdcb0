// Looks up credentials by their secret, and caches the credentials until any account, domain or key changes.

import { cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { type Credential, findCredential, recordKeyUse } from '../store/access/keys.ts'
import { reading, type Store } from '../store/database/store.ts'
import type { VersionWatch } from '../store/node/version-watch.ts'
import { hashSecret } from './secrets.ts'

export type { Credential }

/** Interval of the writes that record when credentials were last used. */
const USE_WRITE_MS = 10_000

/**
 * Finds credentials by their secret. A cached credential costs no round trip to the database. The whole cache is
 * dropped when an account, a domain or a key changes on any node.
 */
export class Credentials implements Part {
  readonly name = 'credentials'
  readonly #store: Store
  readonly #clock: Clock
  readonly #log: Log
  readonly #byHash = cacheOf<Credential>('credentials')
  /** Number of times the cache was dropped, so that a row read before a change is not cached after the change. */
  #epoch = 0
  #used = new Map<string, { id: string; account_id: string; last_used_at: number }>()
  #lastWrite = 0
  #writing: Promise<void> | undefined
  #cancelTimer: (() => void) | undefined

  constructor(store: Store, clock: Clock, log: Log, watch: VersionWatch) {
    this.#store = store
    this.#clock = clock
    this.#log = log
    watch.on('access', () => {
      this.#epoch++
      this.#byHash.clear()
    })
  }

  async stop(): Promise<void> {
    this.#cancelTimer?.()
    await this.#writing
    await this.#writeUse()
  }

  /**
   * Returns the credential with this secret, synchronously if the credential is cached; undefined if the credential is
   * unknown, revoked or expired. Throws `unavailable` when the store cannot be read.
   */
  find(secret: string): Credential | undefined | Promise<Credential | undefined> {
    const hash = hashSecret(secret)
    const known = this.#byHash.get(hash)
    return known === undefined ? this.#load(hash) : this.#ifValid(known)
  }

  async #load(hash: string): Promise<Credential | undefined> {
    const epoch = this.#epoch
    const found = await reading(findCredential(this.#store.urgentRead, hash))
    if (found === undefined) return undefined
    if (epoch === this.#epoch) this.#byHash.set(hash, found)
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
    this.#writeUseLater()
    return credential
  }

  /** Writes the last uses of credentials now, or once enough time has passed since the last write. */
  #writeUseLater(): void {
    if (this.#writing !== undefined || this.#cancelTimer !== undefined) return
    const wait = this.#lastWrite + USE_WRITE_MS - this.#clock.now()
    const write = (): void => {
      this.#cancelTimer = undefined
      this.#writing = this.#writeUse().finally(() => {
        this.#writing = undefined
        if (this.#used.size > 0) this.#writeUseLater()
      })
    }
    if (wait <= 0) write()
    else this.#cancelTimer = this.#clock.after(wait, write)
  }

  /** Writes the times at which credentials were last used. A failed write is logged and not repeated. */
  async #writeUse(): Promise<void> {
    this.#lastWrite = this.#clock.now()
    const used = this.#used
    if (used.size === 0) return
    this.#used = new Map()
    await Promise.all([...used.values()].map((one) => this.#store.write(recordKeyUse, one))).catch(
      (error: unknown) => this.#log.warn({ err: error }, 'cannot record when credentials were last used'),
    )
  }
}
