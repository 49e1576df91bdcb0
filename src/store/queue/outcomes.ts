// Writes the ends of attempts, with statuses and events in one transaction.

import type { Attempt, Outcome } from '../../model/attempt.ts'
import { storedTranscript } from '../../model/attempt-transcript.ts'
import { messageStatus } from '../../model/message.ts'
import { replyCode } from '../../model/reply-code.ts'
import { complains } from '../../model/test-inbox.ts'
import type { Database } from '../database/dialect.ts'
import { deleteRows, insertRows, updateRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { together } from '../database/together.ts'
import type { LoggedDialog } from '../events/event-log.ts'
import { deriveMessageStatuses, eventOf, keepEvents, type NewEvent } from '../messages/history.ts'
import { suppressHardBounces } from '../workspace/suppressions.ts'

/**
 * Name of the journal file in the data directory: deliveries that are not yet in the store, one JSON object per line.
 */
export const DELIVERED_JOURNAL = 'handed-over.jsonl'

/** The fields of a recipient that are needed to write the end of its attempt. */
export interface Attempted {
  readonly messageId: string
  readonly position: number
  readonly accountId: string
  readonly domainId: string
  readonly stream: string
  readonly email: string
  /** Number of the attempt, from 1. */
  readonly attempt: number
  /** True if an earlier attempt was interrupted after the final dot. */
  readonly possibleDuplicate: boolean
  /** Time at which the message was to be sent. */
  readonly createdAt: number
  /** Tag of the message. */
  readonly tag?: string | null
  readonly recipientCount: number
  /** Test inbox of the message; null for a live message. */
  readonly inboxId: string | null
}

/** Returns the fields of a claimed recipient that are needed to write the end of its attempt. */
export const attempted = (claimed: Attempted): Attempted => ({
  messageId: claimed.messageId,
  position: claimed.position,
  accountId: claimed.accountId,
  domainId: claimed.domainId,
  stream: claimed.stream,
  email: claimed.email,
  attempt: claimed.attempt,
  possibleDuplicate: claimed.possibleDuplicate,
  createdAt: claimed.createdAt,
  ...(claimed.tag === undefined ? {} : { tag: claimed.tag }),
  recipientCount: claimed.recipientCount,
  inboxId: claimed.inboxId,
})

/** End of an attempt: the outcome, the next due time, and the record for the history. */
export interface RecordOutcome {
  readonly claimed: Attempted
  /** Token of the lease under which the attempt was made. */
  readonly lease: string
  readonly outcome: Outcome
  readonly attempt: Attempt
  /** Time at which a deferred recipient is due again; null for any other outcome. */
  readonly nextAttemptAt: number | null
  readonly now: number
}

const KEY = ['message_id', 'position'] as const
const named = ({ messageId, position }: Attempted): string => `${messageId} ${position}`
const keyOf = ({ messageId, position }: Attempted) => ({ message_id: messageId, position })

/**
 * Writes attempts, statuses and events in one transaction. An item whose lease has passed to another worker changes
 * nothing and returns false, except a delivery: a delivery is written under any lease, because another attempt would
 * send the message twice.
 */
export async function recordOutcome(db: Database, items: readonly RecordOutcome[]): Promise<boolean[]> {
  const delivered = items.filter(({ outcome }) => outcome.status === 'delivered')
  const ended = items.filter((item) => item.nextAttemptAt === null && item.outcome.status !== 'delivered')
  const deferred = items.filter(({ nextAttemptAt }) => nextAttemptAt !== null)
  const keys = delivered.map(({ claimed }) => keyOf(claimed))
  const [takenDelivered, takenEnded, takenDeferred] = await together(
    deleteRows(db, 'queue', KEY, keys),
    deleteRows(db, 'queue', KEY, ended.map(heldRow), { match: ['lease'] }),
    defer(db, deferred),
  )
  const written = [
    ...taken(delivered, takenDelivered),
    ...taken(ended, takenEnded),
    ...taken(deferred, takenDeferred),
  ]
  await together(
    updateRows(db, 'recipients', KEY, written.map(recipientRow), { isUnread: true }),
    // Another worker may have made an attempt with the same number if this delivery is written late.
    insertRows(db, 'attempts', written.map(attemptRow), 'on conflict do nothing'),
    keepEvents(db, written.flatMap(outcomeEvents)),
  )
  await together(suppressHardBounces(db, written), updateMessageStatuses(db, written))
  const all = new Set(written)
  return items.map((item) => all.has(item))
}

recordOutcome.isJson = true
recordOutcome.line = 'ending' as const

const heldRow = ({ claimed, lease }: RecordOutcome) => ({ ...keyOf(claimed), lease })

/** Returns the columns of a recipient that change at the end of an attempt. */
const recipientRow = ({ claimed, outcome, attempt, now }: RecordOutcome) => ({
  ...keyOf(claimed),
  status: outcome.status,
  attempts: claimed.attempt,
  last_event_at: now,
  smtp_code: attempt.reply?.code ?? null,
  smtp_response: attempt.reply === undefined ? null : responseText(attempt.reply),
  mx: attempt.mx ?? null,
})

/** Returns the items whose rows were found in the queue, one item for each row. */
function taken(
  items: readonly RecordOutcome[],
  rows: readonly { readonly message_id: string; readonly position: number }[],
): RecordOutcome[] {
  const found = new Set(rows.map((row) => `${row.message_id} ${row.position}`))
  return items.filter(({ claimed }) => found.delete(named(claimed)))
}

/** Defers the recipients that are still under their leases. */
const defer = (db: Database, items: readonly RecordOutcome[]) =>
  updateRows(
    db,
    'queue',
    KEY,
    items.map((item) => ({
      ...heldRow(item),
      state: 'deferred' as const,
      start_tag: item.nextAttemptAt as number,
      due_at: item.nextAttemptAt,
      renewed: 0,
      attempts: item.claimed.attempt,
      faults: 0,
      possible_duplicate: item.claimed.possibleDuplicate || item.outcome.unknown ? 1 : 0,
    })),
    { match: ['lease'], clear: ['lease', 'lease_until', 'active_since'] },
  )

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
    source: attempt.source ?? null,
    tls: attempt.tls ?? null,
    smtp_code: attempt.reply?.code ?? null,
    smtp_enhanced: attempt.reply?.enhanced ?? null,
    smtp_response: attempt.reply?.text ?? null,
    transcript: storedTranscript(attempt.transcript, attempt.reply),
  }
}

