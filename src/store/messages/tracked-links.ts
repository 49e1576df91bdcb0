// Hits of tracked links: counts all hits by recipient and link, and stores the first hits of each link as events.

import type { EventType } from '../../model/event.ts'
import {
  MAX_EVENTS_PER_LINK,
  type MachineReason,
  type NewHit,
  TOO_SOON_MS,
} from '../../model/tracking-hit.ts'
import { OPEN_LINK } from '../../model/tracking-link.ts'
import { type Database, isPostgres } from '../database/dialect.ts'
import { insertRows, listQuery } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { eventOf, keepEvents, type NewEvent } from './history.ts'
import { redactingStreams } from './redaction.ts'

type TrackedLink = Tables['tracked_links']

/** A recipient whose links were hit, with the data of its message that events and statistics need. */
interface RecipientRow {
  readonly messageId: string
  readonly position: number
  readonly accountId: string
  readonly domainId: string
  readonly email: string
  readonly status: Tables['recipients']['status']
  readonly lastEventAt: number
  /**
   * True if the recipient is in the queue, and no attempt, including interrupted attempts, can have delivered the
   * message.
   */
  readonly undelivered: boolean
  readonly stream: string
  readonly tag: string | null
  readonly inboxId: string | null
}

/** Maximum number of recipients in one query. */
const MAX_NAMED = 200

/**
 * Counts hits and stores them as events. The first open and the first click of a recipient count in statistics;
 * repeated hits and hits by machines do not. Hits for removed messages are ignored.
 */
export async function recordHits(
  db: Database,
  items: readonly { readonly hits: readonly NewHit[] }[],
): Promise<undefined[]> {
  const hits = items.flatMap((item) => item.hits)
  const byRecipient = Map.groupBy(hits, keyOf)
  // Sorted keys make concurrent commits lock the messages in the same order.
  const keys = [...byRecipient.keys()].sort()
  const redacting = new Set(
    (await redactingStreams(db)).map(({ domain_id, alias }) => `${domain_id} ${alias}`),
  )
  for (let start = 0; start < keys.length; start += MAX_NAMED) {
    await record(
      db,
      keys.slice(start, start + MAX_NAMED).map((key) => byRecipient.get(key) as NewHit[]),
      redacting,
    )
  }
  return items.map(() => undefined)
}
recordHits.unaudited = true
recordHits.isJson = true

const keyOf = ({ messageId, position }: { messageId: string; position: number }): string =>
  `${messageId} ${position}`

/** Records hits that are grouped by recipient. */
async function record(
  db: Database,
  byRecipient: readonly (readonly NewHit[])[],
  redacting: ReadonlySet<string>,
): Promise<void> {
  const ids = [...new Set(byRecipient.map(([hit]) => (hit as NewHit).messageId))]
  const recipients = new Map((await recipientsOf(db, ids)).map((row) => [keyOf(row), row]))
  const known = Map.groupBy(await linksOf(db, ids), ({ message_id: messageId, position }) =>
    keyOf({ messageId, position }),
  )
  const events: NewEvent[] = []
  const changed: TrackedLink[] = []
  for (const hits of byRecipient) {
    const recipient = recipients.get(keyOf(hits[0] as NewHit))
    if (recipient === undefined) continue
    const links = new Map(known.get(keyOf(recipient))?.map((row) => [row.link, row]))
    // The URL of a link is part of the message content, which some streams do not store.
    const keepsUrl = !redacting.has(`${recipient.domainId} ${recipient.stream}`)
    changed.push(...countHits(recipient, hits, { links, keepsUrl }, events))
  }
  await insertRows(db, 'tracked_links', changed, ADD)
  await keepEvents(db, events)
}

const ADD = `on conflict (message_id, position, link) do update set ${(['hits', 'machine_hits'] as const)
  .map((name) => `${name}=tracked_links.${name}+excluded.${name}`)
  .join()},last_at=excluded.last_at`

/**
 * Returns the recipients of messages. Locks the messages in PostgreSQL, so that concurrent commits record only one
 * first hit.
 */
