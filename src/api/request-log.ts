// Collects the requests of API keys for the request log of the account, without delaying the requests.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HashRecipient } from '../access/recipient-hash.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { FieldProblem } from '../model/problem.ts'
import { LIMITS } from '../model/send-request.ts'
import { type LoggedRequest, recordRequests } from '../store/access/request-log.ts'
import type { Store } from '../store/database/store.ts'
import { type Waiting, WriteBehind } from '../store/database/write-behind.ts'
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

/** Interval at which log entries are written together, in milliseconds. */
const EVERY_MS = 1_000
/** Maximum number of waiting log entries per account, counted separately for successful and refused requests. */
const MAX_OF_ACCOUNT = 20
/** Maximum number of waiting log entries of all accounts. */
const MAX_ENTRIES = 2_000

/** Requests of an account that wait to be written to the log. */
interface Gathered {
  readonly rows: LoggedRequest[]
  answered: number
  refused: number
  /** Number of requests that get no log entry. */
  missed: number
}

/** Waiting requests. Their number is limited per account and in total; requests beyond a limit are only counted. */
class WaitingRequests implements Waiting<LoggedRequest> {
  #accounts = new Map<string, Gathered>()
  size = 0

  /** Returns true if the caller may add a log entry for a request; otherwise counts the request as missed. */
  admit(accountId: string, status: number): boolean {
    const gathered = this.#of(accountId)
    const outcome = status >= 400 ? 'refused' : 'answered'
    if (gathered[outcome] >= MAX_OF_ACCOUNT || this.size >= MAX_ENTRIES) {
      gathered.missed++
      return false
    }
    gathered[outcome]++
    return true
  }

  add(row: LoggedRequest): number {
    this.size++
    this.#of(row.account_id).rows.push(row)
    return 0
  }

  take(most: number): LoggedRequest[] {
    const taken: LoggedRequest[] = []
    for (const [accountId, { rows, missed }] of this.#accounts) {
      if (taken.length >= most) break
      const last = rows.pop()
      // The next log entry of an account reports the number of missed requests.
      if (last === undefined) continue
      this.#accounts.delete(accountId)
      taken.push(...rows, { ...last, missed })
    }
    this.size -= taken.length
    return taken
  }

  requeue(rows: readonly LoggedRequest[]): number {
    for (const { account_id, missed } of rows) this.#of(account_id).missed += missed + 1
    return rows.length
  }

  #of(accountId: string): Gathered {
    let gathered = this.#accounts.get(accountId)
    if (gathered === undefined) {
      gathered = { rows: [], answered: 0, refused: 0, missed: 0 }
      this.#accounts.set(accountId, gathered)
    }
    return gathered
  }
}

/**
 * Logs the requests of API keys. The next entry contains the number of requests beyond the limits and of entries that
 * could not be written.
 */
export class RequestLog extends WriteBehind<LoggedRequest> {
  readonly #clock: Clock
  readonly #waiting: WaitingRequests
  readonly #hash: HashRecipient

  /** @param hash hashes the recipients of refused requests, whose addresses are not stored */
  constructor(store: Store, clock: Clock, log: Log, hash: HashRecipient) {
    const waiting = new WaitingRequests()
    super({
      ...{ name: 'request log', log, waiting, everyMs: EVERY_MS },
      write: (rows) => store.write(recordRequests, { rows }),
    })
    this.#clock = clock
    this.#waiting = waiting
    this.#hash = hash
  }

  /** Logs an answered request of an API key; requests of users and strangers are not logged. */
  readonly note = (request: FastifyRequest, reply: FastifyReply): void => {
    const { caller, method, problemCode, problemFields, translated } = request
    if (caller === null || caller.userId !== null) return
    if (!this.#waiting.admit(caller.accountId, reply.statusCode)) return
    const recipients = isRefusal(reply) ? recipientsOf(request) : []
    this.add({
      account_id: caller.accountId,
      id: newId('rql'),
      at: this.#clock.now(),
      key_id: caller.id,
      domain_id: caller.sender?.domainId ?? null,
      method,
      path: pathOf(request),
      status: reply.statusCode,
      code: problemCode,
      problems: loggedProblems(problemFields ?? []),
      problem_count: problemFields?.length ?? 0,
      message_id: translated?.messageId ?? acceptedMessage(reply),
      duration_ms: Math.round(reply.elapsedTime),
      missed: 0,
      ignored: namesOf(translated?.ignored ?? []),
      ...(recipients.length === 0
        ? {}
        : { recipients: [...new Set(recipients.map((email) => this.#hash(caller.accountId, email)))] }),
    })
  }
}

/** Path of the requests whose recipients are in the query. */
const RAW = '/v1/messages/raw'
/** Paths of the requests to send whose refusals are kept with their recipients. */
const SENDING: ReadonlySet<string | undefined> = new Set(['/v1/messages', '/v1/messages/batch', RAW])

const isRefusal = ({ statusCode }: FastifyReply): boolean => statusCode >= 400 && statusCode < 500

/** Maximum number of recipients of a refused request that are kept, which is the maximum of a message. */
const MAX_RECIPIENTS = LIMITS.recipients
/** Maximum length of a text that may be an address. */
const MAX_ADDRESS = 400

/**
 * Returns the first recipients that a refused request to send names; a raw message names them in its query or not at
 * all.
 */
function recipientsOf({ method, body, query, routeOptions, translated }: FastifyRequest): readonly string[] {
  if (translated !== null) {
    return translated.recipients.filter((email) => email.length <= MAX_ADDRESS).slice(0, MAX_RECIPIENTS)
  }
  if (method !== 'POST' || !SENDING.has(routeOptions.url)) return []
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

/** Maximum number of ignored fields in a log entry. */
const MAX_IGNORED = 50

/** Returns the names of ignored fields as JSON, without names that may be values; null if there are none. */
const namesOf = (ignored: readonly string[]): string | null =>
  ignored.length === 0 ? null : JSON.stringify(ignored.slice(0, MAX_IGNORED).map(withoutValues))

/** Maximum number of problems in a log entry. */
const MAX_PROBLEMS = 10
/**
 * Matches a segment of a path that is a field name with optional positions. A segment that the client chose may look
 * different.
 */
const NAME = /^[a-z][a-z0-9_-]{0,39}(?:\[\d{1,6}\])*$/i

/** Returns the problems of a refused request as JSON with path and code, without values; null if there are none. */
function loggedProblems(problems: readonly FieldProblem[]): string | null {
  if (problems.length === 0) return null
  return JSON.stringify(
    problems.slice(0, MAX_PROBLEMS).map(({ path, code }) => ({ path: withoutValues(path), code })),
  )
}

/** Returns the beginning of a path, up to the first segment that is not a plain name and might contain a value. */
function withoutValues(path: string): string {
  const parts = path.split('.')
  const end = parts.findIndex((part) => part !== '' && !NAME.test(part))
  return end < 0 ? path : [...parts.slice(0, end), '…'].join('.')
}

const MESSAGE_LOCATION = /^\/v1\/messages\/(msg_[0-9A-Z]{26})$/

/** Returns the ID of the message that a request created; null if the request created none. */
const acceptedMessage = (reply: FastifyReply): string | null =>
  MESSAGE_LOCATION.exec(String(reply.getHeader('location') ?? ''))?.[1] ?? null
