// Postmark's calls that send mail: one message, a batch, and both with a template.

import { MAX_BATCH } from '../../api/messages/send-batch.ts'
import { bodyProblems } from '../../http/body-rule.ts'
import { newId, timeOfId, uuidOfId } from '../../lib/ids.ts'
import { type FieldProblem, invalidFields, Problem } from '../../model/problem.ts'
import type { MailboxInput, SendRequest } from '../../model/send-request.ts'
import type { Refused, Submitted } from '../../submission/answer.ts'
import { validate } from '../../submission/validate.ts'
import { Pacer } from '../../threads/pacer.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames, type Fields, type Reading } from '../reading.ts'
import { sendMany, sendOne, type TranslatedMessage } from '../send.ts'
import type { Translation } from '../translation.ts'
import { MESSAGE, mailboxAt, placeOf, readMessage } from './message.ts'
import { CODES, errorOf, PostmarkProblem } from './problem.ts'
import { NO_TEMPLATE, TemplateChoices } from './template-choice.ts'
import { timeText } from './times.ts'

const noun = 'Sending'
const scope = 'messages:send'
const CONTENT = { maxBytes: 'content', problems: 'handler' } as const
/** Maximum size of the body of a batch, in bytes. */
const BATCH = { maxBytes: 50 * 1_048_576, problems: 'handler' } as const
const MESSAGES = new FieldNames('Messages')

export const emailCalls: readonly VendorCall[] = [
  {
    ...{ method: 'POST', path: '/email', noun, scope, once: 'handler', takesTestToken: true, body: CONTENT },
    summary: 'Send one message',
    state: 'served',
    handler: (translation) => send(translation),
  },
  {
    ...{ method: 'POST', path: '/email/batch', noun, scope, once: 'handler', body: BATCH, takesArray: true },
    takesTestToken: true,
    summary: 'Send up to 500 messages',
    state: 'served',
    handler: (translation) => sendBatch(translation, translation.request.body as unknown[]),
  },
  {
    ...{ method: 'POST', path: '/email/withTemplate', noun, scope, once: 'handler', body: CONTENT },
    summary: 'Send one message with a template',
    state: 'differs',
    differences: 'The template decides whether CSS is inlined; `InlineCss` of a message has no effect.',
    handler: (translation) => send(translation),
  },
  {
    ...{ method: 'POST', path: '/email/batchWithTemplates', noun, scope, once: 'handler', body: BATCH },
    summary: 'Send up to 500 messages with templates',
    state: 'differs',
    differences: 'The template decides whether CSS is inlined; `InlineCss` of a message has no effect.',
    handler: (translation) => sendBatch(translation, translation.body(MESSAGES).list('Messages')),
  },
]

/** Fields that name a template. */
const TEMPLATE = ['TemplateId', 'TemplateAlias', 'InlineCss']

/** A message of a request: its fields as sent, and its translation. */
interface GivenMessage {
  readonly fields: Fields
  readonly message: TranslatedMessage
}

/** Response to an accepted message. */
interface SendAnswer {
  readonly To?: string
  readonly Cc?: string
  readonly Bcc?: string
  readonly SubmittedAt: string
  readonly MessageID: string
  readonly ErrorCode: 0
  readonly Message: string
}

async function send(translation: Translation): Promise<SendAnswer> {
  const { reading } = translation
  const given = await read(translation.body(MESSAGE), reading, new TemplateChoices(translation))
  try {
    if (translation.request.caller === null) return testAnswer(given)
    const sent = await sendOne(translation, given.message)
    return answerOf(sent, given, sent.suppressed)
  } catch (error) {
    throw inFields(error, given.message.request)
  }
}

async function read(fields: Fields, reading: Reading, templates: TemplateChoices): Promise<GivenMessage> {
  const plain = readMessage(fields, reading)
  // Most messages name no template, and need no copy.
  const request = TEMPLATE.some((name) => fields.has(name))
    ? { ...plain, ...(await templates.of(fields, reading)) }
    : plain
  return { fields, message: { request, problems: reading.problems } }
}

/** Checks a message as Postmark's test token does; the message is not stored. */
function testAnswer(given: GivenMessage): SendAnswer {
  const { request, problems } = given.message
  const now = Date.now()
  const { problems: found } = validate(request, now)
  if (problems.length + found.length > 0) throw invalidFields([...problems, ...found])
  const answer = answerOf({ message_id: newId('msg', now) }, given, [])
  return { ...answer, Message: 'Test job accepted' }
}

/** Pacer that pauses while a batch is read. */
const pacer = new Pacer()