async function recipientsOf(db: Database, ids: readonly string[]): Promise<RecipientRow[]> {
  // The queue is read before the recipients: if a recipient is delivered between the two queries, the second query
  // already returns the status `delivered`.
  const waiting = await db.executeQuery<Tables['queue']>(
    listQuery(db, 'select message_id,position,possible_duplicate,faults from queue where message_id', ids),
  )
  const undelivered = new Set(
    waiting.rows.flatMap(({ message_id: messageId, position, possible_duplicate: possibly, faults }) =>
      // A process that ended during an attempt may already have delivered the message.
      Number(possibly) === 1 || Number(faults) > 0 ? [] : [keyOf({ messageId, position })],
    ),
  )
  const { rows } = await db.executeQuery<Tables['recipients']>(
    listQuery(
      db,
      'select message_id,position,account_id,domain_id,email,status,last_event_at from recipients where message_id',
      ids,
    ),
  )
  if (rows.length === 0) return []
  const messages = await db
    .selectFrom('messages')
    .select(['id', 'stream', 'tag', 'inbox_id'])
    .where('domain_id', 'in', [...new Set(rows.map((row) => row.domain_id))])
    .where('id', 'in', ids)
    .orderBy('id')
    .$if(isPostgres(db), (query) => query.forUpdate())
    .execute()
  const byId = new Map(messages.map((message) => [message.id, message]))
  const found: RecipientRow[] = []
  for (const row of rows) {
    const message = byId.get(row.message_id)
    if (message === undefined) continue
    found.push({
      messageId: row.message_id,
      position: row.position,
      accountId: row.account_id,
      domainId: row.domain_id,
      email: row.email,
      status: row.status,
      lastEventAt: row.last_event_at,
      undelivered: undelivered.has(keyOf({ messageId: message.id, position: row.position })),
      stream: message.stream,
      tag: message.tag,
      inboxId: message.inbox_id,
    })
  }
  return found
}

async function linksOf(db: Database, ids: readonly string[]): Promise<TrackedLink[]> {
  const { rows } = await db.executeQuery<TrackedLink>(
    listQuery(db, 'select * from tracked_links where message_id', ids),
  )
  return rows
}

/** Adds the events of a recipient's hits to `events`; returns the increments for the recipient's links. */
function countHits(
  recipient: RecipientRow,
  hits: readonly NewHit[],
  { links, keepsUrl }: { links: ReadonlyMap<number, TrackedLink>; keepsUrl: boolean },
  events: NewEvent[],
): TrackedLink[] {
  const added = new Map<number, TrackedLink>()
  const seen = { opened: false, clicked: false }
  for (const { link, hits: people } of links.values()) if (people > 0) seen[typeOf(link)] = true
  for (const hit of hits.toSorted((one, other) => one.at - other.at)) {
    const type = typeOf(hit.link)
    const machine = machineOf(hit, recipient)
    const before = links.get(hit.link)
    const row = added.get(hit.link) ?? newLink(recipient, hit)
    const column = machine === undefined ? 'hits' : 'machine_hits'
    const earlier = (before?.[column] ?? 0) + row[column]
    const first = machine === undefined && !seen[type]
    if (first) seen[type] = true
    if (earlier < MAX_EVENTS_PER_LINK[machine === undefined ? 'people' : 'machines']) {
      const detail = {
        ...(type === 'clicked' && keepsUrl ? { url: hit.url } : {}),
        user_agent: hit.userAgent,
        kind: machine !== undefined ? 'machine' : first ? 'first' : 'repeated',
        ...(machine === undefined ? {} : { machine_reason: machine }),
      }
      events.push({ ...eventOf(recipient, type, hit.at, detail), uncounted: !first })
    }
    added.set(hit.link, { ...row, [column]: row[column] + 1 + hit.more, last_at: hit.at })
  }
  return [...added.values()]
}

const typeOf = (link: number): 'opened' | ('clicked' & EventType) =>
  link === OPEN_LINK ? 'opened' : 'clicked'

const newLink = (
  { messageId, position, accountId, domainId }: RecipientRow,
  { link, at }: NewHit,
): TrackedLink => ({
  message_id: messageId,
  position,
  link,
  account_id: accountId,
  domain_id: domainId,
  hits: 0,
  machine_hits: 0,
  first_at: at,
  last_at: at,
})

/**
 * Returns the reason why a hit is classified as made by a machine: properties of the request, or a hit so soon after
 * delivery that no person can have made the hit. Returns undefined for a hit by a person.
 */
function machineOf(
  hit: NewHit,
  { status, lastEventAt, undelivered }: RecipientRow,
): MachineReason | undefined {
  if (hit.machine !== undefined) return hit.machine
  if (status === 'delivered') return hit.at < lastEventAt + TOO_SOON_MS ? 'too_soon' : undefined
  // A mail filter follows links before its host replies to the message. A message that bounced later, or whose outcome
  // is unknown, may have been delivered before the hit.
  const isBefore = status === 'queued' || status === 'scheduled' || (status === 'deferred' && undelivered)
  return isBefore ? 'too_soon' : undefined
}
