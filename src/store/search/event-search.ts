// Finds events of one or more domains: by feed position for followers, and newest first for lists.

import { sql } from 'kysely'
import { inAnyCase } from '../../model/address.ts'
import { allTags, hasMetadata } from '../../model/message.ts'
import { addressBegins, beginning } from '../database/beginnings.ts'
import type { Read } from '../database/dialect.ts'
import {
  type EventFilter,
  hasWords,
  isOfContent,
  ofContent,
  ofDetail,
  ofRow,
} from '../events/event-filter.ts'
import {
  eventMessages,
  type FeedEvent,
  type FeedPage,
  type FeedRow,
  feedsEnd,
  type MessageKey,
  type PublishedEvent,
  publishedEvent,
  withContents,
} from '../events/feed.ts'
import { type Range, rangesOf } from '../events/late-events.ts'
import { positionAt } from '../events/position.ts'
import { markOf, metadataWord } from '../readers/message-words.ts'

/**
 * Maximum number of rows that one call reads, for a filter on columns of the feed and for a filter on the content of
 * events.
 */
const MAX_ROWS = 2_000
const MAX_CONTENTS = 500

/** Returns the number of rows that a call may read, which bounds the duration of the call. */
function maxLooked(filter: EventFilter, limit: number): number {
  if (filter.types !== undefined || filter.messageId !== undefined) return MAX_ROWS
  return isOfContent(filter) ? MAX_CONTENTS : limit
}

/** Number of domains that are read concurrently; together with the limit, this number bounds the rows in memory. */
const MAX_DOMAINS_AT_ONCE = 8

/** Returns the first or the last rows of these domains within a range of feed positions. */
async function lookAt(
  read: Read,
  domainIds: readonly string[],
  { after, upTo }: Range,
  direction: 'asc' | 'desc',
  limit: number,
): Promise<FeedRow[]> {
  const sign = direction === 'asc' ? 1 : -1
  const feeds = await feedsAfter(read, domainIds, after)
  let rows: FeedRow[] = []
  let range = { after, upTo }
  for (let start = 0; start < feeds.length; start += MAX_DOMAINS_AT_ONCE) {
    const some = feeds.slice(start, start + MAX_DOMAINS_AT_ONCE).filter(({ end }) => end > range.after)
    const parts = await Promise.all(some.map(({ id }) => rowsOf(read, id, range, direction, limit)))
    rows = [rows, ...parts]
      .flat()
      .sort((a, b) => sign * (Number(a.position) - Number(b.position)))
      .slice(0, limit)
    // Rows of the remaining domains beyond the last row found so far would not be returned, so the range ends at that
    // row.
    const last = Number(rows[limit - 1]?.position ?? Number.NaN)
    if (!Number.isNaN(last)) range = direction === 'asc' ? { after, upTo: last } : { after: last, upTo }
  }
  return rows
}

const rowsOf = (
  read: Read,
  domainId: string,
  { after, upTo }: Range,
  direction: 'asc' | 'desc',
  limit: number,
): Promise<FeedRow[]> =>
  read
    .selectFrom('event_feed')
    .selectAll()
    .where('domain_id', '=', domainId)
    .where('position', '>', after)
    .where('position', '<=', upTo)
    .orderBy('position', direction)
    .limit(limit)
    .execute()

/**
 * Returns the domains whose feeds have rows after a position, each with the last position; the latest position comes
 * first.
 */
async function feedsAfter(
  read: Read,
  domainIds: readonly string[],
  after: number,
): Promise<{ id: string; end: number }[]> {
  if (domainIds.length < 2) return domainIds.map((id) => ({ id, end: Number.MAX_SAFE_INTEGER }))
  const rows = await read
    .selectFrom('event_feed_ends')
    .select(['domain_id', 'position'])
    .where('domain_id', 'in', domainIds)
    .where('position', '>', after)
    .orderBy('position', 'desc')
    .execute()
  return rows.map(({ domain_id, position }) => ({ id: domain_id, end: Number(position) }))
}

/** Returns the matching events among these rows up to a limit, and the last row that was examined. */
async function pick(
  read: Read,
  looked: readonly FeedRow[],
  filter: EventFilter,
  limit: number,
): Promise<{ events: FeedEvent[]; last: FeedRow | undefined }> {
  const rows = looked.filter(ofRow(filter))
  const loaded = rows.slice(0, Math.max(limit + 1, isOfContent(filter) ? MAX_CONTENTS : 0))
  const matching = (await withContents(read, loaded)).filter(ofContent(filter))
  if (matching.length > limit) {
    const events = matching.slice(0, limit)
    const end = events.at(-1)?.position
    return { events, last: looked.find((row) => Number(row.position) === end) }
  }
  return { events: matching, last: loaded.length < rows.length ? loaded.at(-1) : looked.at(-1) }
}

