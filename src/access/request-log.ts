// Collects the requests of API keys and the refusals of SMTP for the request log of the account, without delaying either.

import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { FieldProblem } from '../model/problem.ts'
import {
  type LoggedRequest,
  type RefusedRecipient,
  type RequestRow,
  recordRequests,
  SMTP,
} from '../store/access/request-log.ts'
import type { Store } from '../store/database/store.ts'
import { type Waiting, WriteBehind } from '../store/database/write-behind.ts'
import type { HashRecipient } from './recipient-hash.ts'

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

/** The refusal to send a request, or one message of an accepted request. */
export interface RefusedSend {
  /** Recipients to whom would have been sent, as the client has written them. */
  readonly recipients: readonly string[]
  /** Status, code and problems of the refusal of one message; undefined for the refusal of the whole request. */
  readonly message?: {
    readonly status: number
    readonly code: string
    readonly problems: readonly FieldProblem[]
  }
}

/** An answered request as its entry of the log has it; `problems` are the problems of the fields. */
export interface NotedRequest
  extends Pick<
    RequestRow,
    'key_id' | 'domain_id' | 'method' | 'path' | 'code' | 'message_id' | 'duration_ms'
  > {
  readonly problems: readonly FieldProblem[]
  /** Names of the fields that a compatible endpoint ignored. */
  readonly ignored: readonly string[]
  readonly refusals: readonly RefusedSend[]
}

/** A recipient or a message that was refused over SMTP. */
export interface RefusedBySmtp
  extends Pick<NotedRequest, 'key_id' | 'domain_id' | 'code' | 'problems'>,
    Pick<RefusedSend, 'recipients'> {
  /** The refused command. */
  readonly verb: string
}

/**
 * Logs the requests of API keys, and the refusals of SMTP. The next entry contains the number of requests beyond the
 * limits and of entries that could not be written.
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

  /** Logs a request with the status of its response, unless there are too many requests. */
  note(accountId: string, status: number, requestOf: () => NotedRequest): void {
    if (!this.#waiting.admit(accountId, status)) return
    const { problems, ignored, refusals, ...request } = requestOf()
    this.add({
      ...{ account_id: accountId, id: newId('rql'), at: this.#clock.now(), status, ...request },
      ...{ problems: loggedProblems(problems), problem_count: problems.length, missed: 0 },
      ignored: namesOf(ignored),
      refused: this.#refusedBy(accountId, refusals),
    })
  }

  /** Logs the refusal of a recipient or of a message over SMTP, with the code of the reply. */
  noteSmtp(accountId: string, replyCode: number, refusalOf: () => RefusedBySmtp): void {
    this.note(accountId, replyCode, () => {
      const { verb, recipients, ...refusal } = refusalOf()
      const ofCommand = { method: SMTP, path: verb, message_id: null, duration_ms: 0, ignored: [] }
      return { ...refusal, ...ofCommand, refusals: [{ recipients }] }
    })
  }

  /** Returns the recipients of refusals, each with its first refusal. */
  #refusedBy(accountId: string, refusals: readonly RefusedSend[]): readonly RefusedRecipient[] {
    const refused = new Map<string, RefusedRecipient>()
    for (const { recipients, message } of refusals) {
      const { status = null, code = null, problems = [] } = message ?? {}
      for (const email of recipients) {
        const hash = this.#hash(accountId, email)
        if (refused.has(hash)) continue
        refused.set(hash, { hash, status, code, problems: loggedProblems(problems) })
      }
    }
    return [...refused.values()]
  }
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
