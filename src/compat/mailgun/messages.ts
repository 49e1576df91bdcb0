// Mailgun's calls that send messages, and that show a stored message.

import { createHash } from 'node:crypto'
import { BulkMessageBody } from '../../api/contract/bulk.ts'
import { testSender } from '../../api/inboxes/test-mode.ts'
import { readIdempotencyKey } from '../../api/messages/idempotency-key.ts'
import type { GivenRow } from '../../bulk/given-bulk.ts'
import type { FormFields } from '../../http/form-fields.ts'
import { requestProblemsOf } from '../../http/shape.ts'
import type { BulkMessage, BulkRow } from '../../model/bulk.ts'
import { hashOfJson } from '../../model/json-hash.ts'
import { ownMessageId } from '../../model/message.ts'
import { invalidFields } from '../../model/problem.ts'
import type { MailboxInput, SendRequest } from '../../model/send-request.ts'
import type { Sender } from '../../submission/authorize.ts'
import type { VendorCall } from '../declaration.ts'
import { recipientParts } from '../recipient-parts.ts'
import { sendMany, sendOne } from '../send.ts'
import type { Translation } from '../translation.ts'
import { queued, type SendAnswer } from './answer.ts'
import { enterDomain, formOf } from './domain.ts'
import { type MailgunMessage, readMessageForm } from './message-form.ts'
import { sendMime } from './mime.ts'

const noun = 'Messages'
/** Maximum size of a form with a message, in bytes: the largest message of Mailgun, and the other fields. */
const MESSAGE_FORM = { kinds: ['fields'], maxBytes: 32 * 1_048_576 } as const

export const messageCalls: readonly VendorCall[] = [
  {
    ...{ method: 'POST', path: '/v3/:domain/messages', noun, scope: 'messages:send', once: 'handler' },
    summary: 'Send a message, or one message to each of up to 1,000 recipients',
    body: MESSAGE_FORM,
    state: 'differs',
    differences:
      'Without `recipient-variables`, more than 50 recipients get several messages, and see the recipients of their own message only. With `o:testmode` the message goes to the [test inbox](testing.md) `Test mode` of the account. `o:stream` names a stream.',
    handler: send,
  },
  {
    ...{ method: 'POST', path: '/v3/:domain/messages.mime', noun, scope: 'messages:send', once: 'handler' },
    summary: 'Send a complete message',
    body: MESSAGE_FORM,
    state: 'differs',
    differences:
      'At most 50 recipients. `recipient-variables`, `o:deliverytime` and templates are refused. With `o:testmode` the message goes to the [test inbox](testing.md) `Test mode` of the account.',
    handler: sendMime,
  },
  {
    ...{ method: 'GET', path: '/v3/domains/:domain/messages/:key', noun, scope: 'content:read' },
    summary: 'Show a stored message',
    state: 'served',
    handler: showStored,
  },
  {
    ...{ method: 'POST', path: '/v3/domains/:domain/messages/:key', noun, scope: 'messages:send' },
    summary: 'Send a stored message again',
    state: 'refused',
    differences: 'Use the dashboard, which sends a message again to chosen recipients.',
  },
  {
    ...{ method: 'DELETE', path: '/v3/:domain/envelopes', noun, scope: 'messages:write' },
    summary: 'Cancel all messages that wait',
    state: 'refused',
    differences: 'Cancel messages one by one with `POST /v1/messages/{message_id}/cancel`.',
  },
  {
    ...{ method: 'GET', path: '/v3/domains/:domain/sending_queues', noun, scope: 'messages:read' },
    summary: 'Show whether the domain sends',
    state: 'served',
    handler: showQueues,
  },
]

async function send(translation: Translation): Promise<SendAnswer> {
  const sender = await enterDomain(translation)
  const form = formOf(translation)
  const { submission } = translation.services
  const message = readMessageForm(form, translation.reading, submission.now)
  const { to, cc, bcc, variables } = message
  translation.recipients = [...to, ...cc, ...bcc].map(({ email }) => email)
  return variables === undefined
    ? sendTogether(translation, sender, message)
    : sendApart(translation, sender, form, { ...message, variables })
}

