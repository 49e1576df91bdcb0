// The queue: recipients waiting for their next attempt, claimed under a lease.

import { sql } from 'kysely'
import type { ContentFormat } from '../model/message.ts'
import { type Database, insertRows, isPostgres, LOCK_CLAIMED, type Read, updateRows } from './dialect.ts'
import { eventOf } from './history.ts'
import type { Tables } from './schema.ts'

export type PauseKind = Tables['queue_pauses']['kind']

/** A recipient that this worker now holds, until its lease ends. */
export interface Claimed {
  readonly messageId: string
  readonly position: number
  readonly accountId: string
  readonly domainId: string
  readonly domainName: string
  readonly email: string
  readonly destination: string
  /** Which attempt this is, from 1. */
  readonly attempt: number
  /** Changes when the lease ran out and the same worker took the recipient again. */
  lease: string
  readonly createdAt: number
  readonly size: number
  readonly recipientCount: number
  readonly stream: string
  /** 1: only by TLS to a host whose certificate was verified. */
  readonly requireTls: number
  /** The relay of the sending domain, if it has one of its own; holds a secret. */
  readonly relayUrl: string | null
}

/** What a claim yields: recipients, and once for each message what they are to receive. */
export interface Claim {
  readonly recipients: readonly Claimed[]
  readonly contents: ReadonlyMap<string, { readonly format: ContentFormat; readonly content: Uint8Array }>
}

export interface ClaimRequest {
  readonly now: number
  readonly lease: string
  readonly leaseUntil: number
  /** At most this many recipients. */
  readonly limit: number
  /** At most this many octets of messages, but at least one message. */
  readonly bytes: number
  /** At most this many recipients of one destination. */
  readonly perDestination: number
  /** Destinations that have enough under way. */
  readonly fullDestinations: readonly string[]
}

/** Takes the recipients that are due, oldest first. The lease is their next due time, so that a crash frees them. */
export async function claimRecipients(db: Database, items: readonly ClaimRequest[]): Promise<Claim[]> {
  const claims: Claim[] = []
  for (const item of items) claims.push(await claim(db, item))
  return claims
}

async function claim(db: Database, request: ClaimRequest): Promise<Claim> {
  const due = withinBytes(spread(await selectDue(db, request), request.perDestination), request.bytes)
  if (due.length === 0) return { recipients: [], contents: new Map() }
  const { now, lease, leaseUntil } = request
  await updateRows(
    db,
    'recipients',
    ['message_id', 'position'],
    due.map((row) => ({
      message_id: row.messageId,
      position: row.position,
      status: 'sending' as const,
      next_attempt_at: leaseUntil,
      lease,
      attempts: row.attempt,
      last_event_at: now,
    })),
  )
  const messages = new Map(due.map((row) => [row.messageId, row.domainId]))
  await updateRows(
    db,
    'messages',
    ['domain_id', 'id'],
    [...messages].map(([id, domain_id]) => ({ domain_id, id, status: 'sending' as const, updated_at: now })),
  )
  await insertRows(
    db,
    'events',
    due.map((row) => eventOf(row, 'sending', now, { attempt: row.attempt })),
  )
  const contents = await db
    .selectFrom('message_contents')
    .select(['message_id', 'format', 'content'])
    .where('message_id', 'in', [...messages.keys()])
    .execute()
  return {
    recipients: due.map((row) => ({ ...row, lease })),
    contents: new Map(contents.map(({ message_id, format, content }) => [message_id, { format, content }])),
  }
}

type Due = Omit<Claimed, 'lease'>

async function selectDue(db: Database, request: ClaimRequest): Promise<Due[]> {
  const pauses = await db.selectFrom('queue_pauses').select(['kind', 'value']).execute()
  const paused = (kind: PauseKind): string[] =>
    pauses.filter((one) => one.kind === kind).map((one) => one.value)
  let query = db
    .selectFrom('recipients')
    .innerJoin('messages', (join) =>
      join
        .onRef('messages.domain_id', '=', 'recipients.domain_id')
        .onRef('messages.id', '=', 'recipients.message_id'),
    )
    .innerJoin('domains', 'domains.id', 'recipients.domain_id')
    .leftJoin('domain_relays', 'domain_relays.domain_id', 'recipients.domain_id')
    .select([
      'recipients.message_id as messageId',
      'recipients.position',
      'recipients.account_id as accountId',
      'recipients.domain_id as domainId',
      'domains.name as domainName',
      'recipients.email',
      'recipients.destination',
      sql<number>`recipients.attempts + 1`.as('attempt'),
      'messages.created_at as createdAt',
      'messages.size',
      'messages.recipient_count as recipientCount',
      'messages.stream',
      'messages.require_tls as requireTls',
      'domain_relays.url as relayUrl',
    ])
    .where('recipients.next_attempt_at', '<=', request.now)
    .orderBy('recipients.next_attempt_at')
    .limit(request.limit)
    .modifyEnd(LOCK_CLAIMED[isPostgres(db) ? 'postgres' : 'sqlite'])
  const destinations = [...paused('destination'), ...request.fullDestinations]
  const streams = paused('stream')
  const domains = paused('domain')
  if (destinations.length > 0) query = query.where('recipients.destination', 'not in', destinations)
  if (streams.length > 0) query = query.where('messages.stream', 'not in', streams)
  if (domains.length > 0) query = query.where('domains.name', 'not in', domains)
  return query.execute()
}

/** The rows, at most `most` of each destination. */
function spread(rows: readonly Due[], most: number): readonly Due[] {
  const counts = new Map<string, number>()
  return rows.filter(({ destination }) => {
    const count = (counts.get(destination) ?? 0) + 1
    counts.set(destination, count)
    return count <= most
  })
}

/** The rows whose messages fit together into `bytes`; the first always does. */
function withinBytes(rows: readonly Due[], bytes: number): readonly Due[] {
  const counted = new Set<string>()
  let sum = 0
  const end = rows.findIndex((row, index) => {
    if (!counted.has(row.messageId)) sum += row.size
    counted.add(row.messageId)
    return index > 0 && sum > bytes
  })
  return end === -1 ? rows : rows.slice(0, end)
}

/** Which rows a worker still holds. */
interface Held {
  readonly messageId: string
  readonly position: number
  readonly lease: string
}

/** Moves the end of leases: later while attempts run; to now, to hand recipients back untried. */
export async function moveLeases(
  db: Database,
  items: readonly { readonly held: readonly Held[]; readonly until: number }[],
): Promise<true[]> {
  for (const { held, until } of items) {
    const rows = held.map(({ messageId, position, lease }) => ({
      message_id: messageId,
      position,
      lease,
      next_attempt_at: until,
    }))
    await updateRows(db, 'recipients', ['message_id', 'position'], rows, { match: ['lease'] })
  }
  return items.map(() => true)
}

/** Frees every lease: for a store of one node at its start, when whoever held them is gone. */
export async function releaseAllLeases(
  db: Database,
  items: readonly { readonly now: number }[],
): Promise<number[]> {
  const counts: number[] = []
  for (const { now } of items) {
    const rows = await db
      .updateTable('recipients')
      .set({ next_attempt_at: now, lease: null })
      .where('next_attempt_at', 'is not', null)
      .where('lease', 'is not', null)
      .returning('position')
      .execute()
    counts.push(rows.length)
  }
  return counts
}

/** When the next waiting recipient falls due; undefined when none waits. */
export async function nextDueAt(read: Read): Promise<number | undefined> {
  const row = await read
    .selectFrom('recipients')
    .select('next_attempt_at')
    .where('next_attempt_at', 'is not', null)
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  return row?.next_attempt_at ?? undefined
}
