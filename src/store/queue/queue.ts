// The queue: recipients waiting for their next attempt, claimed under a lease.

import { sql } from 'kysely'
import type { Lease } from '../../model/lease.ts'
import type { ContentFormat } from '../../model/message.ts'
import { isThrottled, type QueueState, type Share, throttled, throttledBy } from '../../model/queue-state.ts'
import type { SendRequest } from '../../model/send-request.ts'
import { refillOf, type SlotsAvailable, SMALL_BYTES, triage } from '../../model/triage.ts'
import { type Database, isPostgres, LOCK_CLAIMED, updateRows } from '../database/dialect.ts'
import { deriveMessageStatuses, eventOf, keepEvents } from '../messages/history.ts'
import { endAsSuppressed, suppressedAmong } from '../workspace/suppressions.ts'
import { listPaused } from './pauses.ts'
import { endAsCancelled } from './queue-control.ts'
import { wakeDue, wakeResumed } from './queue-moves.ts'

/** A recipient as it was claimed for one attempt. */
export interface Claimed {
  readonly messageId: string
  readonly position: number
  readonly accountId: string
  readonly domainId: string
  readonly domainName: string
  readonly stream: string
  readonly email: string
  readonly destination: string
  /** Its order in the queue. */
  readonly startTag: number
  /** Number of this attempt, from 1. */
  readonly attempt: number
  /** Ends of our process in a row while it was active. */
  readonly faults: number
  /** An earlier attempt was cut off after the final dot. */
  readonly possibleDuplicate: boolean
  /** Time at which it was to be sent: its date, and the start of its waiting. */
  readonly createdAt: number
  /** Time at which it is given up, however many attempts there were. */
  readonly expiresAt: number | null
  readonly size: number
  readonly recipientCount: number
  /** 1: only by TLS to a host whose certificate was verified. */
  readonly requireTls: number
  /** The relay of the sending domain, if it has one of its own; holds a secret. */
  readonly relayUrl: string | null
}

/** The content of a message as it was submitted; JSON as text, or as its octets in UTF-8. */
export interface Content {
  readonly format: ContentFormat
  readonly content: string | Uint8Array
  /** The same, where a request has been read already. */
  readonly request?: SendRequest | undefined
}

/** The result of a claim: recipients, and once for each message the content that they are to receive. */
export interface Claim {
  readonly recipients: readonly Claimed[]
  readonly contents: ReadonlyMap<string, Content>
  /** There may be more that are ready. */
  readonly more: boolean
  /** Shares whose recipients were throttled. */
  readonly throttled: readonly Share[]
  /** Messages of recipients that have failed because they ended our process too often. */
  readonly failed: readonly string[]
}

export interface ClaimRequest extends SlotsAvailable {
  readonly now: number
  /** Under which the recipients are to be held. */
  readonly lease: Lease
  /** Shares with throttled recipients that have slots again. */
  readonly refill: readonly Share[]
  /** Leases that have ended are taken over. */
  readonly takeOver: boolean
}

/**
 * Takes the recipients with the first start tags. The lease is their next due time, so that a crash frees them. A
 * recipient whose destination has no slot moves to a state of its own: nothing is looked at twice, so that a claim
 * costs the same whatever waits behind it.
 */
export async function claimRecipients(db: Database, items: readonly ClaimRequest[]): Promise<Claim[]> {
  const claims: Claim[] = []
  for (const item of items) claims.push(await claim(db, item))
  return claims
}

claimRecipients.buffersOf = ({ contents }: Claim): ArrayBuffer[] =>
  [...contents.values()].flatMap(({ content }) =>
    typeof content !== 'string' && content.length > SMALL_BYTES && content.buffer instanceof ArrayBuffer
      ? content.buffer
      : [],
  )

async function claim(db: Database, request: ClaimRequest): Promise<Claim> {
  await wakeDue(db, request.now, request.takeOver ? ['waiting', 'leased'] : ['waiting'])
  const paused = await listPaused(db)
  await wakeResumed(db, paused, request.now)
  const refilled = await selectRefill(db, request)
  const ready = await selectDue(db, 'ready', request.limit)
  // In the order of their start tags, whether they were throttled before or not.
  const due = [...refilled, ...ready].sort((a, b) => a.startTag - b.startTag)
  const { taken, moved, failed } = triage(await withoutDeleted(db, due, request.now), paused, request)
  await move(db, moved)
  await endAsFailed(db, failed, request.now)
  const wanted = await withoutSuppressed(db, taken, request.now)
  return {
    ...(await lease(db, wanted, request)),
    // Refilled ones may have taken the slots of those that are ready.
    more: Math.max(ready.length, taken.length) === request.limit,
    throttled: [...new Set(moved.flatMap(({ state }) => (isThrottled(state) ? [throttledBy(state)] : [])))],
    failed: failed.map((row) => row.messageId),
  }
}