/** Sends a message whose recipients see each other. */
async function sendTogether(
  translation: Translation,
  { domainName }: Sender,
  { shared, isTest, ...recipients }: MailgunMessage,
): Promise<SendAnswer> {
  const { problems } = translation.reading
  const requests = recipientParts(recipients).map((part) => ({ ...shared, ...part }) as SendRequest)
  const [first] = requests
  if (first === undefined) throw invalidFields(problems)
  if (requests.length === 1) {
    const { message_id } = await sendOne(translation, { request: first, problems }, { isTest })
    return queued(ownMessageId(message_id, domainName))
  }
  translation.check()
  const messages = requests.map((request) => ({ request, problems: [] }))
  const { results } = await sendMany(translation, messages, { whole: true, isTest })
  const [sent] = results.filter((one) => 'message_id' in one)
  return queued(ownMessageId(sent?.message_id ?? '', domainName))
}

/** Sends one message to each recipient in `to`, with the recipient's variables, as a bulk. */
async function sendApart(
  translation: Translation,
  sender: Sender,
  form: FormFields,
  { shared, to, cc, bcc, variables, isTest }: MailgunMessage & Required<Pick<MailgunMessage, 'variables'>>,
): Promise<SendAnswer> {
  const { request: http, reading, services } = translation
  const rows = to.map((mailbox) => rowOf(mailbox, variables?.get(mailbox.email.toLowerCase())))
  const [first] = rows
  const shapeProblems = [...reading.problems, ...requestProblemsOf(BulkMessageBody, shared)]
  if (first === undefined) throw invalidFields(shapeProblems)
  const message: BulkMessage = {
    ...shared,
    ...(cc.length === 0 ? {} : { cc }),
    ...(bcc.length === 0 ? {} : { bcc }),
    literal: first,
  }
  const given = { message, shapeProblems, rows: numbered(rows) }
  const by = isTest ? await testSender(services, sender) : sender
  const key = readIdempotencyKey(http.headers['idempotency-key'])
  const bodyHash = key && (await hashOfJson(createHash('sha256').update(http.url), form.toJSON()))
  const idempotency = key === undefined || bodyHash === undefined ? undefined : { key, bodyHash }
  const { bulk_id } = await services.bulks.accept(by, { ...given, name: null, idempotency })
  return queued(ownMessageId(bulk_id, sender.domainName))
}

const rowOf = (to: MailboxInput, variables: object | undefined): BulkRow => ({
  to,
  ...(variables === undefined ? {} : { template_model: variables }),
})

async function* numbered(rows: readonly BulkRow[]): AsyncGenerator<GivenRow> {
  for (const [index, row] of rows.entries()) yield { line: index + 1, row, to: row.to.email }
}

/** A message with its content, as `GET /v1/messages/{message_id}` shows the message. */
interface ShownMessage {
  readonly message_id_header: string
  readonly from: string
  readonly from_name: string | null
  readonly subject: string
  readonly to: readonly { readonly email: string }[]
  readonly cc: readonly { readonly email: string }[]
  readonly bcc: readonly { readonly email: string }[]
  readonly html?: string | null
  readonly text?: string | null
}

async function showStored(translation: Translation): Promise<object> {
  await enterDomain(translation)
  const { body } = await translation.v1<ShownMessage>('messages.get', {
    params: { message_id: translation.param('key') },
    query: { include: 'content' },
  })
  const { from, from_name, subject, to, cc, bcc, text, html } = body
  const recipients = [...to, ...cc, ...bcc].map(({ email }) => email).join(', ')
  return {
    sender: from,
    recipients,
    from: from_name === null ? from : `${from_name} <${from}>`,
    subject,
    'Message-Id': `<${body.message_id_header}>`,
    ...{ 'body-plain': text ?? '', 'stripped-text': text ?? '' },
    ...{ 'body-html': html ?? '', 'stripped-html': html ?? '' },
  }
}

async function showQueues(translation: Translation): Promise<object> {
  const { domainStatus } = await enterDomain(translation)
  const isPaused = domainStatus !== 'verified'
  const queue = {
    is_disabled: isPaused,
    ...(isPaused ? { disabled: { until: '', reason: `The domain is ${domainStatus}.` } } : {}),
  }
  return { regular: queue, scheduled: queue }
}
