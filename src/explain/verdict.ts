// Decides what became of the mail in question: a pure function of the recorded facts.

import { nearestAddress } from '../lib/nearest.ts'
import { inAnyCase } from '../model/address.ts'
import type { FieldProblem } from '../model/problem.ts'
import type { RequestRow } from '../store/access/request-log.ts'
import type { RowWithoutMessage } from '../store/bulk/bulk-results.ts'
import type { MailTo } from '../store/person/explained-mail.ts'
import { type Fact, type NextStep, rankOf, type Values, type Verdict } from './explanation.ts'
import type { Facts } from './facts.ts'
import { bouncedHard, factsOfMail, suppressionFact, suppressionOf, verdictOf } from './mail-facts.ts'
import { stepOfMail, stepOfNothing, stepOfRequest } from './next-step.ts'

/** A message in question with its verdict. */
export interface JudgedMail {
  readonly mail: MailTo
  readonly verdict: Verdict
}

/** Outcome of the mail that an explanation is about. */
export interface Explanation {
  readonly verdict: Verdict
  /**
   * True if the records leave no other verdict: all messages in question have the verdict, and no record of a message in
   * question can have been removed.
   */
  readonly sure: boolean
  /** Facts in order of weight, at most `MAX_FACTS`. */
  readonly because: readonly Fact[]
  readonly nextStep: NextStep | null
  readonly messages: readonly JudgedMail[]
}

/** Maximum number of facts of an explanation. */
const MAX_FACTS = 20
/** Time before the newest message or request in which others count as well, if the question has no conditions. */
const WINDOW_MS = 7 * 86_400_000

/** A message, a refused request or a row of a bulk that may be the mail in question. */
interface Candidate {
  readonly verdict: Verdict
  readonly at: number
  /** True for a message that was not delivered because of its address. */
  readonly isOfAddress: boolean
  readonly mail?: MailTo
  facts(): readonly Fact[]
  step(): NextStep | null
}

/**
 * Explains what became of the mail in question: the weightiest verdict wins, and the newest of several messages with
 * this verdict is explained.
 *
 * @param quotesDialogs true if the dialog with the mail host may be quoted
 */
export function explain(facts: Facts, quotesDialogs: boolean): Explanation {
  const all = candidatesOf(facts, quotesDialogs)
  const inTime = within(facts, all)
  const chosen = weightiest(inTime)
  const messages = facts.mail.map((mail) => ({ mail, verdict: verdictOf(mail) }))
  if (chosen === undefined) return { ...withoutMail(facts), messages }
  const others = inTime.filter((one) => one !== chosen).sort(byWeight)
  const because = [
    ...chosen.facts(),
    ...others.map(inShort),
    ...suppressionsOf(facts),
    ...verificationOf(facts),
  ]
  return {
    verdict: chosen.verdict,
    sure: inTime.every((one) => one.verdict === chosen.verdict || (one.isOfAddress && chosen.isOfAddress)),
    because: distinct(because).slice(0, MAX_FACTS),
    nextStep: chosen.step(),
    messages,
  }
}

/** Returns everything that may be the mail in question, newest first. */
function candidatesOf(facts: Facts, quotesDialogs: boolean): Candidate[] {
  const { mail, suppressions, erased, records, question } = facts
  const beside = { suppressions, erased, records, quotesDialogs }
  const messages = mail.map((one): Candidate => {
    const verdict = verdictOf(one)
    return {
      ...{ verdict, mail: one, at: Number(one.message.created_at) },
      isOfAddress: verdict === 'suppressed' || bouncedHard(one),
      facts: () => factsOfMail(one, beside),
      step: () => stepOfMail(one, verdict, suppressionOf(one, beside), question),
    }
  })
  // The subject and the ID of a refused request are not stored, so a message that fits the question is the mail in
  // question.
  const isNamed = question.messageId !== undefined || (question.subject !== undefined && mail.length > 0)
  if (isNamed) return messages
  const requests = facts.requests.map((row): Candidate => {
    const refusal = refusalOf(row)
    return {
      ...{ verdict: 'refused_at_the_door', at: Number(row.at), isOfAddress: false },
      facts: () => [refusal],
      step: () => stepOfRequest(row.code ?? '', question),
    }
  })
  return [...messages, ...requests, ...facts.rows.map(ofRow)].sort((one, other) => other.at - one.at)
}

/** Returns the candidates that count for the question. */
function within({ question }: Facts, all: readonly Candidate[]): readonly Candidate[] {
  const { messageId, subject, after } = question
  if (messageId !== undefined || subject !== undefined || after !== undefined) return all
  const newest = all[0]?.at ?? 0
  return all.filter(({ at }) => at >= newest - WINDOW_MS)
}

const byWeight = (one: Candidate, other: Candidate): number =>
  rankOf(one.verdict) - rankOf(other.verdict) || other.at - one.at

/**
 * Returns the weightiest candidate. A hard bounce suppresses the address, so among messages that bounced hard and
 * messages that were suppressed the newest is chosen.
 */
function weightiest(all: readonly Candidate[]): Candidate | undefined {
  const [first] = [...all].sort(byWeight)
  if (first?.verdict !== 'suppressed') return first
  return all.filter(({ isOfAddress }) => isOfAddress).sort((one, other) => other.at - one.at)[0]
}

