// The event feed of a domain: every event once, in an order that never changes.

import type { FeedEventType } from '../../model/account-event.ts'
import type { EventType } from '../../model/event.ts'
import { allTags, messageIdHeader } from '../../model/message.ts'
import type { Database, Read } from '../database/dialect.ts'
import { findRows, insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { ALL_ACCOUNTS } from './account-events.ts'
import type { LoggedStream } from './event-log.ts'
import { noteLate } from './late-events.ts'
import { POSITIONS_PER_MS } from './position.ts'

/** An event as it is published, with the fields of its message. */
export interface PublishedEvent {
  readonly id: string
  readonly type: EventType
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly accountId: string
  readonly domainId: string
  readonly messageId: string
  /** Message-ID of the mail without angle brackets; null for a received mail without a Message-ID. */
  readonly messageIdHeader: string | null
  /** Address of the sender; null for a received mail. */
  readonly from: string | null
  /** Address of the recipient. */
  readonly email: string
  readonly stream: string
  readonly tag: string | null
  /** All tags, of which `tag` is the first. */
  readonly tags: readonly string[]
  readonly subject: string
  readonly metadata: Readonly<Record<string, string>>
  readonly detail: Readonly<Record<string, unknown>>
}

/** An event with its position in the feed. */
export interface FeedEvent extends PublishedEvent {
  readonly position: number
}

/** A row of the table `event_feed`. */
export type FeedRow = Tables['event_feed']

/**
 * Appends events to the feeds of their domains, as the `feed` reader of the event log. Each new position is higher than
 * all earlier positions of any domain, and not lower than the first position of the event's own time. The reader's
 * position is locked, which serializes the transactions that assign positions; a reader that sees a position therefore
 * also sees all lower positions.
 */
export async function extendFeed(db: Database, streams: readonly LoggedStream[]): Promise<void> {
  let position = await feedsEnd(db)
  const rows: Tables['event_feed'][] = []
  const ends = new Map<string, number>()
  const placed: { at: number; position: number }[] = []
  for (const [account_id, domain_id, , events] of streams) {
    // An event of an account is in the feed of the account and in the feed of all accounts.
    const feeds = domain_id === account_id ? [domain_id, ALL_ACCOUNTS] : [domain_id]
    for (const [type, at, message_id, event_id] of events) {
      for (const feed of feeds) {
        position = Math.max(position + 1, at * POSITIONS_PER_MS)
        rows.push({ domain_id: feed, position, type, message_id, event_id })
        ends.set(feed, position)
        placed.push({ at, position })
      }
    }
  }
  await insertRows(db, 'event_feed', rows)
  await insertRows(
    db,
    'event_feed_ends',
    [...ends].map(([domain_id, end]) => ({ domain_id, position: end })),
    'on conflict (domain_id) do update set position=excluded.position',
  )
  await noteLate(db, placed)
}

/** Query of a feed's events after a position. */
export interface FeedQuery {
  readonly domainId: string
  /**
   * Position of the last event that the follower has read; a new follower starts at `feedEnd`, at `positionAt`, or at 0
   * for all events.
   */
  readonly after: number
  /** Maximum number of events, up to 500. */
  readonly limit: number
  /** Restricts the page to events of these types; the default is all types. */
  readonly types?: ReadonlySet<FeedEventType> | undefined
}

/** One page of events in feed order. */
export interface FeedPage<Event = FeedEvent> {
  readonly events: readonly Event[]
  /**
   * Position at which the next page continues. The feed has no further events at the moment if this position equals the
   * position in the query. A different position means that there may be further events, even if the page is empty,
   * because skipped events also advance the position.
   */
  readonly position: number
}

/** Number of rows in one query for events of certain types, and maximum number of rows that are read for one page. */
const LOOKED_AT_ONCE = 250
const MAX_LOOKED_AT = 2_000

/** Reads the contents of the events in rows of a feed; events that were removed are left out. */
export type ReadContents<Event> = (read: Read, rows: readonly FeedRow[]) => Promise<Event[]>

/**
 * Returns the next events of a domain after a position, oldest first. Events whose message was removed are left out.
 */
export const readFeed = (read: Read, query: FeedQuery): Promise<FeedPage> =>
  readFeedWith(read, query, withContents)

/** Returns the next events of a feed as `readFeed` does, with the contents that a function reads. */
export async function readFeedWith<Event>(
  read: Read,
  query: FeedQuery,
  contents: ReadContents<Event>,
): Promise<FeedPage<Event>> {
  const { domainId, after, limit, types } = query
  if (types === undefined) {
    const rows = await rowsAfter(read, domainId, after, limit)
    return { events: await contents(read, rows), position: rows.at(-1)?.position ?? after }
  }
  const found: FeedRow[] = []
  let position = after
  // A reader that sees a position also sees all lower positions, so no event is missed between two queries.
  for (let looked = 0; looked < MAX_LOOKED_AT && found.length < limit; looked += LOOKED_AT_ONCE) {
    const rows = await rowsAfter(read, domainId, position, LOOKED_AT_ONCE)
    found.push(...rows.filter(({ type }) => types.has(type)))
    position = rows.at(-1)?.position ?? position
    if (rows.length < LOOKED_AT_ONCE) break
  }
  // Events in excess of the limit are returned with the next page.
  const taken = found.slice(0, limit)
  if (taken.length < found.length) position = taken.at(-1)?.position ?? after
  return { events: await contents(read, taken), position }
}

async function rowsAfter(read: Read, domainId: string, position: number, limit: number): Promise<FeedRow[]> {
  const rows = await read
    .selectFrom('event_feed')
    .selectAll()
    .where('domain_id', '=', domainId)
    .where('position', '>', position)
    .orderBy('position')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, position: Number(row.position) }))
}

