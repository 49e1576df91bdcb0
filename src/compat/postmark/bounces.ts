// Postmark's bounces: bounces, failures and complaints.

import { callerOf } from '../../api/caller.ts'
import type { MessageEventView } from '../../api/contract/event.ts'
import { idOfUuid, uuidOfId } from '../../lib/ids.ts'
import type { BounceCategory } from '../../model/bounce-category.ts'
import { numberOfEvent, secondOfNumber } from '../../model/event-number.ts'
import { Problem } from '../../model/problem.ts'
import { type BounceType, bounceTypeOf, streamId } from '../../webhooks/formats/postmark.ts'
import type { VendorCall } from '../declaration.ts'
import { pageOf, rowsOf, rowsWhere } from '../pages.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { MISSING } from './objects.ts'
import { PAGE, RANGE, readPage, readRange } from './paging.ts'
import { CODES, PostmarkProblem } from './problem.ts'
import { serverId } from './server.ts'
import { streamAlias } from './streams.ts'
import { timeOf } from './times.ts'

const noun = 'Bounces'
const LIST = new FieldNames(
  ...[...PAGE, ...RANGE, 'type', 'inactive', 'emailFilter', 'tag', 'messageID', 'messagestream'],
)
const COMPLAINT: BounceType = ['SpamComplaint', 100_001, 'Spam complaint']
/** Event types that are bounces at Postmark. */
const TYPES = 'bounced,failed,complained'
const SECOND_MS = 1_000

export const bounceCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path: '/bounces', noun, scope: 'messages:read' },
    summary: 'List bounces',
    state: 'differs',
    differences:
      '`emailFilter` takes a whole address. `Inactive` of a list tells whether the bounce suppressed the address.',
    handler: listBounces,
  },
  {
    ...{ method: 'GET', path: '/bounces/:id', noun, scope: 'messages:read' },
    summary: 'Read a bounce',
    state: 'served',
    handler: async (translation) => shownBounce(translation, await bounceIn(translation)),
  },
  {
    ...{ method: 'GET', path: '/bounces/:id/dump', noun, scope: 'messages:read' },
    summary: 'Read the text of a bounce',
    state: 'differs',
    differences: 'The text is the reply of the receiving host.',
    handler: async (translation) => ({ Body: (await bounceIn(translation)).reply?.smtp_response ?? '' }),
  },
  {
    ...{ method: 'PUT', path: '/bounces/:id/activate', noun, scope: 'suppressions:write' },
    summary: 'Remove the suppression of a bounced address',
    state: 'served',
    handler: activate,
  },
]

async function listBounces(translation: Translation): Promise<object> {
  const fields = translation.query(LIST)
  const page = readPage(fields, translation.reading)
  const [type, inactive, email, tag] = [
    fields.text('type'),
    fields.flag('inactive'),
    fields.text('emailFilter'),
    fields.text('tag'),
  ]
  const message = fields.text('messageID')
  const stream = streamAlias(fields.text('messagestream'))
  const query = {
    type: TYPES,
    ...readRange(fields, translation.reading),
    ...(email === undefined ? {} : { recipient: email }),
    ...(tag === undefined ? {} : { tag }),
    ...(message === undefined ? {} : { message_id: idOfUuid('msg', message) ?? message.slice(0, 100) }),
    ...(stream === undefined ? {} : { stream }),
  }
  const isWanted = (event: MessageEventView): boolean =>
    (type === undefined || typeOf(event)[0].toLowerCase() === type.toLowerCase()) &&
    (inactive === undefined || isInactive(event) === inactive)
  const rows = rowsWhere(rowsOf<MessageEventView>(translation, 'events.list', query), isWanted)
  const found = await pageOf(rows, page)
  const messages = new Map<string, Promise<Sent>>()
  const server = await serverId(translation)
  const bounces: object[] = []
  for (const event of found.rows) {
    const sent = messages.get(event.message_id) ?? sentOf(translation, event.message_id)
    messages.set(event.message_id, sent)
    bounces.push(viewOf(event, await sent, server, isInactive(event)))
  }
  return { TotalCount: found.total, Bounces: bounces }
}