/** Returns a candidate as one fact. */
function inShort({ verdict, mail, facts }: Candidate): Fact {
  const [first] = facts()
  if (mail === undefined && first !== undefined) return first
  const { subject = '', id = '', created_at = 0 } = mail?.message ?? {}
  return {
    ...{ kind: 'other_message', at: Number(created_at), values: { verdict, subject } },
    refersTo: `/v1/messages/${id}`,
  }
}

function refusalOf({ id, at, status, code, method, path, problems }: RequestRow): Fact {
  const fields: readonly Pick<FieldProblem, 'path' | 'code'>[] = JSON.parse(problems ?? '[]')
  const values: Values = {
    ...{ status: String(status), code: code ?? '', request: `${method} ${path}`, request_log_id: id },
    fields: fields.map((one) => `${one.path} ${one.code}`.trim()).join(', '),
  }
  return { kind: 'request_refused', at: Number(at), values, refersTo: null }
}

/** Returns a row of a bulk that has not become a message. */
function ofRow(row: RowWithoutMessage): Candidate {
  const { bulk_id, line, status, refusal, problem, created_at } = row
  const at = Number(created_at)
  const named = { line: String(line), bulk: row.name ?? bulk_id }
  const refersTo = `/v1/bulk/${bulk_id}`
  const as = (verdict: Verdict, kind: Fact['kind'], values: Values, next: NextStep | null): Candidate => ({
    ...{ verdict, at, isOfAddress: false },
    facts: () => [{ kind, at, values: { ...named, ...values }, refersTo }],
    step: () => next,
  })
  const look: NextStep = { code: 'look_at_bulk', operation: 'bulk.get', args: { bulk_id } }
  if (refusal !== null) {
    const problems: readonly FieldProblem[] = JSON.parse(refusal)
    const reason = problems
      .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
      .join(' ')
    const next: NextStep = { code: 'correct_request', operation: 'messages.send', args: {} }
    return as('refused_at_the_door', 'row_refused', { reason }, next)
  }
  if (status === 'cancelled' || status === 'cancelling') return as('cancelled', 'bulk_cancelled', {}, null)
  if (status !== 'paused') return as('waiting', 'row_waits', {}, look)
  const { code = '', detail = '' }: { code?: string; detail?: string } = JSON.parse(problem ?? '{}')
  return as('held', 'bulk_paused', { code, reason: detail }, look)
}

/** Explains that no message to the address is stored: nothing was submitted, or the data were erased. */
function withoutMail(facts: Facts): Omit<Explanation, 'messages'> {
  const { question, named, erased, removedBefore, traces } = facts
  const listed = suppressionsOf(facts)
  const isEmptied = named !== undefined && named.recipients.length < Number(named.message.recipient_count)
  if (isEmptied || (named === undefined && erased.length > 0)) {
    const gone: Fact[] = isEmptied
      ? [{ kind: 'recipient_erased', at: null, values: {}, refersTo: `/v1/messages/${named.message.id}` }]
      : []
    // The stored records do not tell which recipient of a message was erased.
    return { verdict: 'erased', sure: erased.length > 0, because: [...gone, ...listed], nextStep: null }
  }
  const others = named?.recipients.map(({ email }) => inAnyCase(email)) ?? []
  const similar = nearestAddress(inAnyCase(question.email), [...others, ...(traces?.similar ?? [])])
  const because: Fact[] = [
    ...namedFacts(facts),
    ...(similar === undefined ? [] : [plain('similar_address', { email: similar })]),
    ...(traces?.otherDomain === undefined ? [] : [plain('other_domain', { domain: traces.otherDomain })]),
    ...(traces?.removed === undefined
      ? []
      : [plain('record_removed', { message_id: traces.removed.messageId }, traces.removed.createdAt)]),
    ...(mayBeRemoved(facts) ? [plain('records_removed', {}, removedBefore)] : []),
    ...listed,
    ...verificationOf(facts),
  ]
  return {
    verdict: 'never_asked',
    sure: traces?.removed === undefined && !mayBeRemoved(facts),
    because: because.slice(0, MAX_FACTS),
    nextStep: stepOfNothing(question, similar, traces?.otherDomain),
  }
}

const plain = (kind: Fact['kind'], values: Values, at: number | null = null): Fact => ({
  ...{ kind, at, values },
  refersTo: null,
})

/** True if the record of a message in question can have been removed because of its age. */
const mayBeRemoved = ({ question: { after }, removedBefore }: Facts): boolean =>
  removedBefore !== undefined && (after === undefined || after < removedBefore)

/** Returns the facts about the message that the question names; without a name, the fact that there is no message. */
function namedFacts({ question, named }: Facts): Fact[] {
  const { messageId, email } = question
  if (messageId === undefined) return [plain('no_message', { email })]
  if (named === undefined) return [plain('unknown_message', { message_id: messageId })]
  return [{ ...plain('other_recipients', { email }), refersTo: `/v1/messages/${messageId}` }]
}

const suppressionsOf = ({ suppressions, erased }: Facts): Fact[] =>
  [...suppressions, ...erased].map(suppressionFact)

const verificationOf = ({ verified }: Facts): Fact[] =>
  verified === undefined ? [] : [plain('verified', { result: verified.result }, verified.at)]

/** Removes repeated facts. */
const distinct = (facts: readonly Fact[]): Fact[] => [
  ...new Map(facts.map((one) => [JSON.stringify(one), one])).values(),
]