/** Maximum number of positions in one query. */
const MAX_POSITIONS = 500

/** Returns the events of a feed at the given positions, in order; removed events are left out. */
export async function readFeedAt<Event>(
  read: Read,
  domainId: string,
  positions: readonly number[],
  contents: ReadContents<Event>,
): Promise<Event[]> {
  const events: Event[] = []
  const sorted = positions.toSorted((one, other) => one - other)
  for (let start = 0; start < sorted.length; start += MAX_POSITIONS) {
    const rows = await read
      .selectFrom('event_feed')
      .select(['position', 'type', 'message_id', 'event_id'])
      .where('domain_id', '=', domainId)
      .where('position', 'in', sorted.slice(start, start + MAX_POSITIONS))
      .orderBy('position')
      .execute()
    events.push(
      ...(await contents(
        read,
        rows.map((row) => ({ ...row, domain_id: domainId })),
      )),
    )
  }
  return events
}

/** Reads the contents of events; events that were removed with their messages are left out. */
export async function withContents(read: Read, rows: readonly FeedRow[]): Promise<FeedEvent[]> {
  if (rows.length === 0) return []
  const keys = rows.map(({ message_id, event_id: id }) => ({ message_id, id }))
  const messageKeys = new Map(rows.map(({ domain_id, message_id: id }) => [id, { domain_id, id }]))
  const [events, messageById] = await Promise.all([
    findRows(read, 'events', ['message_id', 'id'], keys),
    eventMessages(read, [...messageKeys.values()]),
  ])
  const byId = new Map(events.map((event) => [event.id, event]))
  return rows.flatMap(({ position, event_id, message_id }) => {
    const event = byId.get(event_id)
    const message = messageById.get(message_id)
    if (event === undefined || message === undefined) return []
    return [{ position: Number(position), ...publishedEvent(event, message) }]
  })
}

