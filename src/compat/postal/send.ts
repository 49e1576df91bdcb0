// Postal's calls that send messages.

import { callerOf } from '../../api/caller.ts'
import { senderFrom } from '../../api/domain-of-request.ts'
import { readIdempotencyKey } from '../../api/messages/idempotency-key.ts'
import { callerOfTrace } from '../../lib/traces.ts'
import { parseSoleMailbox } from '../../mime/read-mailboxes.ts'
import { isAddress, parseAddress } from '../../model/address.ts'
import { numberOfRecipient, tokenOfRecipient } from '../../model/event-number.ts'
import { ownMessageId } from '../../model/message.ts'
import { LIMITS, type MailboxInput, type SendRequest } from '../../model/send-request.ts'
import type { VendorCall } from '../declaration.ts'
import { plainMailbox, readMailboxes } from '../mailboxes.ts'
import { FieldNames, type Fields } from '../reading.ts'
import { type Recipients, recipientParts } from '../recipient-parts.ts'
import { sendMany, sendOne } from '../send.ts'
import type { Translation } from '../translation.ts'
import { parametersOf, succeeded } from './call.ts'

const noun = 'Sending'
const BODY = { kinds: ['fields'], maxBytes: 32 * 1_048_576 } as const

export const sendCalls: readonly VendorCall[] = [
  {
    ...{
      method: 'POST',
      path: '/api/v1/send/message',
      noun,
      scope: 'messages:send',
      once: 'handler',
      body: BODY,
    },
    summary: 'Send a message',
    state: 'differs',
    differences:
      'More than 50 recipients in `to`, `cc` and `bcc` together get several messages. `sender` and `bounce` have no effect.',
    handler: sendMessage,
  },
  {
    ...{
      method: 'POST',
      path: '/api/v1/send/raw',
      noun,
      scope: 'messages:send',
      once: 'handler',
      body: BODY,
    },
    summary: 'Send a complete message',
    state: 'differs',
    differences: '`bounce` has no effect.',
    handler: sendRaw,
  },
]

const MESSAGE = new FieldNames(
  ...[
    'to',
    'cc',
    'bcc',
    'from',
    'sender',
    'subject',
    'tag',
    'reply_to',
    'plain_body',
    'html_body',
    'headers',
  ],
  ...['attachments', 'bounce'],
)
const ATTACHMENT = new FieldNames('name', 'content_type', 'data', 'base64')

async function sendMessage(translation: Translation): Promise<object> {
  const fields = parametersOf(translation, MESSAGE)
  for (const name of ['sender', 'bounce']) if (fields.has(name)) translation.reading.ignore(name)
  const { to, cc, bcc } = readRecipientLists(translation, fields)
  const shared = readMessage(translation, fields)
  const requests = recipientParts({ to, cc, bcc }).map((part) => ({ ...shared, ...part }) as SendRequest)
  const { problems } = translation.reading
  const [first] = requests
  const ids: string[] = []
  if (requests.length === 1 && first !== undefined) {
    ids.push((await sendOne(translation, { request: first, problems })).message_id)
  } else {
    translation.check()
    const messages = requests.map((request) => ({ request, problems: [] }))
    const { results } = await sendMany(translation, messages, { whole: true })
    ids.push(...results.flatMap((one) => ('message_id' in one ? [one.message_id] : [])))
  }
  const sent = ids.map((id, index) => ({ id, recipients: addressesOf(requests[index] as SendRequest) }))
  return answerOf(translation, sent, shared.from)
}

/** Returns the recipients of each role, which may be lists or texts with commas. */
function readRecipientLists({ reading: notes }: Translation, fields: Fields): Recipients {
  const read = (name: keyof Recipients): MailboxInput[] => {
    const all = fields.list(name).flatMap((text) => readMailboxes(String(text)))
    if (all.length > LIMITS.recipients)
      notes.wrong(name, 'too_many_recipients', `At most ${LIMITS.recipients}.`)
    for (const { email } of all.slice(0, LIMITS.recipients)) {
      const address = parseAddress(email)
      if (isAddress(address)) continue
      notes.wrong(name, 'invalid_email', `${JSON.stringify(email.slice(0, 100))} ${address.problem}.`)
    }
    return all
  }
  const recipients = { to: read('to'), cc: read('cc'), bcc: read('bcc') }
  if (recipients.to.length + recipients.cc.length + recipients.bcc.length === 0) {
    notes.wrong('to', 'required', 'Give a recipient.')
  }
  return recipients
}

