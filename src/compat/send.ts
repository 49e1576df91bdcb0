// Sends mail that was translated from the form of another service, as `POST /v1/messages` and its batch do.

import { callerOf } from '../api/caller.ts'
import { SendBody } from '../api/contract/message-requests.ts'
import { senderFrom } from '../api/domain-of-request.ts'
import { testSender } from '../api/inboxes/test-mode.ts'
import { readIdempotencyKey } from '../api/messages/idempotency-key.ts'
import { chargeBatch } from '../api/messages/send-batch.ts'
import { isGone } from '../api/read-turns.ts'
import { bodyProblems } from '../http/body-rule.ts'
import { FormFields } from '../http/form-fields.ts'
import { requestProblemsOf } from '../http/shape.ts'
import { callerOfTrace } from '../lib/traces.ts'
import type { FieldProblem } from '../model/problem.ts'
import type { SendRequest } from '../model/send-request.ts'
import { reading } from '../store/database/store.ts'
import { readRecipients } from '../store/messages/recipients.ts'
import type { SubmittedRequest } from '../submission/accept.ts'
import type { Refused, Submitted } from '../submission/answer.ts'
import type { Sender } from '../submission/authorize.ts'
import type { Translation } from './translation.ts'

/** A message in the form of `/v1`, with the problems that were found while the message was translated. */
export interface TranslatedMessage {
  readonly request: SendRequest
  readonly problems: readonly FieldProblem[]
}

/** Messages, each of which may be made when it is read; an array is such a list. */
export interface MessageList {
  readonly length: number
  at(index: number): TranslatedMessage | undefined
}

/** Addresses that are suppressed, by the ID of their message; a message without such an address is absent. */
export type SuppressedAddresses = ReadonlyMap<string, readonly string[]>

/** Options of sending. */
interface SendOptions {
  /** True for test messages, which go to a test inbox also if the key is live. */
  readonly isTest?: boolean
}

/** Sends one message. Throws `Problem` with the paths of `/v1` and of the translation. */
export async function sendOne(
  translation: Translation,
  message: TranslatedMessage,
  { isTest = false }: SendOptions = {},
): Promise<Submitted & { readonly suppressed: readonly string[] }> {
  const { request: http, services } = translation
  const { request } = message
  translation.recipients = addressesOf(request)
  const noted = new Map<string, string[]>()
  const { shapeProblems, ...submitted } = submittedOf(message)
  const sender = await senderOf(translation, request.from, isTest)
  const sent = await services.submission.submitRequest(sender, {
    ...submitted,
    shapeProblems: [...bodyProblems(http), ...shapeProblems],
    ...circumstancesOf(translation, noted),
  })
  translation.messageId = sent.message_id
  const suppressed = await suppressedOf(translation, [sent], noted)
  return { ...sent, suppressed: suppressed.get(sent.message_id) ?? [] }
}

/**
 * Sends several messages, each independently of the others. Each message counts against the rate limit. Returns the
 * results in the order of the messages.
 *
 * @param whole true to send all messages or none: a refusal is thrown, with the index of the message in the path of each
 * field, such as `[3].to[0].email`
 */
export async function sendMany(
  translation: Translation,
  messages: MessageList,
  { whole = false, isTest = false }: SendOptions & { readonly whole?: boolean } = {},
): Promise<{ readonly results: readonly (Submitted | Refused)[]; readonly suppressed: SuppressedAddresses }> {
  const { request: http, reply, services } = translation
  if (Array.isArray(messages))
    translation.recipients = messages.flatMap(({ request }) => addressesOf(request))
  chargeBatch(callerOf(http).limits, services.rates, messages.length, reply)
  const noted = new Map<string, string[]>()
  const sender = await senderOf(translation, messages.at(0)?.request.from, isTest)
  const results = await services.submission.submitBatch(sender, {
    requests: { length: messages.length, at: (index) => submittedOf(messages.at(index)) },
    whole,
    ...circumstancesOf(translation, noted),
  })
  const accepted = results.filter((one) => 'message_id' in one)
  return { results, suppressed: await suppressedOf(translation, accepted, noted) }
}

/** Returns the sender of messages from an address. */
function senderOf(
  { request, services }: Translation,
  from: string | undefined,
  isTest: boolean,
): Sender | Promise<Sender> {
  const sender = senderFrom(request, from)
  return isTest ? testSender(services, sender) : sender
}

/** Returns the problems of a message that were found while it was translated, and those of its shape. */
export const problemsOfMessage = (message: TranslatedMessage): readonly FieldProblem[] =>
  submittedOf(message).shapeProblems

function submittedOf(message: TranslatedMessage): SubmittedRequest
function submittedOf(message: TranslatedMessage | undefined): SubmittedRequest | undefined
function submittedOf(message: TranslatedMessage | undefined): SubmittedRequest | undefined {
  if (message === undefined) return undefined
  const { request, problems } = message
  const { cc = [], bcc = [] } = request
  const found = requestProblemsOf(SendBody, request)
  // Other services take a message whose recipients are all in Cc or Bcc.
  const isSent = cc.length + bcc.length > 0
  const ofShape = isSent ? found.filter(({ path, code }) => path !== 'to' || code !== 'too_few') : found
  // Bytes pass to the store without another copy.
  return { request, raw: Buffer.from(JSON.stringify(request)), shapeProblems: [...problems, ...ofShape] }
}

function circumstancesOf({ request: http }: Translation, noted: Map<string, string[]>) {
  const idempotencyKey = readIdempotencyKey(http.headers['idempotency-key'])
  return {
    idempotencyKey,
    ...(idempotencyKey === undefined ? {} : { keyedBody: jsonOf(http.body) }),
    isGone: () => isGone(http),
    traceCaller: callerOfTrace(http.headers.traceparent),
    noteSuppressed(suppressed: readonly { readonly messageId: string; readonly email: string }[]): void {
      for (const { messageId, email } of suppressed) {
        noted.set(messageId, [...(noted.get(messageId) ?? []), email])
      }
    },
  }
}

/** Returns a body as JSON can write it. */
const jsonOf = (body: unknown): object => (body instanceof FormFields ? body.toJSON() : (body as object))

/**
 * Returns the suppressed addresses; a request that may be repeated reads them, so that both responses are the same. The
 * messages are accepted already, so a failure of the reading is logged, and never a refusal: clients would send again.
 */
async function suppressedOf(
  { request: http, services }: Translation,
  sent: readonly Submitted[],
  noted: ReadonlyMap<string, readonly string[]>,
): Promise<SuppressedAddresses> {
  if (http.headers['idempotency-key'] === undefined || sent.length === 0) return noted
  const ids = sent.map(({ message_id }) => message_id)
  const recipients = await reading(readRecipients(services.read, ids, callerOf(http).accountId)).catch(
    (err: unknown) => {
      http.log.warn({ err }, 'the suppressed recipients of accepted messages could not be read')
      return undefined
    },
  )
  if (recipients === undefined) return noted
  const suppressed = recipients.filter(({ status }) => status === 'suppressed')
  return new Map(
    Map.groupBy(suppressed, ({ message_id }) => message_id)
      .entries()
      .map(([id, rows]) => [id, rows.map(({ email }) => email)]),
  )
}

const addressesOf = ({ to, cc = [], bcc = [] }: SendRequest): string[] =>
  [...to, ...cc, ...bcc].map(({ email }) => email)