const MESSAGE_FIELDS = [
  'id',
  'stream',
  'tag',
  'tags',
  'subject',
  'metadata',
  'from_email',
  'message_id_header',
] as const
const INBOUND_FIELDS = ['id', 'stream', 'subject', 'header_message_id'] as const

/** Fields of a message that are part of the message's events. */
export interface EventMessage
  extends Pick<Tables['messages'], 'id' | 'stream' | 'tag' | 'tags' | 'subject' | 'metadata'> {
  readonly messageIdHeader: string | null
  /** Address of the sender; null for a received mail. */
  readonly from: string | null
}

/** Fields of an event that is about another object of the domain. */
const OF_NO_MESSAGE: Omit<EventMessage, 'id'> = {
  ...{ stream: '', subject: '', tag: null, tags: null, metadata: null, messageIdHeader: null, from: null },
}

/** Key of a message. */
export interface MessageKey {
  readonly domain_id: string
  readonly id: string
}

/** Returns the fields of sent or received messages that are part of their events, by message ID. */
export async function eventMessages(
  read: Read,
  keys: readonly MessageKey[],
): Promise<ReadonlyMap<string, EventMessage>> {
  const sent = keys.filter(({ id }) => id.startsWith('msg_'))
  const received = keys.filter(({ id }) => id.startsWith('inb_'))
  const others = keys.filter(({ id }) => !id.startsWith('msg_') && !id.startsWith('inb_'))
  const [messages, inbound] = await Promise.all([
    findRows(read, 'messages', ['domain_id', 'id'], sent, MESSAGE_FIELDS),
    findRows(read, 'inbound_messages', ['domain_id', 'id'], received, INBOUND_FIELDS),
  ])
  const all: EventMessage[] = [
    ...messages.map((message) => ({
      ...message,
      messageIdHeader: messageIdHeader(message),
      from: message.from_email,
    })),
    ...inbound.map(({ header_message_id, ...one }) => ({
      ...{ ...one, tag: null, tags: null, metadata: null },
      messageIdHeader: header_message_id,
      from: null,
    })),
    ...others.map(({ id }) => ({ id, ...OF_NO_MESSAGE })),
  ]
  return new Map(all.map((message) => [message.id, message]))
}

/** Builds the content of an event from its row and the fields of its message. */
export function publishedEvent(event: Tables['events'], message: EventMessage): PublishedEvent {
  return {
    id: event.id,
    type: event.type,
    at: Number(event.at),
    accountId: event.account_id,
    domainId: event.domain_id,
    messageId: event.message_id,
    messageIdHeader: message.messageIdHeader,
    from: message.from,
    email: event.email,
    stream: message.stream,
    tag: message.tag,
    tags: allTags(message),
    subject: message.subject,
    metadata: message.metadata === null ? {} : JSON.parse(message.metadata),
    detail: JSON.parse(event.detail),
  }
}

/** Returns the position of the newest event of a domain, at which a follower of future events starts. */
export async function feedEnd(read: Read, domainId: string): Promise<number> {
  const row = await read
    .selectFrom('event_feed_ends')
    .select('position')
    .where('domain_id', '=', domainId)
    .executeTakeFirst()
  return Number(row?.position ?? 0)
}

/** Returns the highest position in all feeds. */
export async function feedsEnd(db: Database): Promise<number> {
  const row = await db
    .selectFrom('event_feed_ends')
    .select((eb) => eb.fn.max('position').as('position'))
    .executeTakeFirst()
  return Number(row?.position ?? 0)
}

/**
 * Returns the domains whose feeds have events after the given position, in the order of the last position in each feed.
 */
export async function grownFeeds(
  read: Read,
  after: number,
  limit: number,
): Promise<{ readonly domainId: string; readonly position: number }[]> {
  const rows = await read
    .selectFrom('event_feed_ends')
    .select(['domain_id', 'position'])
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .execute()
  return rows.map(({ domain_id, position }) => ({ domainId: domain_id, position: Number(position) }))
}
