// The event feed of an account, and of all accounts: reads account events by position, and newest first.

import type { AccountEvent, AccountEventType } from '../../model/account-event.ts'
import type { Read } from '../database/dialect.ts'
import { findRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { type FeedPage, type FeedRow, feedsEnd } from './feed.ts'
import { positionAt } from './position.ts'

/** An account event with its position in the feed. */
export interface AccountFeedEvent extends AccountEvent {
  readonly position: number
}

/** Reads the contents of account events; events that were removed are left out. */
export async function withAccountContents(read: Read, rows: readonly FeedRow[]): Promise<AccountFeedEvent[]> {
  const found = await findRows(
    read,
    'account_events',
    ['id'],
    rows.map(({ event_id: id }) => ({ id })),
  )
  const byId = new Map(found.map((event) => [event.id, event]))
  const names = await namesOf(
    read,
    found.flatMap(({ domain_id }) => domain_id ?? []),
  )
  return rows.flatMap(({ position, event_id }) => {
    const event = byId.get(event_id)
    return event === undefined ? [] : [{ position: Number(position), ...publishedEvent(event, names) }]
  })
}

/** Returns the names of domains by ID, also of deleted domains. */
async function namesOf(read: Read, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const keys = [...new Set(ids)].map((id) => ({ id }))
  const rows = await findRows(read, 'domains', ['id'], keys, ['id', 'name'])
  return new Map(rows.map(({ id, name }) => [id, name]))
}

function publishedEvent(
  { id, type, at, account_id, domain_id, object_id, email, detail }: Tables['account_events'],
  names: ReadonlyMap<string, string>,
): AccountEvent {
  return {
    ...{ id, type, at: Number(at) },
    ...{ accountId: account_id, domainId: domain_id, domainName: names.get(domain_id ?? '') ?? null },
    objectId: object_id,
    detail: { ...(email === null ? {} : { email }), ...JSON.parse(detail) },
  }
}

/** Conditions on an account event, each of which is optional. */
export interface AccountEventFilter {
  readonly types?: ReadonlySet<AccountEventType> | undefined
  readonly objectId?: string | undefined
  /** IDs of the domains whose events match, in addition to the events of no domain; null for every domain. */
  readonly domains: ReadonlySet<string> | null
  /** Earliest time of an event, inclusive, in milliseconds since the epoch; `before` is the latest time, exclusive. */
  readonly after?: number | undefined
  readonly before?: number | undefined
}

const isOfRow =
  ({ types, objectId }: AccountEventFilter) =>
  ({ type, message_id }: FeedRow): boolean =>
    ((types as ReadonlySet<string> | undefined)?.has(type) ?? true) &&
    (objectId === undefined || message_id === objectId)

const isOfContent =
  ({ domains, after, before }: AccountEventFilter) =>
  ({ at, domainId }: AccountEvent): boolean =>
    (domainId === null || domains?.has(domainId) !== false) &&
    (after === undefined || at >= after) &&
    (before === undefined || at < before)

/** Maximum number of rows that one call reads; a call may therefore find fewer events than its limit. */
const MAX_ROWS = 500

/** Position and limit of a page. */
interface From {
  readonly after: number
  readonly limit: number
}

/**
 * Returns the events of an account after a feed position, oldest first. A page may have fewer events than `limit`
 * before the end if few events match.
 */
export async function followAccountEvents(
  read: Read,
  accountId: string,
  filter: AccountEventFilter,
  { after, limit }: From,
): Promise<FeedPage<AccountFeedEvent>> {
  // The end is read first: a reader that sees a position also sees all lower positions.
  const end = await feedsEnd(read)
  const from = filter.after === undefined ? after : Math.max(after, positionAt(filter.after))
  const rows = await rowsOf(read, accountId)
    .where('position', '>', from)
    .where('position', '<=', end)
    .orderBy('position')
    .execute()
  const { events, last } = await picked(read, rows, filter, limit)
  return { events, position: last === undefined ? from : last }
}

/**
 * Returns the events of an account before a feed position, newest first, and the position at which the next page
 * continues; null at the end.
 */
export async function listAccountEvents(
  read: Read,
  accountId: string,
  filter: AccountEventFilter,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<{ readonly events: readonly AccountFeedEvent[]; readonly next: number | null }> {
  const rows = await rowsOf(read, accountId)
    .where('position', '<', before)
    // The position of an event is never before the event's own time.
    .where('position', '>', filter.after === undefined ? 0 : positionAt(filter.after))
    .orderBy('position', 'desc')
    .execute()
  const { events, last } = await picked(read, rows, filter, limit)
  const isEnd = last === undefined || (rows.length < MAX_ROWS && last === Number(rows.at(-1)?.position))
  return { events, next: isEnd ? null : last }
}

const rowsOf = (read: Read, accountId: string) =>
  read.selectFrom('event_feed').selectAll().where('domain_id', '=', accountId).limit(MAX_ROWS)

/** Returns up to `limit` matching events among rows, and the position of the last row that was examined. */
async function picked(
  read: Read,
  rows: readonly FeedRow[],
  filter: AccountEventFilter,
  limit: number,
): Promise<{ readonly events: readonly AccountFeedEvent[]; readonly last: number | undefined }> {
  const loaded = await withAccountContents(read, rows.filter(isOfRow(filter)))
  const events = loaded.filter(isOfContent(filter)).slice(0, limit)
  const last = events.length === limit ? events.at(-1)?.position : rows.at(-1)?.position
  return { events, last: last === undefined ? undefined : Number(last) }
}
