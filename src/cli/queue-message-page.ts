// How a message in the queue is shown to the operator: its recipients, and every attempt with its dialog.

import type { inspectMessage } from '../store/queue-control.ts'
import { fields, printable, table } from './text.ts'
import { shortTime, time } from './times.ts'

export type Inspected = NonNullable<Awaited<ReturnType<typeof inspectMessage>>>
type Attempt = Inspected['attempts'][number]

export function inspectedDocument({ message, recipients, attempts }: Inspected): object {
  return {
    message_id: message.id,
    account_id: message.account_id,
    domain_id: message.domain_id,
    status: message.status,
    stream: message.stream,
    from: message.from_email,
    subject: message.subject,
    size: message.size,
    created_at: time(message.created_at),
    updated_at: time(message.updated_at),
    recipients: recipients.map((recipient) => ({
      email: recipient.email,
      role: recipient.role,
      status: recipient.status,
      destination: recipient.destination,
      next_attempt_at: time(recipient.next_attempt_at),
      last_event_at: time(recipient.last_event_at),
      smtp_code: recipient.smtp_code,
      smtp_response: recipient.smtp_response,
      mx: recipient.mx,
      attempts: attempts.filter((one) => one.position === recipient.position).map(attemptDocument),
    })),
  }
}

const attemptDocument = (attempt: Attempt): object => ({
  number: attempt.number,
  started_at: time(attempt.started_at),
  duration_ms: attempt.duration_ms,
  status: attempt.status,
  reason: attempt.reason,
  mx: attempt.mx,
  address: attempt.address,
  tls: attempt.tls,
  smtp_code: attempt.smtp_code,
  smtp_enhanced: attempt.smtp_enhanced,
  smtp_response: attempt.smtp_response,
  transcript: attempt.transcript,
})

export function inspectedPage({ message, recipients, attempts }: Inspected): string {
  const rows = recipients.map((recipient) => [
    recipient.email,
    recipient.status,
    recipient.attempts,
    shortTime(recipient.next_attempt_at),
    recipient.smtp_code === null ? '-' : `${recipient.smtp_code} ${recipient.smtp_response ?? ''}`.trim(),
  ])
  const emails = new Map(recipients.map((recipient) => [recipient.position, recipient.email]))
  return [
    fields([
      ['Message', message.id],
      ['Status', message.status],
      ['From', message.from_email],
      ['Subject', message.subject],
      ['Stream', message.stream],
      ['Size', `${message.size} octets`],
      ['Accepted', shortTime(message.created_at)],
    ]),
    table(['recipient', 'status', 'attempts', 'next attempt', 'last answer'], rows, 'It has no recipients.'),
    ...attempts.map((attempt) => attemptBlock(attempt, emails.get(attempt.position) ?? '')),
  ].join('\n\n')
}

function attemptBlock(attempt: Attempt, email: string): string {
  const host =
    attempt.mx === null ? '' : ` at ${attempt.mx}${attempt.address === null ? '' : ` [${attempt.address}]`}`
  const how = `${attempt.duration_ms} ms${attempt.tls === null ? '' : `, ${attempt.tls}`}`
  const head = `Attempt ${attempt.number} for ${email}${host}, ${shortTime(attempt.started_at)} (${how}): ${attempt.status}`
  const dialog = attempt.transcript.trimEnd()
  return [
    printable(head),
    ...(attempt.reason === '' ? [] : [`  ${printable(attempt.reason)}`]),
    ...(dialog === '' ? [] : dialog.split(/\r?\n/).map((line) => `  ${printable(line)}`)),
  ].join('\n')
}
