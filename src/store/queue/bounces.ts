// Records asynchronous bounces and complaints, each only once.

import type { BounceCategory } from '../../model/bounce-category.ts'
import type { EventType } from '../../model/event.ts'
import type { RecipientStatus } from '../../model/recipient.ts'
import { type Database, isPostgres, type Read } from '../database/dialect.ts'
import { deriveMessageStatuses, eventOf, keepEvents } from '../messages/history.ts'
import { suppress, suppresses, suppressForOwner } from '../workspace/suppressions.ts'

/** Asynchronous bounce: a host bounced a message that it had accepted before. */
export interface AsynchronousBounce {
  readonly type: 'bounced'
  readonly category: BounceCategory
  /** True if the bounce is permanent and caused by the address itself. */
  readonly hard: boolean
  /** Reason for the bounce, in one sentence for users. */
  readonly reason: string
  /** SMTP reply code of the last host, if the bounce contains a reply code. */
  readonly smtpCode: number | undefined
  readonly diagnostic: string | undefined
  /** Host that sent the reply. */
  readonly mx: string | undefined
  /** Final recipient address, if the bounce names one. */
  readonly finalRecipient: string | undefined
}

/** Complaint: a recipient reported the message as unwanted. */
export interface Complaint {
  readonly type: 'complained'
  /** Type of the feedback report (RFC 5965 §3.1), such as `abuse` or `fraud`. */
  readonly feedbackType: string
  /** Program that generated the report, if the report names the program. */
  readonly userAgent: string | undefined
}

export interface RecordBounce {
  readonly messageId: string
  readonly position: number
  readonly report: AsynchronousBounce | Complaint
  readonly now: number
}

/**
 * Result of recording a report.
 * - `recorded`: the report was recorded;
 * - `repeated`: the same report was recorded before;
 * - `ended`: the recipient ended in another way, so the report changes nothing;
 * - `attempted`: an attempt is in progress, and the end of the attempt must be written first;
 * - `unknown`: the recipient does not exist.
 */
export type RecordedBounce = 'recorded' | 'repeated' | 'ended' | 'attempted' | 'unknown'

/** Writes the status, the event and the suppression in one transaction; a repeated report changes nothing. */
export async function recordBounce(db: Database, items: readonly RecordBounce[]): Promise<RecordedBounce[]> {
  const results: RecordedBounce[] = []
  for (const item of items) {
    // The queue is locked first, in the same order as in all writes that end recipients.
    const isActive = item.report.type === 'bounced' && (await lockInQueue(db, item))
    const recipient = await lockRecipient(db, item)
    if (recipient === undefined) results.push('unknown')
    // A bounce may arrive before the delivery of the message is written. Ending the recipient now would end the lease
    // too, and the delivery could not be recorded.
    else if (isActive) results.push('attempted')
    else results.push(await apply(db, recipient, item))
  }
  return results
}

/**
 * Locks the row of the recipient in the queue, so that no node claims the recipient; returns true if the recipient is
 * under a lease.
 */
async function lockInQueue(db: Database, { messageId, position }: RecordBounce): Promise<boolean> {
  let query = db
    .selectFrom('queue')
    .select('state')
    .where('message_id', '=', messageId)
    .where('position', '=', position)
  if (isPostgres(db)) query = query.forUpdate()
  return (await query.executeTakeFirst())?.state === 'active'
}

function apply(db: Database, recipient: Locked, { report, now }: RecordBounce): Promise<RecordedBounce> {
  // The end of an attempt may have been written while this report waited, with a later time than the time of the
  // report.
  const at = Math.max(now, recipient.lastEventAt + 1)
  return report.type === 'bounced' ? bounce(db, recipient, report, at) : complain(db, recipient, report, at)
}

type Locked = NonNullable<Awaited<ReturnType<typeof lockRecipient>>>

/** Reads the recipient, and locks the row until the end of the transaction. */
function lockRecipient(db: Database, { messageId, position }: RecordBounce) {
  let query = db
    .selectFrom('recipients')
    .innerJoin('messages', (join) =>
      join
        .onRef('messages.domain_id', '=', 'recipients.domain_id')
        .onRef('messages.id', '=', 'recipients.message_id'),
    )
    .select([
      'recipients.message_id as messageId',
      'recipients.position',
      'recipients.account_id as accountId',
      'recipients.domain_id as domainId',
      'recipients.email',
      'recipients.status',
      'recipients.mx',
      'recipients.last_event_at as lastEventAt',
      'messages.stream',
      'messages.tag',
      'messages.inbox_id as inboxId',
    ])
    .where('recipients.message_id', '=', messageId)
    .where('recipients.position', '=', position)
  if (isPostgres(db)) query = query.forUpdate('recipients')
  return query.executeTakeFirst()
}

