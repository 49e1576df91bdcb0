// Postal's calls that show a message and its deliveries.

import { callerOf } from '../../api/caller.ts'
import type { EventType } from '../../model/event.ts'
import {
  numberOfEvent,
  numberOfRecipient,
  secondOfNumber,
  tokenOfRecipient,
} from '../../model/event-number.ts'
import { Problem } from '../../model/problem.ts'
import type { VendorCall } from '../declaration.ts'
import { rowsOf, rowsWhere } from '../pages.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { parametersOf, succeeded } from './call.ts'

const noun = 'Messages'
const BODY = { kinds: ['fields'], maxBytes: 65_536 } as const

export const shownCalls: readonly VendorCall[] = [
  {
    ...{ method: 'POST', path: '/api/v1/messages/message', noun, scope: 'messages:read', effect: 'reads' },
    summary: 'Show a message',
    body: BODY,
    state: 'differs',
    differences:
      'Bodies, headers and the complete message need the scope `content:read`. `inspection` and `activity_entries` are empty.',
    handler: showMessage,
  },
  {
    ...{ method: 'POST', path: '/api/v1/messages/deliveries', noun, scope: 'messages:read', effect: 'reads' },
    summary: 'List the deliveries of a message',
    body: BODY,
    state: 'served',
    handler: showDeliveries,
  },
]

interface Mailbox {
  readonly email: string
  readonly status: string
}

/** A message, as `GET /v1/messages/{message_id}` shows it. */
interface Shown {
  readonly message_id: string
  readonly message_id_header: string
  readonly from: string
  readonly subject: string
  readonly tag: string | null
  readonly size: number
  readonly created_at: string
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly bcc: readonly Mailbox[]
  readonly events: readonly {
    readonly id: string
    readonly type: EventType
    readonly at: string
    readonly email: string
    readonly detail: Readonly<Record<string, unknown>>
  }[]
  readonly html?: string | null
  readonly text?: string | null
  readonly headers?: readonly { readonly name: string; readonly value: string }[]
}

const FIELDS = new FieldNames('id', '_expansions')
const OF_CONTENT = ['plain_body', 'html_body', 'headers', 'raw_message', 'attachments']
const ALL = ['status', 'details', 'inspection', ...OF_CONTENT, 'activity_entries']

/** The message of one recipient. */
interface Found {
  readonly number: number
  readonly message: Shown
  readonly recipient: Mailbox
}

/** Finds the recipient with the number in the parameters. Throws `not_found` if there is none. */
async function find(
  translation: Translation,
  number: number | undefined,
  withContent: boolean,
): Promise<Found> {
  if (number === undefined) translation.reading.wrong('id', 'required', 'Give the ID of a message.')
  translation.check()
  const wanted = number as number
  const { body: message } = await translation.v1<Shown>('messages.get', {
    params: { message_id: await messageOf(translation, wanted) },
    query: withContent ? { include: 'content' } : {},
  })
  const recipient = recipientOf(message, wanted)
  if (recipient === undefined) throw absent()
  return { number: wanted, message, recipient }
}

/** Returns the recipient of a message that has a number. */
const recipientOf = ({ message_id: messageId, to, cc, bcc }: Shown, number: number): Mailbox | undefined =>
  [...to, ...cc, ...bcc].find(({ email }) => numberOfRecipient({ messageId, email }) === number)

const absent = (): Problem => new Problem('not_found', 'There is no such message.')

/** Returns the ID of the message to the recipient with a number, among the messages of the number's second. */
async function messageOf(translation: Translation, number: number): Promise<string> {
  const second = secondOfNumber(number)
  const [after, before] = [second, second + 1_000].map((at) => new Date(at).toISOString())
  const messages = rowsWhere(rowsOf<Shown>(translation, 'messages.list', { after, before }), () => true)
  for await (const message of messages) {
    if (recipientOf(message, number) !== undefined) return message.message_id
  }
  throw absent()
}

