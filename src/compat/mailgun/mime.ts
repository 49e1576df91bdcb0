// Mailgun's call that sends a complete message.

import { testSender } from '../../api/inboxes/test-mode.ts'
import { readIdempotencyKey } from '../../api/messages/idempotency-key.ts'
import type { FormFields } from '../../http/form-fields.ts'
import { callerOfTrace } from '../../lib/traces.ts'
import { textField } from '../../mime/header-field.ts'
import { ownMessageId } from '../../model/message.ts'
import { readMailboxes } from '../mailboxes.ts'
import type { Translation } from '../translation.ts'
import { queued, type SendAnswer } from './answer.ts'
import { enterDomain, formOf } from './domain.ts'
import { fieldsOf, type MailgunOptions, readOptions } from './message-form.ts'

/** Accepts a complete message for the recipients in `to`, which may differ from the recipients in the header. */
export async function sendMime(translation: Translation): Promise<SendAnswer> {
  const sender = await enterDomain(translation)
  const { reading, services, request: http } = translation
  const form = formOf(translation)
  const { fields, headers, values } = fieldsOf(form, reading, ['message'])
  const to = fields.list('to').flatMap((text) => readMailboxes(String(text)))
  const content = contentOf(form)
  if (to.length === 0) reading.wrong('to', 'too_few', 'Give at least one address.')
  if (content === undefined) reading.wrong('message', 'required', 'Give the complete message.')
  for (const name of ['recipient-variables', 'o:deliverytime', 'template', 't:variables']) {
    if (fields.has(name)) reading.refuse(name, 'A complete message is sent at once and unchanged.')
  }
  const options = readOptions(fields, headers, values, reading, services.submission.now)
  translation.recipients = to.map(({ email }) => email)
  translation.check()
  const whole = content as Buffer
  const by = options.isTest ? await testSender(services, sender) : sender
  const { message_id } = await services.submitRaw({
    content: Buffer.concat([serviceFields(options), whole]),
    ...{ from: undefined, to: to.map(({ email }) => email), stream: options.stream, tags: options.tags },
    idempotencyKey: readIdempotencyKey(http.headers['idempotency-key']),
    traceCaller: callerOfTrace(http.headers.traceparent),
    senderOf: () => by,
  })
  translation.messageId = message_id
  return queued(messageIdIn(whole) ?? ownMessageId(message_id, sender.domainName))
}

/** Returns the message, which is a file or a text; undefined if the form has none. */
function contentOf(form: FormFields): Buffer | undefined {
  const [file] = form.files('message')
  if (file !== undefined) return file.bytes
  const text = form.text('message')
  return text === undefined || text === '' ? undefined : Buffer.from(text.replaceAll(/\r?\n/g, '\r\n'))
}

/** Returns the header fields by which the submission of a complete message takes its options. */
function serviceFields({ metadata = {}, track_opens, track_links, require_tls }: MailgunOptions): Buffer {
  const fields: [string, string][] = Object.entries(metadata).map(([name, value]) => [
    `X-Metadata-${name.replaceAll(/[^\x21-\x39\x3b-\x7e]/g, '-')}`,
    value,
  ])
  if (track_opens !== undefined) fields.push(['X-Track-Opens', String(track_opens)])
  if (track_links !== undefined) fields.push(['X-Track-Links', String(track_links)])
  if (require_tls === true) fields.push(['X-Require-TLS', 'true'])
  return Buffer.from(fields.map(([name, value]) => textField(name, value)).join(''), 'latin1')
}

/** Maximum size of the beginning of a message in which its Message-ID is searched. */
const MAX_HEADER = 65_536

/** Returns the Message-ID in the header of a message, without angle brackets; undefined if there is none. */
function messageIdIn(content: Buffer): string | undefined {
  const beginning = content.toString('latin1', 0, MAX_HEADER)
  const [header = ''] = beginning.split(/\r?\n\r?\n/, 1)
  return /^message-id[ \t]*:[ \t\r\n]*<([^<>\s]+)>/im.exec(header)?.[1]
}
