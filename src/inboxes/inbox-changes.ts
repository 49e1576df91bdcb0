// Tells requests that wait for mail when their test inbox has changed; all requests that wait for one inbox share the
// reads of its number of changes.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Read, reading } from '../store/database/store.ts'
import { changesOf } from '../store/inboxes/inboxes.ts'
import type { InboxOwner } from '../store/inboxes/mails.ts'

/** Pause between two reads of the number of changes of an inbox, in milliseconds. */
const PAUSE_MS = 50

/** Watch over an inbox for the requests that wait for it. */
interface Watch {
  /** Number of requests that wait. */
  waiting: number
  /** Next number of changes; undefined if the inbox was deleted, or no request waits any more. */
  readonly next: Promise<number | undefined>
}

export class InboxChanges {
  readonly #read: Read
  /** Watches by account and inbox. */
  readonly #watches = new Map<string, Watch>()

  constructor(read: Read) {
    this.#read = read
  }

  /**
   * Returns the number of changes of an inbox as soon as it differs from `seen`; undefined if the inbox does not exist,
   * or once the signal is aborted.
   */
  async next(owner: InboxOwner, seen: number | undefined, signal: AbortSignal): Promise<number | undefined> {
    for (let changes = await reading(changesOf(this.#read, owner)); !signal.aborted; ) {
      if (changes === undefined || changes !== seen) return changes
      changes = await this.#after(owner, changes, signal)
    }
    return undefined
  }

  /** Waits for the next number of changes, or for the signal. */
  async #after(owner: InboxOwner, seen: number, signal: AbortSignal): Promise<number | undefined> {
    const name = `${owner.accountId} ${owner.inboxId}`
    const watch = this.#watches.get(name) ?? this.#start(name, owner, seen)
    watch.waiting++
    const { promise: aborted, resolve } = Promise.withResolvers<undefined>()
    const abort = () => resolve(undefined)
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await Promise.race([watch.next, aborted])
    } finally {
      signal.removeEventListener('abort', abort)
      watch.waiting--
    }
  }

  #start(name: string, owner: InboxOwner, seen: number): Watch {
    const run = async (): Promise<number | undefined> => {
      try {
        for (;;) {
          await sleep(PAUSE_MS)
          if (watch.waiting === 0) return undefined
          const changes = await reading(changesOf(this.#read, owner))
          if (changes !== seen) return changes
        }
      } finally {
        this.#watches.delete(name)
      }
    }
    const watch: Watch = { waiting: 0, next: run() }
    // A failed read is the failure of each request that waits; a request that has left must not end the process.
    watch.next.catch(() => {})
    this.#watches.set(name, watch)
    return watch
  }
}
