// The queue: recipients waiting for their next attempt, claimed under a lease, and what became of them.

import { sql } from 'kysely'
import { newId } from '../lib/ids.ts'
import type { Attempt, Outcome } from '../model/attempt.ts'
import type { EventType } from '../model/event.ts'
import { type ContentFormat, messageStatus } from '../model/message.ts'
import type { RecipientStatus } from '../model/recipient.ts'
import type { Read } from './dialect.ts'
import { type Database, insertRows, isPostgres, LOCK_CLAIMED, updateRows } from './dialect.ts'
import type { EventRow, Message, Recipient } from './messages.ts'
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
    due.map((row) => event(row, 'sending', now, { attempt: row.attempt })),
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

function event(
  row: { messageId: string; accountId: string; domainId: string; email: string },
  type: EventType,
  at: number,
  detail: object,
): EventRow {
  return {
    id: newId('evt', at),
    message_id: row.messageId,
    account_id: row.accountId,
    domain_id: row.domainId,
    type,
    at,
    email: row.email,
    detail: JSON.stringify(detail),
  }
}

/** The end of an attempt: what it means, when to try again, and the attempt itself for the history. */
export interface RecordOutcome {
  readonly claimed: Claimed
  readonly outcome: Outcome
  readonly attempt: Attempt
  /** When a deferred recipient is due again; null for all others. */
  readonly nextAttemptAt: number | null
  readonly now: number
}

/**
 * Writes attempts, states and events together. An item whose lease has passed to another worker changes nothing
 * and is answered with false.
 */
export async function recordOutcome(db: Database, items: readonly RecordOutcome[]): Promise<boolean[]> {
  const matched = await updateRows(
    db,
    'recipients',
    ['message_id', 'position'],
    items.map(({ claimed, outcome, attempt, nextAttemptAt, now }) => ({
      message_id: claimed.messageId,
      position: claimed.position,
      lease: claimed.lease,
      status: outcome.status as RecipientStatus,
      next_attempt_at: nextAttemptAt,
      last_event_at: now,
      smtp_code: attempt.reply?.code ?? null,
      smtp_response: attempt.reply === undefined ? null : responseText(attempt.reply),
      mx: attempt.mx ?? null,
    })),
    { match: ['lease'], clear: ['lease'] },
  )
  const key = (messageId: string, position: number): string => `${messageId} ${position}`
  const held = new Set(matched.map((row) => key(row.message_id as string, row.position as number)))
  const results = items.map(({ claimed }) => held.has(key(claimed.messageId, claimed.position)))
  const written = items.filter((_, index) => results[index])
  await insertRows(db, 'attempts', written.map(attemptRow))
  await insertRows(db, 'events', written.map(outcomeEvent))
  await updateMessageStatuses(db, written)
  return results
}

function attemptRow({ claimed, outcome, attempt }: RecordOutcome): Tables['attempts'] {
  return {
    message_id: claimed.messageId,
    position: claimed.position,
    number: claimed.attempt,
    account_id: claimed.accountId,
    domain_id: claimed.domainId,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    status: outcome.status,
    reason: outcome.reason,
    mx: attempt.mx ?? null,
    address: attempt.address ?? null,
    tls: attempt.tls ?? null,
    smtp_code: attempt.reply?.code ?? null,
    smtp_enhanced: attempt.reply?.enhanced ?? null,
    smtp_response: attempt.reply?.text ?? null,
    transcript: attempt.transcript,
  }
}

function outcomeEvent({ claimed, outcome, attempt, nextAttemptAt, now }: RecordOutcome): EventRow {
  return event(claimed, outcome.status, now, {
    attempt: claimed.attempt,
    reason: outcome.reason,
    category: outcome.category,
    hard: outcome.status === 'bounced' ? outcome.hard : undefined,
    mx: attempt.mx,
    smtp_code: attempt.reply?.code,
    smtp_response: attempt.reply === undefined ? undefined : responseText(attempt.reply),
    next_attempt_at: nextAttemptAt === null ? undefined : new Date(nextAttemptAt).toISOString(),
  })
}