/** Ends the rows whose domain was deleted while they waited; answers the others. */
async function withoutDeleted(db: Database, due: readonly Due[], now: number): Promise<readonly Due[]> {
  const deleted = due.filter((row) => row.domainDeletedAt !== null)
  if (deleted.length === 0) return due
  await endAsCancelled(db, deleted, 'domain', now)
  return due.filter((row) => row.domainDeletedAt === null)
}

const POISON =
  'Given up: our process ended each time while this was delivered, at last three times with nothing else suspect beside it.'

/** Ends the rows that have ended our process too often, with an event that says so. */
async function endAsFailed(db: Database, rows: readonly Due[], now: number): Promise<void> {
  if (rows.length === 0) return
  await updateRows(
    db,
    'recipients',
    ['message_id', 'position'],
    rows.map((row) => ({
      message_id: row.messageId,
      position: row.position,
      status: 'failed' as const,
      last_event_at: now,
    })),
    { clear: ['lane', 'next_attempt_at', 'lease'] },
  )
  await keepEvents(
    db,
    rows.map((row) => eventOf(row, 'failed', now, { reason: POISON, category: 'other' })),
  )
  await deriveMessageStatuses(db, new Map(rows.map((row) => [row.messageId, row.domainId])), now)
}

/** A row of the queue, with where it stands in it. */
type Due = Claimed & {
  readonly state: QueueState
  readonly domainDeletedAt: number | null
}

/** Throttled recipients and suspects for which there are slots. */
async function selectRefill(db: Database, request: ClaimRequest): Promise<Due[]> {
  const rows: Due[] = []
  for (const share of request.refill) {
    const limit = Math.min(refillOf(share, request), request.limit - rows.length)
    if (limit > 0) rows.push(...(await selectDue(db, throttled(share), limit)))
  }
  if (request.suspects > 0) rows.push(...(await selectDue(db, 'suspect', request.suspects)))
  if (request.isolated) rows.push(...(await selectDue(db, 'quarantine', 1)))
  return rows
}

function selectDue(db: Database, state: QueueState, limit: number): Promise<Due[]> {
  return db
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
      'domains.deleted_at as domainDeletedAt',
      'messages.stream',
      'recipients.email',
      'recipients.destination',
      sql<number>`recipients.attempts + 1`.as('attempt'),
      'recipients.faults',
      sql<boolean>`recipients.possible_duplicate = 1`.as('possibleDuplicate'),
      sql<number>`coalesce(messages.send_at, messages.created_at)`.as('createdAt'),
      'messages.expires_at as expiresAt',
      'messages.size',
      'messages.recipient_count as recipientCount',
      'messages.require_tls as requireTls',
      'domain_relays.url as relayUrl',
      sql<QueueState>`recipients.lane`.as('state'),
      sql<number>`recipients.next_attempt_at`.as('startTag'),
    ])
    .where('recipients.lane', '=', state)
    .orderBy('recipients.next_attempt_at')
    .limit(limit)
    .modifyEnd(LOCK_CLAIMED[isPostgres(db) ? 'postgres' : 'sqlite'])
    .execute()
}

/** Moves rows to other states of the queue. */
async function move(
  db: Database,
  rows: readonly { readonly row: Due; readonly state: QueueState }[],
): Promise<void> {
  await updateRows(
    db,
    'recipients',
    ['message_id', 'position'],
    rows.map(({ row, state }) => ({ message_id: row.messageId, position: row.position, lane: state })),
  )
}

/** Ends the rows whose address was suppressed since they were accepted; answers the others. */
async function withoutSuppressed(db: Database, due: readonly Due[], now: number): Promise<readonly Due[]> {
  const suppressed = await suppressedAmong(db, due)
  if (suppressed.size === 0) return due
  await endAsSuppressed(
    db,
    due.filter((_, index) => suppressed.has(index)),
    now,
  )
  return due.filter((_, index) => !suppressed.has(index))
}

/** Puts the rows under the lease, and reads the content that they are to receive. */
async function lease(
  db: Database,
  due: readonly Due[],
  { now, lease }: ClaimRequest,
): Promise<Pick<Claim, 'recipients' | 'contents'>> {
  if (due.length === 0) return { recipients: [], contents: new Map() }
  await updateRows(
    db,
    'recipients',
    ['message_id', 'position'],
    due.map((row) => ({
      message_id: row.messageId,
      position: row.position,
      status: 'sending' as const,
      lane: 'leased' as const,
      next_attempt_at: lease.until,
      lease: lease.token,
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
  await keepEvents(
    db,
    due.map((row) => eventOf(row, 'sending', now, { attempt: row.attempt })),
  )
  const contents = await db
    .selectFrom('message_contents')
    .select(['message_id', 'format', 'content'])
    .where('message_id', 'in', [...messages.keys()])
    .execute()
  return {
    recipients: due.map((row) => ({ ...row, possibleDuplicate: Boolean(row.possibleDuplicate) })),
    contents: new Map(contents.map(({ message_id, format, content }) => [message_id, { format, content }])),
  }
}
