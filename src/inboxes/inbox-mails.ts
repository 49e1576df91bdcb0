// Reads the mail of test inboxes: lists, searches, waits for a mail, and opens a mail with its links and codes.

import { htmlText } from '../mime/mail-summary.ts'
import { type ReadContent, readContent } from '../mime/read-content.ts'
import { type Read, reading } from '../store/database/store.ts'
import {
  countTestMails,
  findTestMail,
  type InboxOwner,
  listChangedMails,
  listSearchedMails,
  listTestMails,
  type MailFilter,
  type SearchedTestMail,
  sizeOfTestMail,
  type TestMail,
  type TestMailEntry,
} from '../store/inboxes/mails.ts'
import { InboxChanges } from './inbox-changes.ts'
import { codesOf, linksOf } from './mail-links.ts'
import type { MailQuery } from './search.ts'

/** Number of mails that a search reads at once, and time after which a search returns the mails found so far. */
const SEARCHED = 500
const SEARCH_MS = 2_000
/** Maximum time that a request waits for a mail, in milliseconds. */
export const MAX_WAIT_MS = 30_000

/** A mail with its content, its links and its codes. */
export interface OpenedMail {
  readonly mail: TestMail
  readonly content: ReadContent
  readonly links: readonly string[]
  readonly codes: readonly string[]
}

/** Mails that match, newest first, with the numbers of all matches and of the unread ones. */
export interface FoundMails {
  readonly mails: readonly TestMailEntry[]
  readonly count: number
  readonly unread: number
}

/** Reserves bytes of memory before a mail is read. Throws if the memory is used up. */
type Admit = (bytes: number) => Promise<void>

/** Number of copies of a mail in memory: its bytes and its decoded content. */
export const COPIES = 2

/** Condition for the end of a wait. */
interface Wait {
  readonly ms: number
  readonly signals: readonly AbortSignal[]
}

/** Mails that a look for a match reads. */
interface Look extends Pick<MailFilter, 'before' | 'from'> {
  /** Only mails that were added, or got a recipient, after this number of changes of the inbox. */
  readonly changedAfter?: number | undefined
  /** Called with the ID of the last mail that was looked at if the time for a search is over. */
  readonly onCut?: (id: string) => void
}

/** A page of mails, newest first, and the ID before which the next page begins; null without a next page. */
export interface MailPage {
  readonly mails: readonly TestMailEntry[]
  readonly next: string | null
}

/** Reads the inboxes of all accounts. */
export class InboxMails {
  readonly #read: Read
  readonly #changes: InboxChanges

  constructor(read: Read, changes: InboxChanges = new InboxChanges(read)) {
    this.#read = read
    this.#changes = changes
  }