/** Sender and subject of a message. */
interface Sent {
  readonly from: string
  readonly subject: string
}

/** Returns the sender and the subject of a message; empty texts for a message that was removed. */
async function sentOf(translation: Translation, message_id: string): Promise<Sent> {
  try {
    return (await translation.v1<Sent>('messages.get', { params: { message_id } })).body
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return { from: '', subject: '' }
    throw error
  }
}

/** Returns the bounce with the number in the path. */
async function bounceIn(translation: Translation): Promise<MessageEventView> {
  const text = translation.param('id')
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(Number(text))) throw MISSING.bounce
  const number = Number(text)
  const second = secondOfNumber(number)
  const query = {
    type: TYPES,
    after: new Date(second).toISOString(),
    before: new Date(second + SECOND_MS).toISOString(),
  }
  const found: MessageEventView[] = []
  for await (const event of rowsOf<MessageEventView>(translation, 'events.list', query)) {
    if (numberOf(event) === number) found.push(event)
  }
  const [bounce, other] = found
  // Two bounces with one number are possible, although very unlikely; the wrong address must not be activated.
  if (bounce === undefined || other !== undefined) throw MISSING.bounce
  return bounce
}

const numberOf = ({ id, at }: MessageEventView): number => numberOfEvent({ id, at: Date.parse(at) })

/** Returns Postmark's type of a bounce. */
function typeOf({ type, detail, category }: MessageEventView): BounceType {
  if (type === 'complained') return COMPLAINT
  return bounceTypeOf({
    isHard: 'hard' in detail && detail.hard === true,
    category: (category ?? undefined) as BounceCategory | undefined,
  })
}

/** True if the bounce suppressed its address. */
const isInactive = ({ type, detail }: MessageEventView): boolean =>
  type === 'complained' || ('hard' in detail && detail.hard === true)

/** Returns a bounce with the present state of its address. */
async function shownBounce(translation: Translation, event: MessageEventView): Promise<object> {
  const sent = await sentOf(translation, event.message_id)
  const isListed = isInactive(event) && (await isSuppressed(translation, event))
  return viewOf(event, sent, await serverId(translation), isListed)
}

/** True if the address of a bounce is suppressed now; what the bounce itself tells for a key that may not look. */
async function isSuppressed(translation: Translation, { email, stream }: MessageEventView): Promise<boolean> {
  if (!callerOf(translation.request).scopes.has('suppressions:read')) return true
  const rows = rowsOf<{ readonly email: string }>(translation, 'suppressions.list', { email, stream })
  for await (const row of rows) if (row.email.toLowerCase() === email.toLowerCase()) return true
  return false
}

async function activate(translation: Translation): Promise<object> {
  const bounce = await bounceIn(translation)
  const { email, stream } = bounce
  if (bounce.type === 'complained') throw staysInactive()
  try {
    await translation.v1('suppressions.delete', { params: { email }, query: { stream } })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code === 'conflict') throw staysInactive()
    if (error.code !== 'not_found') throw error
  }
  return { Message: 'OK', Bounce: await shownBounce(translation, bounce) }
}

const staysInactive = (): Problem =>
  new PostmarkProblem('conflict', CODES.bounceStays, 'The recipient complained; this address stays inactive.')

function viewOf(event: MessageEventView, sent: Sent, server: number, inactive: boolean): object {
  const [Type, TypeCode, Name] = typeOf(event)
  const details = event.reply?.smtp_response ?? ''
  return {
    RecordType: 'Bounce',
    ...{ ID: numberOf(event), Type, TypeCode, Name, Tag: event.tag ?? '' },
    MessageID: uuidOfId(event.message_id),
    ServerID: server,
    ...{ Description: Name, Details: details, Email: event.email, From: sent.from },
    BouncedAt: timeOf(event.at),
    DumpAvailable: details !== '',
    Inactive: inactive,
    CanActivate: event.type !== 'complained',
    Subject: sent.subject,
    MessageStream: streamId(event.stream),
  }
}
