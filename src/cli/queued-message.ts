// Text of `queue show`: a message with its recipients, and every attempt with its SMTP dialog.

import { fields, printable, table } from './text.ts'
import { shortDate } from './times.ts'

/** Message with its recipients and attempts, as the operator API shows it (`operator/inspected-document.ts`). */
export interface Inspected {
  readonly message_id: string
  readonly status: string
  readonly stream: string
  readonly from: string
  readonly subject: string
  readonly size: number
  readonly created_at: string
  readonly recipients: readonly InspectedRecipient[]
}

interface InspectedRecipient {
  readonly email: string
  readonly status: string
  readonly next_attempt_at: string | null
  readonly held: { readonly since: string; readonly reason: string; readonly note: string | null } | null
  readonly smtp_code: number | null
  readonly smtp_response: string | null
  readonly attempts: readonly InspectedAttempt[]
}

interface InspectedAttempt {
  readonly number: number
  readonly started_at: string
  readonly duration_ms: number
  readonly status: string
  readonly reason: string
  readonly mx: string | null
  readonly address: string | null
  readonly tls: string | null
  readonly transcript: string
}

export function inspectedPage(message: Inspected): string {
  const { recipients } = message
  const rows = recipients.map((recipient) => [
    recipient.email,
    recipient.status,
    recipient.attempts.length,
    recipient.held === null ? shortDate(recipient.next_attempt_at) : 'held',
    recipient.smtp_code === null ? '-' : `${recipient.smtp_code} ${recipient.smtp_response ?? ''}`.trim(),
  ])
  const attempts = recipients.flatMap((recipient) =>
    recipient.attempts.map((attempt) => ({ attempt, email: recipient.email })),
  )
  return [
    fields([
      ['Message', message.message_id],
      ['Status', message.status],
      ['From', message.from],
      ['Subject', message.subject],
      ['Stream', message.stream],
      ['Size', `${message.size} bytes`],
      ['Accepted', shortDate(message.created_at)],
    ]),
    table(
      ['recipient', 'status', 'attempts', 'next attempt', 'last answer'],
      rows,
      'The message has no recipients.',
    ),
    ...heldLines(recipients),
    ...attempts.map(({ attempt, email }) => attemptBlock(attempt, email)),
  ].join('\n\n')
}

/** Returns one paragraph for each cause that holds recipients of a message. */
function heldLines(recipients: Inspected['recipients']): string[] {
  const lines = recipients.flatMap(({ held }) => {
    if (held === null) return []
    const note = held.note === null ? '' : ` Note: ${printable(held.note)}`
    return [`Held since ${shortDate(held.since)}: ${printable(held.reason)}${note}`]
  })
  return [...new Set(lines)]
}

function attemptBlock(attempt: InspectedAttempt, email: string): string {
  const host =
    attempt.mx === null ? '' : ` at ${attempt.mx}${attempt.address === null ? '' : ` [${attempt.address}]`}`
  const how = `${attempt.duration_ms} ms${attempt.tls === null ? '' : `, ${attempt.tls}`}`
  const head = `Attempt ${attempt.number} for ${email}${host}, ${shortDate(attempt.started_at)} (${how}): ${attempt.status}`
  const dialog = attempt.transcript.trimEnd()
  return [
    printable(head),
    ...(attempt.reason === '' ? [] : [`  ${printable(attempt.reason)}`]),
    ...(dialog === '' ? [] : dialog.split(/\r?\n/).map((line) => `  ${printable(line)}`)),
  ].join('\n')
}
