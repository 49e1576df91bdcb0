// Finding events, of one domain or of several: following them by position, and listing them newest first.

import { sql } from 'kysely'
import { inAnyCase } from '../../model/address.ts'
import type { EventType } from '../../model/event.ts'
import type { Read } from '../database/dialect.ts'
import { addressBegins } from '../messages/message-search.ts'
import {
  type FeedEvent,
  type FeedPage,
  type FeedRow,
  feedsEnd,
  type MessageKey,
  positionAt,
  type ToldEvent,
  toldEvent,
  toldMessages,
  withContents,
} from './feed.ts'

/** Conditions that an event meets, each where it is given. */
export interface EventFilter {
  readonly types?: ReadonlySet<EventType> | undefined
  readonly messageId?: string | undefined
  /** The address of the recipient, as a message names it. */
  readonly email?: string | undefined
  /** Beginning of the address of the recipient, in any case. */
  readonly emailBegins?: string | undefined
  readonly stream?: string | undefined
  readonly tag?: string | undefined
  /** Milliseconds since the epoch: at or after. */
  readonly after?: number | undefined
  /** Milliseconds since the epoch: before. */
  readonly before?: number | undefined
}

/** Rows of the feed that one call looks at, where a filter is about the row, or about what it leads to. */
const MAX_ROWS = 2_000
const MAX_CONTENTS = 500
/** Difference of the clocks of nodes: a position may be so much later than the event's own time. */
const SLACK_MS = 60_000

const ofRow =
  ({ types, messageId }: EventFilter) =>
  (row: FeedRow): boolean =>
    (types?.has(row.type) ?? true) && (messageId === undefined || row.message_id === messageId)

const ofContent =
  ({ email, emailBegins, stream, tag, after, before }: EventFilter) =>
  (event: ToldEvent): boolean =>
    (email === undefined || event.email === email) &&
    (emailBegins === undefined || inAnyCase(event.email).startsWith(inAnyCase(emailBegins))) &&
    (stream === undefined || event.stream === stream) &&
    (tag === undefined || event.tag === tag) &&
    (after === undefined || event.at >= after) &&
    (before === undefined || event.at < before)

const isOfContent = ({ email, emailBegins, stream, tag }: EventFilter): boolean =>
  email !== undefined || emailBegins !== undefined || stream !== undefined || tag !== undefined

/** Rows of a call, so that all are looked at in bounded time. */
function maxLooked(filter: EventFilter, limit: number): number {
  if (isOfContent(filter)) return MAX_CONTENTS
  return filter.types === undefined && filter.messageId === undefined ? limit : MAX_ROWS
}

/** Part of the feeds, between two positions. */
interface Range {
  /** Not part of it. */
  readonly after: number
  /** Part of it. */
  readonly upTo: number
}

/** Domains that are read at once: with the limit, the rows in memory. */
const MAX_DOMAINS_AT_ONCE = 8