/**
 * Returns events of domains after a feed position, oldest first, as `readFeed` does for one domain. A page may have
 * fewer events than `limit` before the end if few events match.
 */
export async function followEvents(
  read: Read,
  domainIds: readonly string[],
  filter: EventFilter,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<FeedPage> {
  // The end of the feeds is read first, because domains are read one after another: events after this position are left
  // for the next call.
  const upTo = await feedsEnd(read)
  const from = filter.after === undefined ? after : Math.max(after, positionAt(filter.after))
  const looked = await lookAt(read, domainIds, { after: from, upTo }, 'asc', maxLooked(filter, limit))
  const { events, last } = await pick(read, looked, filter, limit)
  return { events, position: last === undefined ? from : Number(last.position) }
}

/** A page of a list of events, and the cursor of the next page; the cursor is null at the end. */
export interface EventPage {
  readonly events: readonly PublishedEvent[]
  readonly next: string | null
}

/** True if `listEvents` accepts this cursor with this filter. */
export const isEventCursor = (filter: EventFilter, cursor: string): boolean =>
  isByMessage(filter) ? isEventId(cursor) : isPosition(cursor) || (isLookedUp(filter) && isEventId(cursor))

/** True if the events of the filter are looked up by their messages, if these are few. */
const isLookedUp = ({ search, metadata }: EventFilter): boolean =>
  search !== undefined || metadata !== undefined

const isEventId = (text: string): boolean => /^evt_[0-9A-HJKMNP-TV-Z]{26}$/.test(text)

/** True if the text is a feed position. */
export const isPosition = (text: string): boolean => /^\d{1,16}$/.test(text)

const isByMessage = ({ messageId, email }: EventFilter): boolean =>
  messageId !== undefined || email !== undefined

/**
 * Returns events of domains, newest first. Events of a message or of a recipient are found through messages; events of
 * a search or with metadata are also found through messages, unless many messages match. All other events are found through
 * the feed, where a page may have fewer events than `limit` before the end.
 */
export async function listEvents(
  read: Read,
  domainIds: readonly string[],
  filter: EventFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
): Promise<EventPage> {
  if (isByMessage(filter)) return listByMessage(read, domainIds, filter, limit, cursor)
  const { search, metadata } = filter
  if (metadata !== undefined && (cursor === undefined || isEventId(cursor))) {
    const keys = await messagesAbout(read, domainIds, metadata.map(metadataWord))
    // A list that began with a lookup of messages continues with the same lookup.
    if (keys !== undefined || cursor !== undefined)
      return listOfMessages(read, newestOf(keys ?? []), filter, limit, cursor)
  }
  if (search !== undefined && (cursor === undefined || isEventId(cursor))) {
    const [to, about] = await Promise.all([
      messagesTo(read, domainIds, search.emailBegins),
      messagesAbout(read, domainIds, search.words),
    ])
    const keys = [...new Map([...to, ...(about ?? [])].map((key) => [key.id, key])).values()]
    // A list that began with a lookup of messages continues with the same lookup.
    if ((keys.length <= MAX_MESSAGES && about !== undefined) || cursor !== undefined) {
      return listOfMessages(read, newestOf(keys), filter, limit, cursor)
    }
  }
  return listByPosition(read, domainIds, filter, limit, cursor)
}

const newestOf = (keys: readonly MessageKey[]): MessageKey[] =>
  keys.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, MAX_MESSAGES)

/** Returns the messages to addresses with this prefix, at most `MAX_MESSAGES` + 1. */
async function messagesTo(
  read: Read,
  domainIds: readonly string[],
  emailBegins: string,
): Promise<MessageKey[]> {
  if (domainIds.length === 0) return []
  const rows = await read
    .selectFrom('recipients')
    .select(['domain_id', 'message_id as id'])
    .distinct()
    .where('domain_id', 'in', domainIds)
    .where(addressBegins(sql`email`, emailBegins))
    .limit(MAX_MESSAGES + 1)
    .execute()
  return rows
}

/**
 * Returns the messages with the rarest of these search words; undefined if every word has too many messages.
 */
async function messagesAbout(
  read: Read,
  domainIds: readonly string[],
  words: readonly string[],
): Promise<MessageKey[] | undefined> {
  if (domainIds.length === 0 || words.length === 0) return []
  const byWord = await Promise.all(words.map((word) => messagesWith(read, domainIds, word)))
  return byWord.filter((keys) => keys !== undefined).sort((one, other) => one.length - other.length)[0]
}

/**
 * Returns the messages with a word that has this prefix; undefined if the messages are too many or not completely
 * stored.
 */
