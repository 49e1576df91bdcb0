// Derives the verdict about one message, and its facts in order of weight.

import { formatTime } from '../lib/rfc3339.ts'
import { wholeTranscript } from '../model/attempt-transcript.ts'
import { faultOf } from '../model/bounce-category.ts'
import type { EventType } from '../model/event.ts'
import { heldView } from '../model/held.ts'
import { published } from '../model/queue-state.ts'
import { WHOLE_DOMAIN } from '../model/suppression.ts'
import type { MailTo, SenderRecord } from '../store/person/explained-mail.ts'
import type { Suppression } from '../store/workspace/suppressions.ts'
import type { Fact, FactKind, Values, Verdict } from './explanation.ts'

/** Maximum length of a quoted reply, and of the quoted end of a dialog. */
const MAX_REPLY = 500
const MAX_DIALOG = 2_000

/** Returns the verdict about a message, from the recipient that has the address. */
export function verdictOf({ message, recipient, events }: MailTo): Verdict {
  if (message.inbox_id !== null) return 'test'
  if (recipient.held !== null) return 'held'
  switch (recipient.status) {
    case 'cancelled':
    case 'scheduled':
    case 'suppressed':
      return recipient.status
    case 'bounced':
      return detailOf(events, 'bounced')?.asynchronous === true ? 'bounced_afterwards' : 'refused'
    case 'failed':
      return 'given_up'
    case 'delivered':
      return 'delivered_by_receiver'
    default:
      return 'waiting'
  }
}

/** True if a live message bounced because of the address itself, which suppresses the address. */
export const bouncedHard = ({ message, events }: MailTo): boolean =>
  message.inbox_id === null && detailOf(events, 'bounced')?.hard === true

/** Detail of an event with the fields that explanations use. */
interface Detail {
  readonly reason?: string
  readonly category?: string
  readonly asynchronous?: boolean
  readonly hard?: boolean
  readonly mx?: string
  readonly smtp_code?: number
  readonly smtp_response?: string
  readonly diagnostic?: string
  readonly next_attempt_at?: string
  readonly send_at?: string
  readonly suppression?: string
  readonly since?: string
  readonly by?: string
  readonly tracking?: { readonly opens?: boolean }
}

type Events = MailTo['events']

const eventOf = (events: Events, type: EventType): Events[number] | undefined =>
  events.find((one) => one.type === type)

function detailOf(events: Events, type: EventType): Detail | undefined {
  const event = eventOf(events, type)
  return event === undefined ? undefined : JSON.parse(event.detail)
}

/** Returns the category of the failure of a message; an empty text without a failure. */
export const categoryOf = ({ events }: MailTo): string =>
  (detailOf(events, 'bounced') ?? detailOf(events, 'failed') ?? detailOf(events, 'deferred'))?.category ?? ''

/** Facts of other tables that belong to a message. */
interface Beside {
  readonly suppressions: readonly Suppression[]
  readonly erased: readonly Suppression[]
  readonly records: readonly SenderRecord[]
  /** True if the dialog with the mail host may be quoted. */
  readonly quotesDialogs: boolean
}

/** Returns the facts of a message in order of weight; the first fact is the reason for the verdict. */
export function factsOfMail(mail: MailTo, beside: Beside): Fact[] {
  const verdict = verdictOf(mail)
  return [
    ...FACTS[verdict](mail, beside),
    ...(beside.quotesDialogs ? dialogOf(mail) : []),
    fact(
      'accepted',
      mail.message.created_at,
      { subject: mail.message.subject, stream: mail.message.stream },
      mail,
    ),
  ]
}

const FACTS: Readonly<Record<Verdict, (mail: MailTo, beside: Beside) => Fact[]>> = {
  erased: () => [],
  never_asked: () => [],
  refused_at_the_door: () => [],
  cancelled: (mail) => [
    fact(
      'cancelled',
      atOf(mail, 'cancelled'),
      { by: detailOf(mail.events, 'cancelled')?.by ?? 'sender' },
      mail,
    ),
  ],
  held: heldFacts,
  scheduled: (mail) => [
    fact('scheduled', atOf(mail, 'scheduled'), { send_at: formatTime(mail.message.send_at) ?? '' }, mail),
  ],
  suppressed: suppressedFacts,
  bounced_afterwards: (mail, beside) => [
    failure('bounced_afterwards', mail, 'bounced'),
    ...deliveredFact(mail),
    ...suppressionFacts(mail, beside),
  ],
  refused: (mail, beside) => [refusal(mail), ...suppressionFacts(mail, beside)],
  given_up: (mail) => [failure('given_up', mail, 'failed'), ...deferrals(mail)],
  waiting: waitingFacts,
  delivered_by_receiver: deliveredFacts,
  test: (mail) => [fact('test', mail.recipient.last_event_at, { status: mail.recipient.status }, mail)],
}

