// The recipients that wait, one by one, for an operator who looks.

import type { QueueState } from '../../model/queue-state.ts'
import type { Read } from '../database/dialect.ts'
import type { Recipient } from '../messages/messages.ts'
import type { QueueSelection } from './queue-control.ts'

/** Place at which a list of waiting recipients goes on. */
export interface QueuePlace {
  readonly nextAttemptAt: number
  readonly messageId: string
  readonly position: number
}

/** A recipient that waits. */
export interface Waiting extends QueuePlace {
  readonly email: string
  readonly destination: string
  readonly domainName: string
  readonly stream: string
  readonly status: Recipient['status']
  readonly attempts: number
  /** Its queue state. */
  readonly lane: QueueState
  readonly createdAt: number
  readonly lastEventAt: number
  readonly smtpCode: number | null
  readonly smtpResponse: string | null
}

/** Recipients that wait, those in an attempt included, the next due first, from behind `after`. */
export async function listWaiting(
  read: Read,
  selection: QueueSelection,
  limit: number,
  after: QueuePlace | undefined,
): Promise<Waiting[]> {
  let query = read
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
      'recipients.email',
      'recipients.destination',
      'domains.name as domainName',
      'messages.stream',
      'recipients.status',
      'recipients.attempts',
      'recipients.lane',
      'recipients.next_attempt_at as nextAttemptAt',
      'messages.created_at as createdAt',
      'recipients.last_event_at as lastEventAt',
      'recipients.smtp_code as smtpCode',
      'recipients.smtp_response as smtpResponse',
    ])
    .where('recipients.lane', 'is not', null)
    .$narrowType<{ nextAttemptAt: number; lane: QueueState }>()
    .orderBy('recipients.next_attempt_at')
    .orderBy('recipients.message_id')
    .orderBy('recipients.position')
    .limit(limit)
  const { messageId, destination, stream, domainName } = selection
  if (messageId !== undefined) query = query.where('recipients.message_id', '=', messageId)
  if (destination !== undefined) query = query.where('recipients.destination', '=', destination)
  if (stream !== undefined) query = query.where('messages.stream', '=', stream)
  if (domainName !== undefined) query = query.where('domains.name', '=', domainName)
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('recipients.next_attempt_at', 'recipients.message_id', 'recipients.position'),
        '>',
        tuple(after.nextAttemptAt, after.messageId, after.position),
      ),
    )
  }
  return query.execute()
}
