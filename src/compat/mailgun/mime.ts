// Mailgun's call that sends a complete message.

import { readIdempotencyKey } from '../../api/messages/idempotency-key.ts'
import type { FormFields } from '../../http/form-fields.ts'
import { newId } from '../../lib/ids.ts'
import { callerOfTrace } from '../../lib/traces.ts'
import { textField } from '../../mime/header-field.ts'
import { ownMessageId } from '../../model/message.ts'
import type { MailboxInput } from '../../model/send-request.ts'
import { LIMITS } from '../../model/send-request.ts'
import { readMailboxes } from '../mailboxes.ts'
import type { Translation } from '../translation.ts'
import { enterDomain, formOf } from './domain.ts'
import { fieldsOf, MAX_RECIPIENTS, type MailgunOptions, readOptions } from './message-form.ts'
import { queued, type SendAnswer } from './messages.ts'

/** Accepts a complete message for the recipients in `to`; more than 50 recipients get several messages. */
export async function sendMime(translation: Translation): Promise<SendAnswer> {
  const sender = await enterDomain(translation)
  const { reading, services, request: http } = translation
  const form = formOf(translation)
  const { fields, headers, values } = fieldsOf(form, reading, ['message'])
  const to = fields.list('to').flatMap((text) => readMailboxes(String(text)))
  const content = contentOf(form)
  if (to.length === 0) reading.wrong('to', 'too_few', 'Give at least one address.')
  if (to.length > MAX_RECIPIENTS) {
    reading.wrong('to', 'too_many_recipients', `A message has at most ${MAX_RECIPIENTS} recipients.`)
  }
  if (content === undefined) reading.wrong('message', 'required', 'Give the complete message.')
  for (const name of ['recipient-variables', 'o:deliverytime', 'template', 't:variables']) {
    if (fields.has(name)) reading.refuse(name, 'A complete message is sent at once and unchanged.')
  }
  const options = readOptions(fields, headers, values, reading, services.submission.now)
  translation.recipients = to.map(({ email }) => email)
  translation.check()
  const message = Buffer.concat([serviceFields(options), content as Buffer])
  const key = readIdempotencyKey(http.headers['idempotency-key'])
  const ids: string[] = []
  for (const [index, part] of partsOf(options.isTest ? [] : to).entries()) {
    const { message_id } = await services.submitRaw({
      // Submitting takes the memory of the content.
      ...{ content: Buffer.from(message), from: undefined, to: part },
      ...{ stream: options.stream, tags: options.tags },
      idempotencyKey: key === undefined || index === 0 ? key : `${key}\u001f${index}`,
      traceCaller: callerOfTrace(http.headers.traceparent),
      senderOf: () => sender,
    })
    ids.push(message_id)
  }
  const [id = newId('msg', services.submission.now)] = ids
  if (ids.length > 0) translation.messageId = id
  return queued(messageIdIn(content as Buffer) ?? ownMessageId(id, sender.domainName))
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

/** Divides recipients into lists with as many recipients as a message may have. */
function partsOf(to: readonly MailboxInput[]): string[][] {
  const unique = [...new Map(to.map(({ email }) => [email.toLowerCase(), email])).values()]
  const count = Math.ceil(unique.length / LIMITS.recipients)
  return Array.from({ length: count }, (_, index) =>
    unique.slice(index * LIMITS.recipients, (index + 1) * LIMITS.recipients),
  )
}

/** Maximum size of the beginning of a message in which its Message-ID is searched. */
const MAX_HEADER = 65_536

/** Returns the Message-ID in the header of a message, without angle brackets; undefined if there is none. */
function messageIdIn(content: Buffer): string | undefined {
  const beginning = content.toString('latin1', 0, MAX_HEADER)
  const [header = ''] = beginning.split(/\r?\n\r?\n/, 1)
  return /^message-id[ \t]*:[ \t\r\n]*<([^<>\s]+)>/im.exec(header)?.[1]
}