/** Returns a fact about a message. */
function fact(kind: FactKind, at: number, values: Values, { message }: MailTo): Fact {
  return { kind, at: Number(at), values, refersTo: `/v1/messages/${message.id}` }
}

/** Returns the time of the newest event of a type; the time of the last change without such an event. */
const atOf = ({ events, recipient }: MailTo, type: EventType): number =>
  Number(eventOf(events, type)?.at ?? recipient.last_event_at)

function heldFacts(mail: MailTo): Fact[] {
  const { held } = mail.recipient
  if (held === null) return []
  const { by, cause, value, reason } = heldView(held)
  return [fact('held', held.since, { by, cause, value, reason }, mail), ...deferrals(mail)]
}

function suppressedFacts(mail: MailTo, beside: Beside): Fact[] {
  const { suppression = '', since = '' } = detailOf(mail.events, 'suppressed') ?? {}
  const values = { reason: suppression, since, stream: mail.message.stream }
  return [fact('suppressed', atOf(mail, 'suppressed'), values, mail), ...suppressionFacts(mail, beside, true)]
}

/** Returns the present suppression that keeps mail of a message's stream from the address; undefined if there is none. */
export const suppressionOf = (
  { message }: MailTo,
  { suppressions, erased }: Pick<Beside, 'suppressions' | 'erased'>,
): Suppression | undefined =>
  [...suppressions, ...erased].find(
    ({ domain_id, stream }) =>
      domain_id === message.account_id ||
      (domain_id === message.domain_id && (stream === message.stream || stream === WHOLE_DOMAIN)),
  )

/** @param wasListed true if the address was on the list when the message was submitted */
function suppressionFacts(mail: MailTo, beside: Beside, wasListed = false): Fact[] {
  const listed = suppressionOf(mail, beside)
  if (listed !== undefined) return [suppressionFact(listed)]
  return wasListed ? [{ kind: 'suppression_removed', at: null, values: {}, refersTo: null }] : []
}

/** Returns the fact that an address is on a suppression list; a suppression without an ID is stored as a hash. */
export function suppressionFact(suppression: Suppression): Fact {
  const { id, email, stream, reason, message_id, created_at } = suppression
  const at = Number(created_at)
  const list = listOf(suppression)
  if (id === '') return { kind: 'erased_suppression', at, values: { list, stream, reason }, refersTo: null }
  const path = list === 'account' ? '/v1/account-suppressions' : '/v1/suppressions'
  return {
    ...{ kind: 'suppression', at },
    values: { list, stream, reason, ...(message_id === null ? {} : { message_id }) },
    // An @ needs no encoding in a query (RFC 3986 §3.4).
    refersTo: `${path}?email=${encodeURIComponent(email).replaceAll('%40', '@')}`,
  }
}

/** Returns what a suppression covers. */
function listOf({ account_id, domain_id, stream }: Suppression): 'account' | 'domain' | 'stream' {
  if (domain_id === account_id) return 'account'
  return stream === WHOLE_DOMAIN ? 'domain' : 'stream'
}

/** Returns the host, the reply and the cause in the detail of an event. */
function failureValues(mail: MailTo, detail: Detail = {}): Values {
  const { reason = '', category = 'other', mx } = detail
  const host = mx ?? mail.recipient.mx ?? mail.recipient.destination
  return { host, reply: replyIn(detail), reason, category, fault: faultOf(category) }
}

function replyIn({ smtp_code, smtp_response, diagnostic }: Detail): string {
  const parts = [smtp_code, smtp_response ?? diagnostic].filter((part) => part !== undefined)
  return parts.join(' ').slice(0, MAX_REPLY)
}

const failure = (kind: FactKind, mail: MailTo, type: EventType): Fact =>
  fact(kind, atOf(mail, type), failureValues(mail, detailOf(mail.events, type)), mail)

