// Tells requests that wait for mail, and followers, when their test inbox has changed; all that wait for one inbox share
// the reads of its state.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Read, reading } from '../store/database/store.ts'
import { type InboxState, stateOf } from '../store/inboxes/inboxes.ts'
import type { InboxOwner } from '../store/inboxes/mails.ts'

/** Pause between two reads of the state of an inbox, in milliseconds. */
const PAUSE_MS = 50

/** Watch over an inbox for the requests that wait for it. */
interface Watch {
  /** Number of requests that wait. */
  waiting: number
  /** Next state; undefined if the inbox was deleted, or no request waits any more. */
  readonly next: Promise<InboxState | undefined>
}

export class InboxChanges {
  readonly #read: Read
  /** Watches by account and inbox. */
  readonly #watches = new Map<string, Watch>()

  constructor(read: Read) {
    this.#read = read
  }

  /**
   * Returns the state of an inbox as soon as the state is news; undefined if the inbox does not exist, or once the
   * signal is aborted.
   */
  async next(
    owner: InboxOwner,
    isNews: (state: InboxState) => boolean,
    signal: AbortSignal,
  ): Promise<InboxState | undefined> {
    for (let state = await reading(stateOf(this.#read, owner)); !signal.aborted; ) {
      if (state === undefined || isNews(state)) return state
      state = await this.#after(owner, state, signal)
    }
    return undefined
  }

  /** Waits for the next state, or for the signal. */
  async #after(owner: InboxOwner, seen: InboxState, signal: AbortSignal): Promise<InboxState | undefined> {
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

  #start(name: string, owner: InboxOwner, seen: InboxState): Watch {
    const run = async (): Promise<InboxState | undefined> => {
      try {
        for (;;) {
          await sleep(PAUSE_MS)
          if (watch.waiting === 0) return undefined
          const state = await reading(stateOf(this.#read, owner))
          if (state?.changes !== seen.changes || state.revision !== seen.revision) return state
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
