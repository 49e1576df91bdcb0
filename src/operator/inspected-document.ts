// JSON document of a message for the operator, with all recipients and the SMTP dialog of every attempt.

import { formatTime } from '../lib/rfc3339.ts'
import { wholeTranscript } from '../model/attempt-transcript.ts'
import { heldViewForOperator } from '../model/held.ts'
import type { InspectedMessage } from '../store/queue/queue-control.ts'

type Attempt = InspectedMessage['attempts'][number]

export const inspectedDocument = ({ message, recipients, attempts }: InspectedMessage): object => ({
  message_id: message.id,
  account_id: message.account_id,
  domain_id: message.domain_id,
  status: message.status,
  stream: message.stream,
  from: message.from_email,
  subject: message.subject,
  size: message.size,
  send_at: formatTime(message.send_at),
  created_at: formatTime(message.created_at),
  updated_at: formatTime(message.updated_at),
  recipients: recipients.map((recipient) => ({
    email: recipient.email,
    role: recipient.role,
    status: recipient.status,
    destination: recipient.destination,
    next_attempt_at: formatTime(recipient.next_attempt_at),
    held: recipient.held === null ? null : heldViewForOperator(recipient.held),
    last_event_at: formatTime(recipient.last_event_at),
    smtp_code: recipient.smtp_code,
    smtp_response: recipient.smtp_response,
    mx: recipient.mx,
    attempts: attempts.filter((one) => one.position === recipient.position).map(attemptDocument),
  })),
})

/** Returns an attempt with its SMTP dialog. */
export const attemptDocument = (attempt: Attempt) => ({
  number: attempt.number,
  started_at: new Date(attempt.started_at).toISOString(),
  duration_ms: attempt.duration_ms,
  status: attempt.status,
  reason: attempt.reason,
  mx: attempt.mx,
  address: attempt.address,
  source_address: attempt.source,
  tls: attempt.tls,
  smtp_code: attempt.smtp_code,
  smtp_enhanced: attempt.smtp_enhanced,
  smtp_response: attempt.smtp_response,
  transcript: wholeTranscript(attempt),
})