async function messagesWith(
  read: Read,
  domainIds: readonly string[],
  word: string,
): Promise<MessageKey[] | undefined> {
  const words = (begins: string) =>
    read
      .selectFrom('message_words')
      .select(['domain_id', 'message_id as id'])
      .where('domain_id', 'in', domainIds)
      .where(beginning(sql`word`, begins))
  const [rows, mark] = await Promise.all([
    words(word)
      .limit(MAX_MESSAGES + 1)
      .execute(),
    words(markOf(word)).limit(1).executeTakeFirst(),
  ])
  return rows.length > MAX_MESSAGES || mark !== undefined ? undefined : rows
}

/** Time in milliseconds after which a search through the feed reads no more rows. */
const LOOK_MS = 50

async function listByPosition(
  read: Read,
  domainIds: readonly string[],
  filter: EventFilter,
  limit: number,
  cursor: string | undefined,
): Promise<EventPage> {
  const ranges = await rangesOf(read, filter.after, filter.before)
  const most = Math.max(limit + 1, maxLooked(filter, limit + 1))
  const found: FeedEvent[] = []
  const began = performance.now()
  let upTo = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor) - 1
  for (const range of ranges) {
    const { after } = range
    for (upTo = Math.min(upTo, range.upTo); upTo > after; ) {
      if (found.length >= limit || performance.now() - began > LOOK_MS)
        return { events: found, next: String(upTo + 1) }
      const looked = await lookAt(read, domainIds, { after, upTo }, 'desc', most)
      const { events, last } = await pick(read, looked, filter, limit - found.length)
      found.push(...events)
      const isRead = last === undefined || (looked.length < most && last === looked.at(-1))
      upTo = isRead ? after : Number(last.position) - 1
    }
  }
  return { events: found, next: null }
}

/** Maximum number of messages to an address that are searched, newest first. */
const MAX_MESSAGES = 1_000
/** Maximum number of messages in one query. */
const MAX_NAMED = 200

async function listByMessage(
  read: Read,
  domainIds: readonly string[],
  filter: EventFilter,
  limit: number,
  cursor: string | undefined,
): Promise<EventPage> {
  const keys = await Promise.all(domainIds.map((domainId) => messagesOf(read, domainId, filter)))
  return listOfMessages(read, keys.flat(), filter, limit, cursor)
}

async function messagesOf(
  read: Read,
  domain_id: string,
  { messageId, email = '' }: EventFilter,
): Promise<MessageKey[]> {
  if (messageId !== undefined) return [{ domain_id, id: messageId }]
  const rows = await addressedMessages(read, domain_id, email).execute()
  return rows.map(({ message_id }) => ({ domain_id, id: message_id }))
}

/** Returns the query of the newest messages to an address; the query uses the index on addresses in lower case. */
export const addressedMessages = (read: Read, domain_id: string, email: string) =>
  read
    .selectFrom('recipients')
    .select('message_id')
    .distinct()
    .where('domain_id', '=', domain_id)
    .where(sql<boolean>`lower(email) = ${inAnyCase(email)}`)
    .where('email', '=', email)
    .orderBy('message_id', 'desc')
    .limit(MAX_MESSAGES)

/** Returns events of these messages, newest first; with `cursor`, only events with smaller IDs. */
async function listOfMessages(
  read: Read,
  keys: readonly MessageKey[],
  filter: EventFilter,
  limit: number,
  cursor: string | undefined,
): Promise<EventPage> {
  const { stream, tag, metadata, types, email, search, after, before } = filter
  const byId = await eventMessages(read, keys)
  const ids = [...byId.values()]
    .filter(
      (one) =>
        (stream === undefined || one.stream === stream) &&
        (tag === undefined || allTags(one).includes(tag)) &&
        (metadata === undefined || hasMetadata(JSON.parse(one.metadata ?? '{}'), metadata)),
    )
    .map(({ id }) => id)
  const found = []
  for (let start = 0; start < ids.length; start += MAX_NAMED) {
    const named = ids.slice(start, start + MAX_NAMED)
    let query = read.selectFrom('events').selectAll().where('message_id', 'in', named)
    if (cursor !== undefined) query = query.where('id', '<', cursor)
    if (email !== undefined) query = query.where('email', '=', email)
    if (search !== undefined) {
      const about = named.filter((id) => hasWords(byId.get(id)?.subject ?? '', search.words))
      query = query.where(({ or, eb }) =>
        or([
          addressBegins(sql`email`, search.emailBegins),
          ...(about.length > 0 ? [eb('message_id', 'in', about)] : []),
        ]),
      )
    }
    if (types !== undefined) query = query.where('type', 'in', [...types])
    if (after !== undefined) query = query.where('at', '>=', after)
    if (before !== undefined) query = query.where('at', '<', before)
    found.push(
      ...(await query
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()),
    )
  }
  found.sort((a, b) => (a.id < b.id ? 1 : -1))
  const rows = found.slice(0, limit)
  const events = rows
    .flatMap((event) => {
      const message = byId.get(event.message_id)
      return message === undefined ? [] : [publishedEvent(event, message)]
    })
    .filter(ofDetail(filter))
  return { events, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null }
}