const responseText = ({ enhanced, text }: { enhanced?: string; text: string }): string =>
  enhanced === undefined ? text : `${enhanced} ${text}`

async function updateMessageStatuses(db: Database, items: readonly RecordOutcome[]): Promise<void> {
  const single = items.filter(({ claimed }) => claimed.recipientCount === 1)
  const changes = single.map(({ claimed, outcome, now }) => ({
    domain_id: claimed.domainId,
    id: claimed.messageId,
    status: messageStatus([outcome.status]),
    updated_at: now,
  }))
  const shared = items.filter(({ claimed }) => claimed.recipientCount > 1)
  await updateRows(db, 'messages', ['domain_id', 'id'], changes)
  if (shared.length > 0) {
    const now = Math.max(...shared.map((item) => item.now))
    const messages = new Map(shared.map(({ claimed }) => [claimed.messageId, claimed.domainId]))
    await deriveMessageStatuses(db, messages, now)
  }
}

/**
 * Sets the state of messages, given with their domains, from the states of their recipients. The messages are locked
 * first: of two transactions that end recipients of the same message, the later one must see what the earlier did.
 */
async function deriveMessageStatuses(
  db: Database,
  messages: ReadonlyMap<string, string>,
  now: number,
): Promise<void> {
  if (messages.size === 0) return
  const ids = [...messages.keys()]
  if (isPostgres(db)) {
    await db
      .selectFrom('messages')
      .select('id')
      .where('domain_id', 'in', [...new Set(messages.values())])
      .where('id', 'in', ids)
      .orderBy('id')
      .forUpdate()
      .execute()
  }
  const rows = await db
    .selectFrom('recipients')
    .select(['message_id', 'status'])
    .where('message_id', 'in', ids)
    .execute()
  const changes = [...Map.groupBy(rows, (row) => row.message_id)].map(([id, recipients]) => ({
    domain_id: messages.get(id) as string,
    id,
    status: messageStatus(recipients.map((row) => row.status)),
    updated_at: now,
  }))
  await updateRows(db, 'messages', ['domain_id', 'id'], changes)
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

/** Which waiting recipients an operator means; all that is given must match. */
export interface QueueSelection {
  readonly messageId?: string | undefined
  readonly destination?: string | undefined
  readonly domainName?: string | undefined
}

/** What one write of an operator takes at most, so that mail is accepted in between; whoever asks repeats it. */
export const OPERATOR_BATCH = 500

/** Makes up to 500 waiting recipients due at once; answers how many. Those in an attempt are left alone. */
export async function retryRecipients(
  db: Database,
  items: readonly { readonly selection: QueueSelection; readonly now: number }[],
): Promise<number[]> {
  const counts: number[] = []
  for (const { selection, now } of items) {
    const rows = await selectWaiting(db, selection).where('next_attempt_at', '!=', now).execute()
    await updateRows(
      db,
      'recipients',
      ['message_id', 'position'],
      rows.map(({ message_id, position }) => ({ message_id, position, next_attempt_at: now })),
    )
    counts.push(rows.length)
  }
  return counts
}

/** Ends up to 500 waiting recipients as cancelled, with their event; answers how many. Attempts are left alone. */
export async function cancelRecipients(
  db: Database,
  items: readonly { readonly selection: QueueSelection; readonly now: number }[],
): Promise<number[]> {
  const counts: number[] = []
  for (const { selection, now } of items) {
    const rows = await selectWaiting(db, selection).execute()
    await updateRows(
      db,
      'recipients',
      ['message_id', 'position'],
      rows.map(({ message_id, position }) => ({
        message_id,
        position,
        status: 'cancelled' as const,
        next_attempt_at: null,
        last_event_at: now,
      })),
    )
    const owners = rows.map((row) => ({
      messageId: row.message_id,
      accountId: row.account_id,
      domainId: row.domain_id,
      email: row.email,
    }))
    await insertRows(
      db,
      'events',
      owners.map((owner) => event(owner, 'cancelled', now, { by: 'operator' })),
    )
    await deriveMessageStatuses(db, new Map(rows.map((row) => [row.message_id, row.domain_id])), now)
    counts.push(rows.length)
  }
  return counts
}

/** Those that nobody holds, locked, so that no worker claims them meanwhile. */
function selectWaiting(db: Database, selection: QueueSelection) {
  let query = db
    .selectFrom('recipients')
    .selectAll('recipients')
    .where('next_attempt_at', 'is not', null)
    .where('lease', 'is', null)
    .limit(OPERATOR_BATCH)
    .modifyEnd(LOCK_CLAIMED[isPostgres(db) ? 'postgres' : 'sqlite'])
  if (selection.messageId !== undefined) query = query.where('message_id', '=', selection.messageId)
  if (selection.destination !== undefined) query = query.where('destination', '=', selection.destination)
  if (selection.domainName !== undefined) {
    const name = selection.domainName
    query = query.where('domain_id', 'in', (eb) =>
      eb.selectFrom('domains').select('domains.id').where('domains.name', '=', name),
    )
  }
  return query
}

/** Holds back a destination, a stream or a domain; false when it was paused already. */
export async function pauseQueue(db: Database, items: readonly Tables['queue_pauses'][]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const item of items) {
    const rows = await db
      .insertInto('queue_pauses')
      .values(item)
      .onConflict((on) => on.columns(['kind', 'value']).doNothing())
      .returning('value')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}

/** Lets it go on; false when it was not paused. */
export async function resumeQueue(
  db: Database,
  items: readonly { readonly kind: PauseKind; readonly value: string }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { kind, value } of items) {
    const rows = await db
      .deleteFrom('queue_pauses')
      .where('kind', '=', kind)
      .where('value', '=', value)
      .returning('value')
      .execute()
    results.push(rows.length > 0)
  }
  return results
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

/** A line of the queue by destination. */
export interface QueueLine {
  readonly destination: string
  readonly recipients: number
  readonly nextAttemptAt: number
  readonly oldestMessageId: string
}

/** The queue by destination, the longest first. */
export const summariseQueue = (read: Read, limit: number): Promise<QueueLine[]> =>
  read
    .selectFrom('recipients')
    .select(({ fn }) => [
      'destination',
      fn.countAll<number>().as('recipients'),
      fn.min<number>('next_attempt_at').as('nextAttemptAt'),
      fn.min('message_id').as('oldestMessageId'),
    ])
    .where('next_attempt_at', 'is not', null)
    .groupBy('destination')
    .orderBy('recipients', 'desc')
    .limit(limit)
    .execute()

/** What is paused now. */
export const listPauses = (read: Read): Promise<Tables['queue_pauses'][]> =>
  read.selectFrom('queue_pauses').selectAll().orderBy('kind').orderBy('value').execute()

/** A message as the operator sees it: whatever its account, with all attempts. */
export async function inspectMessage(
  read: Read,
  id: string,
): Promise<{ message: Message; recipients: Recipient[]; attempts: Tables['attempts'][] } | undefined> {
  const recipients = await read
    .selectFrom('recipients')
    .selectAll()
    .where('message_id', '=', id)
    .orderBy('position')
    .execute()
  const [first] = recipients
  if (first === undefined) return undefined
  const message = await read
    .selectFrom('messages')
    .selectAll()
    .where('domain_id', '=', first.domain_id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const attempts = await read
    .selectFrom('attempts')
    .selectAll()
    .where('message_id', '=', id)
    .orderBy('position')
    .orderBy('number')
    .execute()
  return { message, recipients, attempts }
}
