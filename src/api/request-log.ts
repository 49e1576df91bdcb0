// Collects the requests of API keys for the request log of the account, without delaying the requests.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { FieldProblem } from '../model/problem.ts'
import { type RequestRow, recordRequests } from '../store/access/request-log.ts'
import type { Store } from '../store/database/store.ts'
import { type Waiting, WriteBehind } from '../store/database/write-behind.ts'
import { paramsOf } from './route.ts'

/** Interval at which log entries are written together, in milliseconds. */
const EVERY_MS = 1_000
/** Maximum number of waiting log entries per account, counted separately for successful and refused requests. */
const MAX_OF_ACCOUNT = 20
/** Maximum number of waiting log entries of all accounts. */
const MAX_ENTRIES = 2_000

/** Requests of an account that wait to be written to the log. */
interface Gathered {
  readonly rows: RequestRow[]
  answered: number
  refused: number
  /** Number of requests that get no log entry. */
  missed: number
}

/** Waiting requests. Their number is limited per account and in total; requests beyond a limit are only counted. */
class WaitingRequests implements Waiting<RequestRow> {
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

  add(row: RequestRow): number {
    this.size++
    this.#of(row.account_id).rows.push(row)
    return 0
  }

  take(most: number): RequestRow[] {
    const taken: RequestRow[] = []
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

  requeue(rows: readonly RequestRow[]): number {
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
export class RequestLog extends WriteBehind<RequestRow> {
  readonly #clock: Clock
  readonly #waiting: WaitingRequests

  constructor(store: Store, clock: Clock, log: Log) {
    const waiting = new WaitingRequests()
    super({
      ...{ name: 'request log', log, waiting, everyMs: EVERY_MS },
      write: (rows) => store.write(recordRequests, { rows }),
    })
    this.#clock = clock
    this.#waiting = waiting
  }

  /** Logs an answered request of an API key; requests of users and strangers are not logged. */
  readonly note = (request: FastifyRequest, reply: FastifyReply): void => {
    const { caller, method, problemCode, problemFields } = request
    if (caller === null || caller.userId !== null) return
    if (!this.#waiting.admit(caller.accountId, reply.statusCode)) return
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
      message_id: acceptedMessage(reply),
      duration_ms: Math.round(reply.elapsedTime),
      missed: 0,
    })
  }
}

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
