// Sends the changes of test inboxes to their followers on this node, whichever node made the changes.

import { type Read, reading } from '../store/database/store.ts'
import {
  type InboxState,
  type NumberedRevision,
  type Revision,
  revisionsOf,
  stateOf,
} from '../store/inboxes/inboxes.ts'
import {
  countTestMails,
  type InboxOwner,
  listAddedMails,
  type TestMailEntry,
} from '../store/inboxes/mails.ts'
import type { InboxChanges } from './inbox-changes.ts'

/** A change of an inbox: a mail was added, mails were revised, or the numbers of mails after such changes. */
export type InboxEvent =
  | { readonly kind: 'added'; readonly mail: TestMailEntry }
  | Revision
  | { readonly kind: 'counts'; readonly total: number; readonly unread: number }

/** A client that follows an inbox. */
export interface InboxFollower {
  /** Takes the next events, the first first. */
  take(events: readonly InboxEvent[]): void
  /** Called when the inbox was deleted, or cannot be read. */
  end(): void
}

/** Maximum number of added mails that are read at once. */
const MAX_ADDED = 100

/** Followers of all inboxes on this node. The followers of one inbox share the reads of its changes. */
export class InboxFeed {
  readonly #read: Read
  readonly #changes: InboxChanges
  readonly #followed = new Map<string, FollowedInbox>()

  constructor(read: Read, changes: InboxChanges) {
    this.#read = read
    this.#changes = changes
  }

  /**
   * Sends the later changes of an inbox to a follower; returns a function that ends this, or undefined if the inbox
   * does not exist.
   */
  async follow(owner: InboxOwner, follower: InboxFollower): Promise<(() => void) | undefined> {
    const state = await reading(stateOf(this.#read, owner))
    if (state === undefined) return undefined
    const { inboxId } = owner
    let followed = this.#followed.get(inboxId)
    if (followed === undefined) {
      followed = new FollowedInbox(this.#read, owner, state)
      this.#followed.set(inboxId, followed)
      void followed.run(this.#changes).finally(() => this.#forget(inboxId, followed))
    }
    followed.followers.add(follower)
    return () => {
      followed.followers.delete(follower)
      if (followed.followers.size === 0) this.#forget(inboxId, followed)
    }
  }

  /**
   * Sends the changes of an inbox until now to its followers on this node, so that a client which changes mail and
   * follows the inbox has the events of a change before the answer. A failure is left to the watch of the inbox.
   */
  async catchUp({ inboxId }: InboxOwner): Promise<void> {
    await this.#followed
      .get(inboxId)
      ?.catchUp()
      .catch(() => {})
  }

  #forget(inboxId: string, followed: FollowedInbox | undefined): void {
    followed?.ended.abort()
    if (this.#followed.get(inboxId) === followed) this.#followed.delete(inboxId)
  }
}

/** An inbox with its followers, and the state up to which the followers have its changes. */
class FollowedInbox {
  readonly followers = new Set<InboxFollower>()
  readonly ended = new AbortController()
  readonly #read: Read
  readonly #owner: InboxOwner
  #at: InboxState
  #turn: Promise<void> = Promise.resolve()

  constructor(read: Read, owner: InboxOwner, at: InboxState) {
    this.#read = read
    this.#owner = owner
    this.#at = at
  }

  /** Follows the inbox until it is deleted or has no follower. */
  async run(changes: InboxChanges): Promise<void> {
    const { signal } = this.ended
    const isNews = ({ changes: added, revision }: InboxState): boolean =>
      added !== this.#at.changes || revision !== this.#at.revision
    try {
      while ((await changes.next(this.#owner, isNews, signal)) !== undefined) await this.catchUp()
    } catch {
      // The followers are told that their connections end, and connect again.
    }
    if (!signal.aborted) for (const follower of this.followers) follower.end()
  }

  /** Sends all changes until now, after changes that are being sent. */
  catchUp(): Promise<void> {
    const turn = this.#turn.then(() => this.#sendChanges())
    this.#turn = turn.catch(() => {})
    return turn
  }

  async #sendChanges(): Promise<void> {
    for (let isMore = true; isMore; ) {
      const [events, hasMore] = await this.#next()
      isMore = hasMore
      if (events.length === 0) continue
      const counts = await reading(countTestMails(this.#read, this.#owner))
      const all: readonly InboxEvent[] = [...events, { kind: 'counts', ...counts }]
      for (const follower of this.followers) follower.take(all)
    }
  }

  /** Returns the next changes in their order, and true if there may be more. */
  async #next(): Promise<readonly [InboxEvent[], boolean]> {
    const state = await reading(revisionsOf(this.#read, this.#owner))
    if (state === undefined) return [[], false]
    const { changes: after, revision } = this.#at
    const page = { after, until: state.changes, limit: MAX_ADDED }
    const added = await reading(listAddedMails(this.#read, this.#owner, page))
    const isMore = added.length === MAX_ADDED
    const until = isMore ? Number(added.at(-1)?.added) : state.changes
    // A client that has missed revisions reads the whole inbox again.
    const missed: NumberedRevision[] =
      state.since > revision ? [{ kind: 'many', revision: state.since, changes: after }] : []
    const revisions = [...missed, ...state.kept].filter(
      (one) => one.revision > revision && one.changes <= until,
    )
    this.#at = { changes: until, revision: revisions.at(-1)?.revision ?? revision }
    return [inOrder(added, revisions), isMore]
  }
}

/** Returns added mails and revisions in the order in which they happened. */
function inOrder(
  added: readonly (TestMailEntry & { readonly added: number })[],
  revisions: readonly NumberedRevision[],
): InboxEvent[] {
  const left = [...revisions]
  const events: InboxEvent[] = []
  for (const { added: number, ...mail } of added) {
    while (left[0] !== undefined && left[0].changes < Number(number)) events.push(left.shift() as Revision)
    events.push({ kind: 'added', mail })
  }
  return [...events, ...left]
}
