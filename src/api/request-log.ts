// Gathers the requests of keys for the log that their account can read, off the way of the requests themselves.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Clock, systemClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Periodic } from '../lib/periodic.ts'
import { type RequestRow, recordRequests } from '../store/access/request-log.ts'
import type { Store } from '../store/database/store.ts'
import { paramsOf } from './route.ts'

/** Requests are written together in this interval. */
const EVERY_MS = 1_000
/** Entries of an account in an interval: of those that were answered, and of those that were refused. */
const MAX_OF_ACCOUNT = 20
/** Entries of all accounts in an interval. */
const MAX_ENTRIES = 2_000

interface Gathered {
  readonly rows: RequestRow[]
  answered: number
  refused: number
  /** Requests that have no entry. */
  missed: number
}

/** Notes requests; beyond the limits it counts them, and the next entry tells how many there were. */
export class RequestLog implements Part {
  readonly name = 'request log'
  readonly #store: Store
  readonly #clock: Clock
  readonly #writing: Periodic
  #accounts = new Map<string, Gathered>()
  #entries = 0

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store
    this.#clock = clock
    this.#writing = new Periodic({
      ...{ name: this.name, clock: systemClock, log, everyMs: EVERY_MS },
      failure: 'requests cannot be logged; they are counted as missed',
      step: () => this.#write(),
    })
  }

  start(): void {
    this.#writing.start()
  }

  async stop(): Promise<void> {
    await this.#writing.stop()
    await this.#write()
  }

  /** Notes a request of a key once it is answered; those of people, and of strangers, belong to no key. */
  readonly note = (request: FastifyRequest, reply: FastifyReply): void => {
    const { caller, method, problemCode } = request
    if (caller === null || caller.userId !== null) return
    const gathered = this.#of(caller.accountId)
    const isRefused = reply.statusCode >= 400
    const count = isRefused ? ++gathered.refused : ++gathered.answered
    if (count > MAX_OF_ACCOUNT || this.#entries >= MAX_ENTRIES) {
      gathered.missed++
      return
    }
    this.#entries++
    const now = this.#clock.now()
    gathered.rows.push({
      account_id: caller.accountId,
      id: newId('rql'),
      at: now,
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

  #of(accountId: string): Gathered {
    let gathered = this.#accounts.get(accountId)
    if (gathered === undefined) {
      gathered = { rows: [], answered: 0, refused: 0, missed: 0 }
      this.#accounts.set(accountId, gathered)
    }
    return gathered
  }

  async #write(): Promise<void> {
    const accounts = this.#accounts
    this.#accounts = new Map()
    this.#entries = 0
    const rows: RequestRow[] = []
    for (const [accountId, { rows: own, missed }] of accounts) {
      const last = own.at(-1)
      if (last !== undefined) rows.push(...own.slice(0, -1), { ...last, missed })
      else if (missed > 0) this.#of(accountId).missed += missed
    }
    if (rows.length === 0) return
    try {
      await this.#store.write(recordRequests, { rows })
    } catch (error) {
      for (const { account_id, missed } of rows) this.#of(account_id).missed += missed + 1
      throw error
    }
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