async function showMessage(translation: Translation): Promise<object> {
  const fields = parametersOf(translation, FIELDS)
  const given = fields.value('_expansions')
  const wanted: readonly unknown[] = given === true || given === 'true' ? ALL : fields.list('_expansions')
  const has = (name: string): boolean => wanted.includes(name)
  const found = await find(translation, fields.integer('id'), OF_CONTENT.some(has))
  const { message, recipient } = found
  const { headers = [], html, text } = message
  const at = Date.parse(message.created_at) / 1_000
  const { accountId } = callerOf(translation.request)
  const token = tokenOfRecipient({ accountId, messageId: message.message_id, email: recipient.email })
  return succeeded(translation, {
    ...{ id: found.number, token },
    ...(has('status') ? { status: statusOf(found) } : {}),
    ...(has('details') ? { details: detailsOf(message, recipient, at) } : {}),
    ...(has('inspection') ? { inspection: UNINSPECTED } : {}),
    ...(has('plain_body') ? { plain_body: text ?? null } : {}),
    ...(has('html_body') ? { html_body: html ?? null } : {}),
    ...(has('attachments') ? { attachments: [] } : {}),
    ...(has('headers') ? { headers: headerLists(headers) } : {}),
    ...(has('activity_entries') ? { activity_entries: { loads: [], clicks: [] } } : {}),
  })
}

const UNINSPECTED = { inspected: false, spam: false, spam_score: 0, threat: false, threat_details: null }

const detailsOf = (message: Shown, { email }: Mailbox, timestamp: number): object => ({
  ...{ rcpt_to: email, mail_from: message.from, subject: message.subject },
  ...{ message_id: message.message_id_header, timestamp, direction: 'outgoing', size: String(message.size) },
  ...{ bounce: false, bounce_for_id: null, tag: message.tag, received_with_ssl: true },
})

/** Returns the values of header fields by their names in lower case. */
const headerLists = (headers: NonNullable<Shown['headers']>): object =>
  Object.fromEntries(
    [...Map.groupBy(headers, ({ name }) => name.toLowerCase())].map(([name, fields]) => [
      name,
      fields.map(({ value }) => value),
    ]),
  )

/** Postal's words for the states of a recipient. */
const STATUSES: Readonly<Record<string, string>> = {
  delivered: 'Sent',
  deferred: 'SoftFail',
  bounced: 'HardFail',
  failed: 'HardFail',
  suppressed: 'Held',
  cancelled: 'Held',
}

function statusOf({ message, recipient }: Found): object {
  const last = attemptsOf(message, recipient.email).at(-1)
  const status = STATUSES[recipient.status] ?? 'Pending'
  return {
    status,
    last_delivery_attempt: last === undefined ? null : Date.parse(last.at) / 1_000,
    ...{ held: status === 'Held', hold_expiry: null },
  }
}

/** Types of events that are deliveries at Postal. */
const DELIVERIES: ReadonlySet<EventType> = new Set([
  'delivered',
  'deferred',
  'bounced',
  'failed',
  'suppressed',
])

const attemptsOf = ({ events }: Shown, recipient: string): Shown['events'] =>
  events.filter(({ type, email }) => email === recipient && DELIVERIES.has(type))

async function showDeliveries(translation: Translation): Promise<object> {
  const fields = parametersOf(translation, FIELDS)
  const { message, recipient } = await find(translation, fields.integer('id'), false)
  const attempts = attemptsOf(message, recipient.email)
  return succeeded(
    translation,
    attempts.map(({ id, type, at, detail }) => ({
      id: numberOfEvent({ id, at: Date.parse(at) }),
      status: STATUSES[type] ?? 'Pending',
      details: typeof detail.category === 'string' ? detail.category : '',
      output: [detail.smtp_code, detail.smtp_response].filter((part) => part !== undefined).join(' '),
      ...{ sent_with_ssl: detail.tls !== undefined, log_id: id },
      ...{ time: null, timestamp: Date.parse(at) / 1_000 },
    })),
  )
}