/** Returns the event of an outcome, and the complaint of a test recipient that complains. */
function outcomeEvents(item: RecordOutcome): NewEvent[] {
  const { claimed, outcome, now } = item
  const hasComplaint = claimed.inboxId !== null && outcome.status === 'delivered' && complains(claimed.email)
  const complaint = eventOf(claimed, 'complained', now + 1, { feedback_type: 'abuse' })
  return hasComplaint ? [outcomeEvent(item), complaint] : [outcomeEvent(item)]
}

function outcomeEvent({ claimed, outcome, attempt, nextAttemptAt, now }: RecordOutcome): NewEvent {
  const isDelivered = outcome.status === 'delivered'
  const dialog: LoggedDialog = [
    attempt.source ?? null,
    isDelivered || attempt.reply === undefined ? null : replyCode(attempt.reply),
    attempt.tls === undefined ? 0 : 1,
  ]
  return { ...endOfAttempt({ claimed, outcome, attempt, nextAttemptAt, now }), dialog }
}

function endOfAttempt({
  claimed,
  outcome,
  attempt,
  nextAttemptAt,
  now,
}: Omit<RecordOutcome, 'lease'>): NewEvent {
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

/**
 * Sets the status of messages that have several recipients or that ended undelivered. The row of a message is not
 * written if its only recipient was delivered or deferred, because the recipient and the queue show the status.
 */
async function updateMessageStatuses(db: Database, items: readonly RecordOutcome[]): Promise<void> {
  const single = items.filter(
    ({ claimed, outcome, nextAttemptAt }) =>
      claimed.recipientCount === 1 && nextAttemptAt === null && outcome.status !== 'delivered',
  )
  const changes = single.map(({ claimed, outcome, now }) => ({
    domain_id: claimed.domainId,
    id: claimed.messageId,
    status: messageStatus([outcome.status]),
    updated_at: now,
  }))
  const shared = items.filter(({ claimed }) => claimed.recipientCount > 1)
  await updateRows(db, 'messages', ['domain_id', 'id'], changes, { isUnread: true })
  if (shared.length > 0) {
    const now = Math.max(...shared.map((item) => item.now))
    const messages = new Map(shared.map(({ claimed }) => [claimed.messageId, claimed.domainId]))
    await deriveMessageStatuses(db, messages, now)
  }
}
