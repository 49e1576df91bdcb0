// The ends of attempts: what came of them, written with states and events in one transaction.

import type { Attempt, Outcome } from '../../model/attempt.ts'
import { messageStatus } from '../../model/message.ts'
import type { RecipientStatus } from '../../model/recipient.ts'
import { type Database, insertRows, updateRows } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import { deriveMessageStatuses, eventOf, keepEvents, type NewEvent } from '../messages/history.ts'
import { suppressHardBounces } from '../workspace/suppressions.ts'
import type { Claimed } from './queue.ts'

/** The end of an attempt: what it means, when to try again, and the attempt itself for the history. */
export interface RecordOutcome {
  readonly claimed: Claimed
  /** The token of the lease under which it was attempted. */
  readonly lease: string
  readonly outcome: Outcome
  readonly attempt: Attempt
  /** Time at which a deferred recipient is due again; null for all others. */
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
    items.map(({ claimed, lease, outcome, attempt, nextAttemptAt, now }) => ({
      message_id: claimed.messageId,
      position: claimed.position,
      lease,
      status: outcome.status as RecipientStatus,
      lane: nextAttemptAt === null ? null : 'waiting',
      next_attempt_at: nextAttemptAt,
      attempts: claimed.attempt,
      faults: 0,
      possible_duplicate: claimed.possibleDuplicate || outcome.unknown ? 1 : 0,
      last_event_at: now,
      smtp_code: attempt.reply?.code ?? null,
      smtp_response: attempt.reply === undefined ? null : responseText(attempt.reply),
      mx: attempt.mx ?? null,
    })),
    { match: ['lease'], clear: ['lease'] },
  )
  const key = (messageId: string, position: number): string => `${messageId} ${position}`
  const held = new Set(matched.map((row) => key(row.message_id as string, row.position as number)))
  for (const item of items) {
    const { messageId, position } = item.claimed
    if (!held.has(key(messageId, position)) && (await isStillTrue(db, item)))
      held.add(key(messageId, position))
  }
  const results = items.map(({ claimed }) => held.has(key(claimed.messageId, claimed.position)))
  const written = items.filter((_, index) => results[index])
  await insertRows(db, 'attempts', written.map(attemptRow))
  await keepEvents(db, written.map(outcomeEvent))
  await suppressHardBounces(db, written)
  await updateMessageStatuses(db, written)
  return results
}

recordOutcome.isJson = true

/**
 * Its lease has ended while the store was away, and nobody has claimed it again: that a host took the message is as
 * true as before, and to try again would send it twice.
 */
async function isStillTrue(
  db: Database,
  { claimed, outcome, attempt, now }: RecordOutcome,
): Promise<boolean> {
  if (outcome.status !== 'delivered') return false
  const changed = await db
    .updateTable('recipients')
    .set({
      status: 'delivered',
      lane: null,
      next_attempt_at: null,
      attempts: claimed.attempt,
      faults: 0,
      last_event_at: now,
      smtp_code: attempt.reply?.code ?? null,
      smtp_response: attempt.reply === undefined ? null : responseText(attempt.reply),
      mx: attempt.mx ?? null,
    })
    .where('message_id', '=', claimed.messageId)
    .where('position', '=', claimed.position)
    .where('lease', 'is', null)
    .where('lane', 'is not', null)
    .where('attempts', '=', claimed.attempt - 1)
    .returning('position')
    .execute()
  return changed.length > 0
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

function outcomeEvent({ claimed, outcome, attempt, nextAttemptAt, now }: RecordOutcome): NewEvent {
  return eventOf(claimed, outcome.status, now, {
    attempt: claimed.attempt,
    reason: outcome.reason,
    category: outcome.category,
    hard: outcome.status === 'bounced' ? outcome.hard : undefined,
    stage: outcome.stage,
    possible_duplicate: claimed.possibleDuplicate || outcome.unknown ? true : undefined,
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