  /** Returns the matches from the position `start` on, newest first; all mails are looked at in bounded time. */
  async search(owner: InboxOwner, query: MailQuery, start: number, limit: number): Promise<FoundMails> {
    if (query.matchesAll) {
      const [mails, { total, unread }] = await reading(
        Promise.all([listTestMails(this.#read, owner, limit, {}, start), countTestMails(this.#read, owner)]),
      )
      return { mails, count: total, unread }
    }
    const mails: TestMailEntry[] = []
    let count = 0
    let unread = 0
    for await (const entry of this.#matches(owner, query, {})) {
      if (count >= start && mails.length < limit) mails.push(entry)
      if (entry.seen === 0) unread++
      count++
    }
    return { mails, count, unread }
  }

  /** Returns the IDs of all matches; all mails are looked at in bounded time. */
  async idsOf(owner: InboxOwner, query: MailQuery): Promise<readonly string[]> {
    const ids: string[] = []
    for await (const { id } of this.#matches(owner, query, {})) ids.push(id)
    return ids
  }

  /**
   * Returns at most `limit` matches with lower IDs than `before`, newest first, and the ID before which the next page
   * begins. A search that takes too long returns fewer matches, with a next page.
   */
  async page(owner: InboxOwner, query: MailQuery, limit: number, before?: string): Promise<MailPage> {
    const mails: TestMailEntry[] = []
    let next: string | null = null
    const found = query.matchesAll
      ? await reading(listTestMails(this.#read, owner, limit + 1, { before }))
      : this.#matches(owner, query, { before, onCut: (at) => (next = at) })
    for await (const entry of found) {
      if (mails.length === limit) return { mails, next: mails.at(-1)?.id ?? null }
      mails.push(entry)
    }
    return { mails, next }
  }

  /**
   * Returns the ID of the newest match; with `from`, of the oldest match with this ID or a higher one. Returns undefined
   * without a match.
   */
  async first(owner: InboxOwner, query: MailQuery, look: Look = {}): Promise<string | undefined> {
    if (query.matchesAll && look.from === undefined) {
      const [newest] = await reading(listTestMails(this.#read, owner, 1))
      return newest?.id
    }
    let id: string | undefined
    for await (const entry of this.#matches(owner, query, look)) {
      id = entry.id
      if (look.from === undefined) break
    }
    return id
  }

  /** Yields the matches, newest first, until all mails were looked at or the time for a search is over. */
  async *#matches(
    owner: InboxOwner,
    query: MailQuery,
    { from, before: start, changedAfter, onCut }: Look,
  ): AsyncGenerator<TestMailEntry> {
    const changed = changedAfter === undefined ? undefined : await this.#changed(owner, changedAfter)
    if (changed !== undefined) {
      for (const { search, ...entry } of changed) {
        if ((from === undefined || entry.id >= from) && query.matches({ ...entry, search })) yield entry
      }
      return
    }
    const began = performance.now()
    for (let before = start; ; ) {
      const bounds = { from, before, contained: query.contained }
      const rows = await reading(listSearchedMails(this.#read, owner, SEARCHED, bounds))
      for (const { search, ...entry } of rows) {
        before = entry.id
        if (query.matches({ ...entry, search })) yield entry
      }
      if (rows.length < SEARCHED || before === undefined) return
      if (performance.now() - began > SEARCH_MS) {
        onCut?.(before)
        return
      }
    }
  }

  /** Returns the mails that changed after this number of changes, newest first; undefined if there are too many. */
  async #changed(owner: InboxOwner, after: number): Promise<SearchedTestMail[] | undefined> {
    const rows = await reading(listChangedMails(this.#read, owner, after, SEARCHED))
    return rows.length < SEARCHED ? rows.sort((one, other) => (one.id < other.id ? 1 : -1)) : undefined
  }

  /**
   * Returns a mail with its content; undefined if the inbox has no such mail.
   *
   * @param admit reserves the memory of the mail before it is read
   */
  async open(
    owner: InboxOwner,
    id: string,
    admit: Admit,
    files?: 'content',
  ): Promise<OpenedMail | undefined> {
    const mail = await this.find(owner, id, admit)
    if (mail === undefined) return undefined
    const content = await readContent(Buffer.from(mail.raw), files)
    const text = content.text ?? htmlText(content.html ?? '')
    return { mail, content, links: linksOf(content), codes: codesOf(`${content.subject}\n${text}`) }
  }

  /** Returns a mail; undefined if the inbox has no such mail. */
  async find(owner: InboxOwner, id: string, admit: Admit): Promise<TestMail | undefined> {
    const size = await reading(sizeOfTestMail(this.#read, owner, id))
    if (size === undefined) return undefined
    await admit(COPIES * size)
    return reading(findTestMail(this.#read, owner, id))
  }

  /**
   * Calls `look` now and after each change of the inbox, until `look` returns a value, the time is over or a signal
   * ends the wait; returns undefined in the latter cases. `look` gets the number of changes of the previous look,
   * which is undefined the first time.
   */
  async waitFor<T>(
    owner: InboxOwner,
    look: (changedAfter: number | undefined) => Promise<T | undefined>,
    { ms, signals }: Wait,
  ): Promise<T | undefined> {
    const signal = AbortSignal.any([...signals, AbortSignal.timeout(ms)])
    let seen: number | undefined
    while (!signal.aborted) {
      const state = await this.#changes.next(owner, ({ changes }) => changes !== seen, signal)
      if (state === undefined) return undefined
      const found = await look(seen)
      if (found !== undefined) return found
      seen = state.changes
    }
    return undefined
  }
}