async function sendBatch(translation: Translation, bodies: readonly unknown[]): Promise<object[]> {
  if (bodies.length === 0 || bodies.length > MAX_BATCH) {
    const detail = `A batch contains 1 to ${MAX_BATCH} messages; this batch contains ${bodies.length}.`
    throw new PostmarkProblem('validation_failed', CODES.batchSize, detail)
  }
  const templates = new TemplateChoices(translation)
  const all: GivenMessage[] = []
  const twice = bodyProblems(translation.request)
  for (const [index, body] of bodies.entries()) {
    await pacer.turn()
    const reading = translation.reading.ofPart()
    for (const { path, code, message } of twice) {
      const [place, field = ''] = /^(?:Messages)?\[(\d+)\]\.?(.*)$/s.exec(path)?.slice(1) ?? []
      if (place === String(index)) reading.wrong(field, code, message)
    }
    all.push(await read(reading.fields(body, MESSAGE), reading, templates))
    for (const path of reading.ignored) translation.reading.ignore(`[${index}].${path}`)
  }
  if (translation.request.caller === null) {
    return all.map((given) => orError(() => testAnswer(given), given))
  }
  const messages = all.map(({ message }) => message)
  const { results, suppressed } = await sendMany(translation, messages)
  return results.map((result, index) => {
    const given = all[index] as GivenMessage
    return orError(() => {
      if ('code' in result) throw problemOf(result)
      return answerOf(result, given, suppressed.get(result.message_id) ?? [])
    }, given)
  })
}

/** Returns the answer to one message of a batch, or the refusal of the message. */
function orError(answer: () => SendAnswer, { message }: GivenMessage): object {
  try {
    return answer()
  } catch (error) {
    const refused = inFields(error, message.request)
    if (refused instanceof Problem) return errorOf(refused)
    throw refused
  }
}

const problemOf = ({ code, detail, errors }: Refused): Problem => new Problem(code, detail, { errors })

const ON_LIST = 'Inactive recipients are on the suppression list of the stream.'

/**
 * Returns the response to an accepted message. Throws the error of inactive recipients if no recipient of the message is
 * active; the message is then stored, and delivered to nobody. Clients read the addresses from the texts.
 */
function answerOf(
  { message_id: id }: Pick<Submitted, 'message_id'>,
  { fields, message }: GivenMessage,
  suppressed: readonly string[],
): SendAnswer {
  const inactive = [...new Set(suppressed.map((email) => email.toLowerCase()))]
  const addresses = inactive.join(', ')
  const { to, cc = [], bcc = [] } = message.request
  const isInactive = ({ email }: MailboxInput): boolean => inactive.includes(email.trim().toLowerCase())
  if (inactive.length > 0 && [...to, ...cc, ...bcc].every(isInactive)) {
    const detail = `The message has no active recipient. Found inactive addresses: ${addresses}. ${ON_LIST}`
    throw new PostmarkProblem('validation_failed', CODES.inactive, detail)
  }
  return {
    ...textsOf(fields),
    SubmittedAt: timeText(timeOfId(id)),
    MessageID: uuidOfId(id),
    ErrorCode: 0,
    Message:
      inactive.length === 0
        ? 'OK'
        : `Message OK, but nothing is delivered to these inactive addresses: ${addresses}. ${ON_LIST}`,
  }
}

/** Returns the recipients as the request wrote them; a field without recipients is absent. */
function textsOf(fields: Fields): Pick<SendAnswer, 'To' | 'Cc' | 'Bcc'> {
  const entries = (['To', 'Cc', 'Bcc'] as const).map((name) => [name, fields.text(name)] as const)
  return Object.fromEntries(entries.filter(([, text]) => text !== undefined))
}

/** Returns a refusal with the names of Postmark's fields; an error that is no refusal stays as it is. */
export function inFields(error: unknown, request: SendRequest): unknown {
  if (!(error instanceof Problem) || error instanceof PostmarkProblem) return error
  const { code, retryAfter, violatedPolicies } = error
  const more = { ...(retryAfter === undefined ? {} : { retryAfter }), violatedPolicies, cause: error.cause }
  const errors = error.errors.map((one) => inField(one, request))
  if (code !== 'validation_failed') return new Problem(code, error.message, { ...more, errors })
  const [first] = errors
  const further = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  const detail = first === undefined ? error.message : `${first.message}${further}`
  return new PostmarkProblem(code, codeOf(first), detail, { ...more, errors })
}

/** Returns a problem with the name of Postmark's field, and a sentence that names the field. */
function inField({ path, code, message }: FieldProblem, request: SendRequest): FieldProblem {
  const place = placeOf(path)
  if (code === 'not_found' && place.startsWith('Template')) {
    const named = request.template_alias ?? request.template_id ?? ''
    return { path: place, code, message: place === path ? message : NO_TEMPLATE(named) }
  }
  const mailbox = mailboxAt(request, path)
  const isAddress = code === 'invalid_email' || (place === 'From' && code !== 'domain_not_permitted')
  if (!isAddress) return { path: place, code, message: `${place}: ${message}` }
  const written = place === 'From' ? request.from : (mailbox?.email ?? '')
  return { path: place, code, message: `Invalid '${place}' address: '${written}'. ${message}` }
}

/** Returns Postmark's code for the first problem of a message. */
function codeOf(problem: FieldProblem | undefined): number {
  if (problem?.path === 'MessageStream') {
    return problem.code === 'inbound' ? CODES.streamKind : CODES.streamUnknown
  }
  return problem?.code === 'not_found' ? CODES.template : CODES.email
}