/** Returns the message without its recipients. */
function readMessage({ reading: notes }: Translation, fields: Fields): Omit<SendRequest, 'to' | 'subject'> {
  const text = fields.text('from')
  if (text === undefined) notes.wrong('from', 'required', 'Give the address of the sender.')
  const from = plainMailbox(text ?? '') ?? parseSoleMailbox(text ?? '') ?? { email: text ?? '' }
  const replyTo = readMailboxes(fields.text('reply_to') ?? '')
  const subject = fields.text('subject')
  const tag = fields.text('tag')
  const [html, plain] = [fields.text('html_body'), fields.text('plain_body')]
  if (html === undefined && plain === undefined)
    notes.wrong('html', 'required', 'Give html_body or plain_body.')
  const headers = fields.texts('headers')
  const attachments = fields.objects('attachments', ATTACHMENT).map((file) => {
    const [name, data, type] = [file.text('name'), file.text('data'), file.text('content_type')]
    if (name === undefined) notes.wrong(file.at('name'), 'required', 'Give the name of the file.')
    if (data === undefined)
      notes.wrong(file.at('data'), 'required', 'Give the content of the file in base64.')
    return {
      filename: name ?? '',
      content: data ?? '',
      ...(type === undefined ? {} : { content_type: type }),
    }
  })
  return {
    from: from.email,
    ...(from.name === undefined ? {} : { from_name: from.name }),
    ...(subject === undefined ? {} : { subject }),
    ...(html === undefined ? {} : { html }),
    ...(plain === undefined ? {} : { text: plain }),
    ...(tag === undefined ? {} : { tags: [tag] }),
    ...(replyTo.length === 0 ? {} : { reply_to: replyTo }),
    ...(headers === undefined ? {} : { headers }),
    ...(attachments.length === 0 ? {} : { attachments }),
  }
}

const RAW = new FieldNames('mail_from', 'rcpt_to', 'data', 'bounce')

async function sendRaw(translation: Translation): Promise<object> {
  const { reading: notes, services, request: http } = translation
  const fields = parametersOf(translation, RAW)
  if (fields.has('bounce')) notes.ignore('bounce')
  const from = fields.text('mail_from')
  const to = fields.list('rcpt_to').map(String)
  const data = fields.text('data')?.replaceAll(/\s/g, '')
  if (from === undefined) notes.wrong('from', 'required', 'Give mail_from.')
  if (to.length === 0) notes.wrong('to', 'required', 'Give rcpt_to.')
  if (data === undefined) notes.wrong('html', 'required', 'Give data.')
  else if (data.length % 4 === 1 || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(data)) {
    notes.wrong('data', 'invalid_base64', 'Give the message in base64; the text is cut or is no base64.')
  }
  translation.check()
  translation.recipients = to
  const { message_id } = await services.submitRaw({
    content: Buffer.from(data ?? '', 'base64'),
    ...{ from, to, stream: undefined, tags: undefined },
    idempotencyKey: readIdempotencyKey(http.headers['idempotency-key']),
    traceCaller: callerOfTrace(http.headers.traceparent),
    senderOf: (address) => senderFrom(http, address),
  })
  translation.messageId = message_id
  return answerOf(translation, [{ id: message_id, recipients: storedAddresses(to) }], from ?? '')
}

/** Returns the response to accepted messages: an ID and a token for each recipient. */
function answerOf(
  translation: Translation,
  sent: readonly { readonly id: string; readonly recipients: readonly string[] }[],
  from: string,
): object {
  const { accountId } = callerOf(translation.request)
  const messages = sent.flatMap(({ id: messageId, recipients }) =>
    recipients.map((email) => {
      const recipient = { accountId, messageId, email }
      return [email, { id: numberOfRecipient(recipient), token: tokenOfRecipient(recipient) }]
    }),
  )
  const domain = from.slice(from.lastIndexOf('@') + 1)
  return succeeded(translation, {
    message_id: ownMessageId(sent[0]?.id ?? '', domain),
    messages: Object.fromEntries(messages),
  })
}

/** Returns the addresses of a message as they are stored: each address once, in the order of the roles. */
const storedAddresses = (emails: readonly string[]): string[] => [
  ...new Set(
    emails.map((email) => {
      const address = parseAddress(email)
      return isAddress(address) ? address.email : email
    }),
  ),
]

const addressesOf = ({ to, cc = [], bcc = [] }: SendRequest): string[] =>
  storedAddresses([...to, ...cc, ...bcc].map(({ email }) => email))