/** Returns the fact of a bounce; its host is empty if no host was contacted, for example because the domain has no MX. */
function refusal(mail: MailTo): Fact {
  const made = failure('refused', mail, 'bounced')
  const detail = detailOf(mail.events, 'bounced')
  const isContacted = detail?.mx !== undefined || made.values.reply !== ''
  return isContacted ? made : { ...made, values: { ...made.values, host: '' } }
}

/** Returns the last deferral of a message, if there is one. */
function deferrals(mail: MailTo): Fact[] {
  const detail = detailOf(mail.events, 'deferred')
  if (detail === undefined) return []
  const next = mail.recipient.next_attempt_at
  const values = {
    ...failureValues(mail, detail),
    attempts: String(mail.recipient.attempts),
    ...(next === null ? {} : { next_attempt_at: formatTime(Number(next)) }),
  }
  return [fact('deferred', atOf(mail, 'deferred'), values, mail)]
}

function waitingFacts(mail: MailTo): Fact[] {
  const { recipient, queued, message } = mail
  if (recipient.status === 'sending') {
    return [
      fact('sending', recipient.last_event_at, { host: recipient.destination }, mail),
      ...deferrals(mail),
    ]
  }
  const { state, waitsFor } = published({
    state: queued?.state ?? 'ready',
    waitsFor: queued?.waits_for ?? '',
  })
  const values = { state, waits_for: waitsFor === null ? '' : `${waitsFor.kind} ${waitsFor.value}`.trimEnd() }
  const place = fact('queued', message.created_at, values, mail)
  return state === 'deferred' ? [...deferrals(mail), place] : [place, ...deferrals(mail)]
}

/** Returns the delivery of a message that a host accepted, if its event is stored. */
function deliveredFact(mail: MailTo): Fact[] {
  const detail = detailOf(mail.events, 'delivered')
  if (detail === undefined && mail.recipient.status !== 'delivered') return []
  const { recipient } = mail
  const host = detail?.mx ?? recipient.mx ?? recipient.destination
  const own = {
    smtp_code: recipient.smtp_code ?? undefined,
    smtp_response: recipient.smtp_response ?? undefined,
  }
  return [
    fact('delivered', atOf(mail, 'delivered'), { host, reply: replyIn((detail ?? own) as Detail) }, mail),
  ]
}

function deliveredFacts(mail: MailTo, { records }: Beside): Fact[] {
  const { events, openedAt, clickedAt } = mail
  const tracked = detailOf(events, 'accepted')?.tracking?.opens === true
  const complained = eventOf(events, 'complained')
  return [
    ...deliveredFact(mail),
    ...(complained === undefined ? [] : [fact('complained', Number(complained.at), {}, mail)]),
    ...(clickedAt === null ? [] : [fact('clicked', clickedAt, {}, mail)]),
    ...(openedAt === null ? [] : [fact('opened', openedAt, {}, mail)]),
    ...(tracked && openedAt === null && clickedAt === null
      ? [fact('not_opened', mail.message.created_at, {}, mail)]
      : []),
    ...authenticationOf(mail, records),
  ]
}

/** Returns the last known states of the DNS records that prove the sender of a message. */
function authenticationOf(mail: MailTo, records: readonly SenderRecord[]): Fact[] {
  const own = records.filter(({ domain_id }) => domain_id === mail.message.domain_id)
  const stateOf = (prefix: string): string =>
    own
      .filter(({ purpose }) => purpose.startsWith(prefix))
      .map(({ status }) => String(status))
      .sort()[0] ?? 'unknown'
  if (own.length === 0) return []
  const values = { dkim: stateOf('dkim'), spf: stateOf('return_path'), dmarc: stateOf('dmarc') }
  return [{ kind: 'authentication', at: null, values, refersTo: null }]
}

/** Returns the end of the dialog of the last attempt, if a transcript is stored. */
function dialogOf(mail: MailTo): Fact[] {
  const { attempt } = mail
  if (attempt === undefined || attempt.transcript === '') return []
  const lines = wholeTranscript(attempt).slice(-MAX_DIALOG)
  return [
    fact(
      'dialog',
      Number(attempt.started_at),
      { host: attempt.mx ?? mail.recipient.destination, lines },
      mail,
    ),
  ]
}