const ENDED: ReadonlySet<RecipientStatus> = new Set(['failed', 'suppressed', 'cancelled'])

async function bounce(
  db: Database,
  recipient: Locked,
  report: AsynchronousBounce,
  now: number,
): Promise<RecordedBounce> {
  if (recipient.status === 'bounced') return 'repeated'
  if (ENDED.has(recipient.status)) return 'ended'
  // A recipient that is still in the queue had an attempt that was interrupted after the final dot. The host accepted
  // the message, and has now given up delivery.
  await db
    .deleteFrom('queue')
    .where('message_id', '=', recipient.messageId)
    .where('position', '=', recipient.position)
    .execute()
  await db
    .updateTable('recipients')
    .set({
      status: 'bounced',
      last_event_at: now,
      smtp_code: report.smtpCode ?? null,
      smtp_response: report.diagnostic ?? null,
      ...(report.mx === undefined ? {} : { mx: report.mx }),
    })
    .where('message_id', '=', recipient.messageId)
    .where('position', '=', recipient.position)
    .execute()
  await addEvent(db, recipient, 'bounced', now, {
    asynchronous: true,
    reason: report.reason,
    category: report.category,
    hard: report.hard,
    mx: report.mx,
    smtp_code: report.smtpCode,
    diagnostic: report.diagnostic,
    final_recipient: report.finalRecipient === recipient.email ? undefined : report.finalRecipient,
  })
  // A test message stops no live mail.
  const isLive = recipient.inboxId === null
  if (isLive && suppresses(report))
    await suppress(db, [{ ...suppressionOf(recipient, now), reason: 'hard_bounce' }])
  await deriveMessageStatuses(db, new Map([[recipient.messageId, recipient.domainId]]), now)
  return 'recorded'
}

async function complain(
  db: Database,
  recipient: Locked,
  report: Complaint,
  now: number,
): Promise<RecordedBounce> {
  const before = await db
    .selectFrom('events')
    .select('id')
    .where('message_id', '=', recipient.messageId)
    .where('type', '=', 'complained')
    .where('email', '=', recipient.email)
    .executeTakeFirst()
  if (before !== undefined) return 'repeated'
  await db
    .updateTable('recipients')
    .set({ last_event_at: now })
    .where('message_id', '=', recipient.messageId)
    .where('position', '=', recipient.position)
    .execute()
  await addEvent(db, recipient, 'complained', now, {
    feedback_type: report.feedbackType,
    user_agent: report.userAgent,
    mx: recipient.mx ?? undefined,
  })
  if (recipient.inboxId === null) {
    await suppressForOwner(db, { ...suppressionOf(recipient, now), reason: 'complaint' })
  }
  return 'recorded'
}

const addEvent = (
  db: Database,
  recipient: Locked,
  type: EventType,
  now: number,
  detail: object,
): Promise<void> => keepEvents(db, [eventOf(recipient, type, now, detail)])

const suppressionOf = ({ accountId, domainId, stream, email, messageId }: Locked, now: number) => ({
  account_id: accountId,
  domain_id: domainId,
  stream,
  email,
  message_id: messageId,
  created_at: now,
})

/** A recipient with which a report can be matched. */
export interface ReportedRecipient {
  readonly messageId: string
  readonly position: number
  readonly email: string
  readonly domainId: string
  readonly domainName: string
  readonly stream: string
}

/**
 * Returns the recipients of a message of any account, or an empty list if the message does not exist. A report arrives
 * without credentials; the token in the return path authenticates the report.
 */
export function findReportedRecipients(read: Read, messageId: string): Promise<ReportedRecipient[]> {
  return read
    .selectFrom('recipients')
    .innerJoin('domains', 'domains.id', 'recipients.domain_id')
    .innerJoin('messages', (join) =>
      join
        .onRef('messages.domain_id', '=', 'recipients.domain_id')
        .onRef('messages.id', '=', 'recipients.message_id'),
    )
    .select([
      'recipients.message_id as messageId',
      'recipients.position',
      'recipients.email',
      'domains.id as domainId',
      'domains.name as domainName',
      'messages.stream',
    ])
    .where('recipients.message_id', '=', messageId)
    .orderBy('recipients.position')
    .execute()
}
