// Gathers the requests of keys for the log that their account can read, off the way of the requests themselves.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { type RequestRow, recordRequests } from '../store/access/request-log.ts'
import type { Store } from '../store/database/store.ts'
import { type Waiting, WriteBehind } from '../store/database/write-behind.ts'
import { paramsOf } from './route.ts'

/** Requests are written together in this interval. */
const EVERY_MS = 1_000
/** Entries of an account that wait: of those that were answered, and of those that were refused. */
const MAX_OF_ACCOUNT = 20
/** Entries of all accounts that wait. */
const MAX_ENTRIES = 2_000

/** Requests of an account that wait to be written. */
interface Gathered {
  readonly rows: RequestRow[]
  answered: number
  refused: number
  /** Requests that have no entry. */
  missed: number
}

/** Requests that wait, in bounds of each account and of all; of those without an entry the number waits. */
class WaitingRequests implements Waiting<RequestRow> {
  #accounts = new Map<string, Gathered>()
  size = 0

  /** Tells whether a request gets an entry, which is then to be added; counts it as missed where it does not. */
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
      // What an account missed is told by its next entry.
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

/** Logs the requests of keys; of those beyond the limits, and those that were not written, the next entry tells the number. */
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

  /** Notes a request of a key once it is answered; those of people, and of strangers, belong to no key. */
  readonly note = (request: FastifyRequest, reply: FastifyReply): void => {
    const { caller, method, problemCode } = request
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
      duration_ms: Math.round(reply.elapsedTime),
      missed: 0,
    })
  }
}

/** The path without its query: IDs as they are, any other name in it as `:name`, since it may be an address. */
function pathOf(request: FastifyRequest): string {
  const params = paramsOf(request)
  return (request.routeOptions.url ?? '').replace(/:(\w+)/g, (pattern, name: string) => {
    const value = params[name] ?? ''
    return /^[a-z]+_[0-9A-Z]{26}$/.test(value) ? value : pattern
  })
}
