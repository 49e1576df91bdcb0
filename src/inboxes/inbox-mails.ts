// Reads the mail of test inboxes: lists, searches, waits for a mail, and opens a mail with its links and codes.

import { setTimeout as sleep } from 'node:timers/promises'
import { htmlText } from '../mime/mail-summary.ts'
import { type ReadContent, readContent } from '../mime/read-content.ts'
import { type Read, reading } from '../store/database/store.ts'
import { changesOf } from '../store/inboxes/inboxes.ts'
import {
  findTestMail,
  type InboxOwner,
  listSearchedMails,
  listTestMails,
  type MailFilter,
  sizeOfTestMail,
  type TestMail,
  type TestMailEntry,
} from '../store/inboxes/mails.ts'
import { codesOf, linksOf } from './mail-links.ts'
import type { MailQuery } from './search.ts'

/** Number of mails that a search reads at once, and time after which a search returns the mails found so far. */
const SEARCHED = 500
const SEARCH_MS = 2_000
/** Pauses between two looks at the changes of an inbox, in milliseconds: the first one, which then doubles. */
const LOOK_MS = { first: 25, longest: 200 } as const
/** Maximum time that a request waits for a mail, in milliseconds. */
export const MAX_WAIT_MS = 30_000

/** A mail with its content, its links and its codes. */
export interface OpenedMail {
  readonly mail: TestMail
  readonly content: ReadContent
  readonly links: readonly string[]
  readonly codes: readonly string[]
}

/** Mails that match, newest first, with the IDs of all matches and the number of unread ones. */
export interface FoundMails {
  readonly mails: readonly TestMailEntry[]
  readonly ids: readonly string[]
  readonly unread: number
}

/** Reserves bytes of memory before a mail is read. Throws if the memory is used up. */
type Admit = (bytes: number) => Promise<void>

/** Number of copies of a mail in memory: its bytes and its decoded content. */
const COPIES = 2

/** Condition for the end of a wait. */
interface Wait {
  readonly ms: number
  readonly signals: readonly AbortSignal[]
}

/** Reads the inboxes of all accounts. */
export class InboxMails {
  readonly #read: Read
  constructor(read: Read) {
    this.#read = read
  }

  /** Returns mails from the position `start` on, newest first. */
  async list(owner: InboxOwner, start: number, limit: number, before?: string): Promise<TestMailEntry[]> {
    return reading(listTestMails(this.#read, owner, limit, { before }, start))
  }

  /** Returns the matches from the position `start` on, newest first; all mails are looked at in bounded time. */
  async search(owner: InboxOwner, query: MailQuery, start: number, limit: number): Promise<FoundMails> {
    const mails: TestMailEntry[] = []
    const ids: string[] = []
    let unread = 0
    for await (const entry of this.#matches(owner, query, {})) {
      if (ids.length >= start && mails.length < limit) mails.push(entry)
      if (entry.seen === 0) unread++
      ids.push(entry.id)
    }
    return { mails, ids, unread }
  }

  /** Returns at most `limit` matches with lower IDs than `before`, newest first; looks at mails in bounded time. */
  async page(owner: InboxOwner, query: MailQuery, limit: number, before?: string): Promise<TestMailEntry[]> {
    const mails: TestMailEntry[] = []
    for await (const entry of this.#matches(owner, query, { before })) {
      mails.push(entry)
      if (mails.length === limit) break
    }
    return mails
  }

  /**
   * Returns the ID of the newest match; with `from`, of the oldest match with this ID or a higher one. Returns undefined
   * without a match.
   */
  async first(owner: InboxOwner, query: MailQuery, from?: string): Promise<string | undefined> {
    let id: string | undefined
    for await (const entry of this.#matches(owner, query, { from })) {
      id = entry.id
      if (from === undefined) break
    }
    return id
  }

  /** Yields the matches, newest first, until all mails were looked at or the time for a search is over. */
  async *#matches(
    owner: InboxOwner,
    query: MailQuery,
    filter: Pick<MailFilter, 'before' | 'from'>,
  ): AsyncGenerator<TestMailEntry> {
    const began = performance.now()
    const { contained } = query
    for (let { before } = filter; ; ) {
      const bounds = { ...filter, before, contained }
      const rows = await reading(listSearchedMails(this.#read, owner, SEARCHED, bounds))
      for (const { search, ...entry } of rows) {
        before = entry.id
        if (query.matches({ ...entry, search })) yield entry
      }
      if (rows.length < SEARCHED || performance.now() - began > SEARCH_MS) return
    }
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
   * ends the wait; returns undefined in the latter cases. A look at the changes reads one row by its key.
   */
  async waitFor<T>(
    owner: InboxOwner,
    look: () => Promise<T | undefined>,
    { ms, signals }: Wait,
  ): Promise<T | undefined> {
    const signal = AbortSignal.any([...signals, AbortSignal.timeout(ms)])
    let seen: number | undefined
    for (let pause: number = LOOK_MS.first; !signal.aborted; pause = Math.min(2 * pause, LOOK_MS.longest)) {
      const changes = await reading(changesOf(this.#read, owner))
      if (changes === undefined) return undefined
      if (changes !== seen) {
        seen = changes
        const found = await look()
        if (found !== undefined) return found
      }
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
    return undefined
  }
}
