// The page of a message in the queue: its recipients, and every attempt with its dialog.

import { wholeTranscript } from '../model/attempt-transcript.ts'
import type { InspectedMessage } from '../store/queue/queue-control.ts'
import { fields, printable, table } from './text.ts'
import { shortTime } from './times.ts'

type Attempt = InspectedMessage['attempts'][number]

export function inspectedPage({ message, recipients, attempts }: InspectedMessage): string {
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
  const dialog = wholeTranscript(attempt).trimEnd()
  return [
    printable(head),
    ...(attempt.reason === '' ? [] : [`  ${printable(attempt.reason)}`]),
    ...(dialog === '' ? [] : dialog.split(/\r?\n/).map((line) => `  ${printable(line)}`)),
  ].join('\n')
}