/** The first rows of these domains in a part of their feeds, or the last ones. */
async function lookAt(
  read: Read,
  domainIds: readonly string[],
  { after, upTo }: Range,
  direction: 'asc' | 'desc',
  limit: number,
): Promise<FeedRow[]> {
  const sign = direction === 'asc' ? 1 : -1
  const feeds = await feedsBehind(read, domainIds, after)
  let rows: FeedRow[] = []
  let range = { after, upTo }
  for (let start = 0; start < feeds.length; start += MAX_DOMAINS_AT_ONCE) {
    const some = feeds.slice(start, start + MAX_DOMAINS_AT_ONCE).filter(({ end }) => end > range.after)
    const parts = await Promise.all(some.map(({ id }) => rowsOf(read, id, range, direction, limit)))
    rows = [rows, ...parts]
      .flat()
      .sort((a, b) => sign * (Number(a.position) - Number(b.position)))
      .slice(0, limit)
    // Domains that follow can only add rows between those that were found.
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

/** Those of these domains whose feeds have rows behind a position, with the position of the last, the latest first. */
async function feedsBehind(
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

/** Events among rows that were looked at, up to a limit, and the last row that need not be looked at again. */
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

/** Events of domains behind a position, oldest first, as `readFeed` gives those of one; fewer than there are, if few match. */
export async function followEvents(
  read: Read,
  domainIds: readonly string[],
  filter: EventFilter,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<FeedPage> {
  // First, since the domains are read one after the other: whatever is behind it is for the next call.
  const upTo = await feedsEnd(read)
  const from = filter.after === undefined ? after : Math.max(after, positionAt(filter.after))
  const looked = await lookAt(read, domainIds, { after: from, upTo }, 'asc', maxLooked(filter, limit))
  const { events, last } = await pick(read, looked, filter, limit)
  return { events, position: last === undefined ? from : Number(last.position) }
}

/** A page of a list, and the cursor of the next; null at its end. */
export interface EventPage {
  readonly events: readonly ToldEvent[]
  readonly next: string | null
}

/** True for what `listEvents` may be given as a cursor with such a filter. */
export const isEventCursor = (filter: EventFilter, cursor: string): boolean =>
  isByMessage(filter)
    ? isEventId(cursor)
    : isPosition(cursor) || (filter.emailBegins !== undefined && isEventId(cursor))

const isEventId = (text: string): boolean => /^evt_[0-9A-HJKMNP-TV-Z]{26}$/.test(text)

/** True for a position as text. */
export const isPosition = (text: string): boolean => /^\d{1,16}$/.test(text)

const isByMessage = ({ messageId, email }: EventFilter): boolean =>
  messageId !== undefined || email !== undefined

/**
 * Events of domains, newest first. Those of a message or a recipient are found through the message, and so are those of
 * addresses that begin alike unless they are many; all others through the feed, where a page may have fewer than the
 * limit before the end is reached.
 */
export async function listEvents(
  read: Read,
  domainIds: readonly string[],
  filter: EventFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
): Promise<EventPage> {
  if (isByMessage(filter)) return listByMessage(read, domainIds, filter, limit, cursor)
  const { emailBegins } = filter
  if (emailBegins !== undefined && (cursor === undefined || isEventId(cursor))) {
    const keys = await messagesTo(read, domainIds, emailBegins)
    // A list that was begun through the messages is continued so.
    if (keys.length <= MAX_MESSAGES || cursor !== undefined)
      return listOfMessages(read, keys.slice(0, MAX_MESSAGES), filter, limit, cursor)
  }
  return listByPosition(read, domainIds, filter, limit, cursor)
}

/** Messages to addresses that begin alike, the newest first; one more than `MAX_MESSAGES` where there are more. */
async function messagesTo(
  read: Read,
  domainIds: readonly string[],
  emailBegins: string,
): Promise<MessageKey[]> {
  if (domainIds.length === 0) return []
  const rows = await read
    .selectFrom('recipients')
    .select(['domain_id', 'message_id'])
    .distinct()
    .where('domain_id', 'in', domainIds)
    .where(addressBegins(sql`email`, emailBegins))
    .limit(MAX_MESSAGES + 1)
    .execute()
  return rows
    .map(({ domain_id, message_id: id }) => ({ domain_id, id }))
    .sort((a, b) => (a.id < b.id ? 1 : -1))
}

async function listByPosition(
  read: Read,
  domainIds: readonly string[],
  filter: EventFilter,
  limit: number,
  cursor: string | undefined,
): Promise<EventPage> {
  const latest = filter.before === undefined ? Number.MAX_SAFE_INTEGER : positionAt(filter.before + SLACK_MS)
  const upTo = Math.min(cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor) - 1, latest)
  const range = { after: filter.after === undefined ? 0 : positionAt(filter.after), upTo }
  const most = Math.max(limit + 1, maxLooked(filter, limit + 1))
  const looked = await lookAt(read, domainIds, range, 'desc', most)
  const { events, last } = await pick(read, looked, filter, limit)
  const isAll = looked.length < most && last === looked.at(-1)
  return { events, next: isAll || last === undefined ? null : String(last.position) }
}

/** The newest messages to an address that are looked at. */
const MAX_MESSAGES = 1_000
/** Messages that one query names. */
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

async function messagesOf(read: Read, domain_id: string, filter: EventFilter): Promise<MessageKey[]> {
  if (filter.messageId !== undefined) return [{ domain_id, id: filter.messageId }]
  const rows = await read
    .selectFrom('recipients')
    .select('message_id')
    .distinct()
    .where('domain_id', '=', domain_id)
    .where('email', '=', filter.email as string)
    .orderBy('message_id', 'desc')
    .limit(MAX_MESSAGES)
    .execute()
  return rows.map(({ message_id }) => ({ domain_id, id: message_id }))
}

/** Events of these messages, newest first, before the ID `cursor` when it is given. */
async function listOfMessages(
  read: Read,
  keys: readonly MessageKey[],
  filter: EventFilter,
  limit: number,
  cursor: string | undefined,
): Promise<EventPage> {
  const { stream, tag, types, email, emailBegins, after, before } = filter
  const byId = await toldMessages(read, keys)
  const ids = [...byId.values()]
    .filter(
      (one) => (stream === undefined || one.stream === stream) && (tag === undefined || one.tag === tag),
    )
    .map(({ id }) => id)
  const found = []
  for (let start = 0; start < ids.length; start += MAX_NAMED) {
    let query = read
      .selectFrom('events')
      .selectAll()
      .where('message_id', 'in', ids.slice(start, start + MAX_NAMED))
    if (cursor !== undefined) query = query.where('id', '<', cursor)
    if (email !== undefined) query = query.where('email', '=', email)
    if (emailBegins !== undefined) query = query.where(addressBegins(sql`email`, emailBegins))
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
  const events = found.slice(0, limit).flatMap((event) => {
    const message = byId.get(event.message_id)
    return message === undefined ? [] : [toldEvent(event, message)]
  })
  return { events, next: found.length > limit ? (events.at(-1)?.id ?? null) : null }
}
