// Notes the requests of API keys in the request log of the account.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RefusedSend, RequestLog } from '../access/request-log.ts'
import { PROBLEMS } from '../model/problem.ts'
import { LIMITS } from '../model/send-request.ts'
import type { Refused } from '../submission/answer.ts'
import { paramsOf } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Facts that a compatible endpoint found in its request, for the log; null for any other request. */
    translated: TranslatedRequest | null
  }
}

/** A request in the form of another service, as far as the log is concerned. */
interface TranslatedRequest {
  /** Names of the fields that were ignored. */
  readonly ignored: readonly string[]
  /** Recipients of the mail that the request would send, which are kept if the request is refused. */
  readonly recipients: readonly string[]
  /** ID of the message that the request created. */
  readonly messageId: string | undefined
}

/** Messages of accepted batches that were refused, by request. */
const refusedMessages = new WeakMap<FastifyRequest, readonly RefusedMessage[]>()

/** A refused message of an accepted batch, with the body of its send request, which may have any shape. */
interface RefusedMessage {
  readonly body: unknown
  readonly refusal: Refused
}

/** Adds the refused messages of an accepted batch to the entry of its request. */
export function noteRefused(request: FastifyRequest, messages: readonly RefusedMessage[]): void {
  if (messages.length > 0) refusedMessages.set(request, messages)
}

/** Logs an answered request of an API key; requests of users and strangers are not logged. */
export function noteRequest(log: RequestLog, request: FastifyRequest, reply: FastifyReply): void {
  const { caller } = request
  if (caller === null || caller.userId !== null) return
  log.note(caller.accountId, reply.statusCode, () => ({
    key_id: caller.id,
    domain_id: caller.sender?.domainId ?? null,
    method: request.method,
    path: pathOf(request),
    code: request.problemCode,
    problems: request.problemFields ?? [],
    message_id: request.translated?.messageId ?? acceptedMessage(reply),
    duration_ms: Math.round(reply.elapsedTime),
    ignored: request.translated?.ignored ?? [],
    refusals: refusalsOf(request, reply),
  }))
}

function refusalsOf(request: FastifyRequest, reply: FastifyReply): readonly RefusedSend[] {
  if (isRefusedSending(request, reply)) return [{ recipients: recipientsOf(request) }]
  let left = MAX_OF_BATCH
  return (refusedMessages.get(request) ?? []).map(({ body, refusal: { code, errors: problems } }) => {
    const recipients = recipientsIn(body).slice(0, left)
    left -= recipients.length
    return { recipients, message: { status: PROBLEMS[code].status, code, problems } }
  })
}

/** Path of the requests whose recipients are in the query. */
const RAW = '/v1/messages/raw'
/** Paths of the requests to send whose refusals are kept with their recipients. */
const SENDING: ReadonlySet<string | undefined> = new Set(['/v1/messages', '/v1/messages/batch', RAW])

const isRefusedSending = (
  { method, routeOptions, translated }: FastifyRequest,
  { statusCode }: FastifyReply,
): boolean =>
  ((method === 'POST' && SENDING.has(routeOptions.url)) || (translated?.recipients.length ?? 0) > 0) &&
  statusCode >= 400 &&
  statusCode < 500

/** Maximum number of recipients of a refused request that are kept, which is the maximum of a message. */
const MAX_RECIPIENTS = LIMITS.recipients
/** Maximum number of recipients of the refused messages of an accepted batch that are kept. */
const MAX_OF_BATCH = 500
/** Maximum length of a text that may be an address. */
const MAX_ADDRESS = 400

/** Returns the first recipients that a refused request names; a raw message names them in its query or not at all. */
function recipientsOf({ body, query, routeOptions, translated }: FastifyRequest): string[] {
  if (translated !== null) {
    return translated.recipients.filter((email) => email.length <= MAX_ADDRESS).slice(0, MAX_RECIPIENTS)
  }
  if (routeOptions.url !== RAW) return recipientsIn(body)
  return [fieldOf(query, 'to')]
    .flat()
    .flatMap((text) => (typeof text === 'string' ? text.split(',', MAX_RECIPIENTS) : []))
    .filter((text) => text.length <= MAX_ADDRESS)
    .slice(0, MAX_RECIPIENTS)
}

/** Returns the first recipients in the body of a refused request, whose fields may have any shape. */
function recipientsIn(body: unknown): string[] {
  const found: string[] = []
  for (const message of Array.isArray(body) ? body.slice(0, MAX_RECIPIENTS) : [body]) {
    for (const field of ['to', 'cc', 'bcc']) {
      const list = fieldOf(message, field)
      for (const one of Array.isArray(list) ? list.slice(0, MAX_RECIPIENTS) : []) {
        const email = fieldOf(one, 'email')
        if (typeof email === 'string' && email.length <= MAX_ADDRESS) found.push(email)
        if (found.length === MAX_RECIPIENTS) return found
      }
    }
  }
  return found
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

/**
 * Returns the path of a request without its query. IDs are kept, and any other name is replaced by `:name`, because the
 * name may be an email address.
 */
function pathOf(request: FastifyRequest): string {
  const params = paramsOf(request)
  return (request.routeOptions.url ?? '').replace(/:(\w+)/g, (pattern, name: string) => {
    const value = params[name] ?? ''
    return /^[a-z]+_[0-9A-Z]{26}$/.test(value) ? value : pattern
  })
}

const MESSAGE_LOCATION = /^\/v1\/messages\/(msg_[0-9A-Z]{26})$/

/** Returns the ID of the message that a request created; null if the request created none. */
const acceptedMessage = (reply: FastifyReply): string | null =>
  MESSAGE_LOCATION.exec(String(reply.getHeader('location') ?? ''))?.[1] ?? null
