// One answer for each Idempotency-Key: a POST that is repeated within a day gets the first answer again, and changes
// nothing (docs/decisions/0040-answered-once.md).

import { AsyncLocalStorage } from 'node:async_hooks'
import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../lib/clock.ts'
import { Sealing } from '../lib/sealing.ts'
import { Problem } from '../model/problem.ts'
import { reading, type Store } from '../store/database/store.ts'
import {
  findRepeated,
  freeIdempotencyKey,
  IDEMPOTENCY_MS,
  type IdempotencyClaim,
  keepAnswer,
  type Repeated,
} from '../store/messages/idempotency-keys.ts'
import { claimed } from '../store/writes.ts'
import { InFlightKeys } from '../submission/in-flight-keys.ts'
import { hashOfBody } from './body-hash.ts'
import { readIdempotencyKey } from './messages/idempotency-key.ts'
import type { Route } from './route.ts'

/** A request with a key, while its handler works. */
interface Claiming {
  readonly claim: IdempotencyClaim
  /** The key is in the store: a write was committed with it. */
  isClaimed: boolean
  /** That write changed something. */
  hasChanged: boolean
  /** A change that carries the key is under way, or the handler has ended. */
  closed: boolean
  /** Another node has claimed the key in the meantime. */
  before?: Repeated
}

const current = new AsyncLocalStorage<Claiming>()

/**
 * A store in which the first change of a request that has an `Idempotency-Key` is committed together with the claim of
 * the key, or not at all where the key is claimed already.
 */
export const claimingStore = (store: Store): Store => ({
  ...store,
  write(write, item) {
    const context = current.getStore()
    if (context === undefined || context.closed || write.unaudited) return store.write(write, item)
    return writeClaimed(store, context, write.name, item) as Promise<never>
  },
})

async function writeClaimed(store: Store, context: Claiming, name: string, item: unknown): Promise<unknown> {
  // Taken before the write, so that two at once do not both carry the claim; given back when it fails.
  context.closed = true
  try {
    const done = await store.write(claimed, { name, item, claim: context.claim })
    if (done.kind === 'accepted') {
      context.isClaimed = true
      context.hasChanged = done.changed
      return done.result
    }
    context.before = done
  } finally {
    context.closed = context.isClaimed
  }
  throw unanswered()
}

/** An answer as it is kept. */
interface KeptAnswer {
  /** Of a refusal behind a change, in place of the rest. */
  readonly refusal?: Pick<Problem, 'code' | 'message' | 'errors' | 'violatedPolicies'>
  readonly status: number
  readonly location?: string
  readonly body?: unknown
}

/** The secret that a caller has shown, which the store does not hold. */
export type SecretOf = (request: FastifyRequest) => string | undefined

/** Answers requests once for each key of a caller. */
export class AnswerOnce {
  readonly #store: Store
  readonly #clock: Clock
  readonly #inFlight = new InFlightKeys()

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * Wraps the work of an endpoint. Requests without a key, and those of nobody, are handed on. Throws `validation_failed`
   * for a key that was used for another request, `conflict` for one whose answer is not there.
   */
  handler(handler: Route['handler'], secretOf: SecretOf): Route['handler'] {
    return async (request, reply) => {
      const key = readIdempotencyKey(request.headers['idempotency-key'])
      const secret = secretOf(request)
      const { caller } = request
      if (key === undefined || caller === null || secret === undefined) return handler(request, reply)
      const claim: IdempotencyClaim = {
        ...{ keyId: caller.id, key, messageId: '', response: '' },
        bodyHash: await hashOf(request, secret),
        now: this.#clock.now(),
      }
      const answers = new SealedAnswers(secret, claim)
      return this.#inFlight.once(claim, key, () =>
        this.#answer(claim, answers, reply, () => handler(request, reply)),
      )
    }
  }

  async #answer(
    claim: IdempotencyClaim,
    answers: SealedAnswers,
    reply: FastifyReply,
    work: () => Promise<unknown>,
  ): Promise<unknown> {
    const before = await reading(findRepeated(this.#store.read, claim, claim.now - IDEMPOTENCY_MS))
    if (before !== undefined) return replay(answers.open(before), reply)
    const context: Claiming = { claim, isClaimed: false, hasChanged: false, closed: false }
    let body: unknown
    try {
      body = await current.run(context, work)
    } catch (error) {
      if (context.before !== undefined) return replay(answers.open(context.before), reply)
      // After a fault in the middle the key stays, so that nothing is done twice.
      if (context.isClaimed && error instanceof Problem && error.status < 500) {
        await this.#refused(context, answers, reply, error)
      }
      throw error
    } finally {
      context.closed = true
    }
    await this.#keep({ ...claim, response: answers.seal(answerOf(reply, body)) }, reply)
    return body
  }

  /** Without it a repeat is told that there is no answer: still nothing is done twice. */
  async #keep(claim: IdempotencyClaim, reply: FastifyReply): Promise<void> {
    await this.#store.write(keepAnswer, claim).catch((err: unknown) => {
      reply.request.log.warn({ err }, 'the answer to a request with an Idempotency-Key was not kept')
    })
  }

  /** Keeps a refusal where something was changed before it, so that a repeat does not change it again; else frees the key. */
  async #refused(
    { claim, hasChanged }: Claiming,
    answers: SealedAnswers,
    reply: FastifyReply,
    { status, code, message, errors, violatedPolicies }: Problem,
  ): Promise<void> {
    if (!hasChanged) return this.#free(claim)
    const refusal = { code, message, errors, violatedPolicies }
    await this.#keep({ ...claim, response: answers.seal({ status, refusal }) }, reply)
  }

  /** A key that stays claimed refuses a repeat: the refusal of the first is what counts. */
  async #free(claim: IdempotencyClaim): Promise<void> {
    await this.#store.write(freeIdempotencyKey, claim).catch(() => undefined)
  }
}

/**
 * By which a repeat is told from another request. A body may hold a password: without the caller's secret nobody tries
 * out which one it was.
 */
const hashOf = ({ method, url, rawBody, body }: FastifyRequest, secret: string): Promise<string> =>
  hashOfBody(
    createHmac('sha256', secret).update(`${method} ${url}\n`),
    rawBody ?? (typeof body === 'string' ? body : ''),
  )

function answerOf(reply: FastifyReply, body: unknown): KeptAnswer {
  const { statusCode: status } = reply
  if (body === reply && status !== 204) {
    throw new Error(`${reply.request.url}: a handler whose answer is kept returns its body`)
  }
  const location = reply.getHeader('location')
  return {
    status,
    ...(typeof location === 'string' ? { location } : {}),
    ...(body === reply ? {} : { body }),
  }
}

function replay({ refusal, status, location, body }: KeptAnswer, reply: FastifyReply): unknown {
  if (refusal !== undefined) throw new Problem(refusal.code, refusal.message, refusal)
  reply.code(status)
  if (location !== undefined) reply.header('location', location)
  return body
}

/**
 * Answers of a request, sealed by what its caller has shown: an answer may hold a secret that is shown once, and the
 * store can open none.
 */
class SealedAnswers {
  readonly #sealing: Sealing
  readonly #owner: string

  constructor(secret: string, { keyId, key }: IdempotencyClaim) {
    this.#sealing = new Sealing(secret, 'answer')
    this.#owner = `${keyId} ${key}`
  }

  seal(answer: KeptAnswer): string {
    return this.#sealing.seal(JSON.stringify(answer), this.#owner)
  }

  /** Throws `Problem` for an answer to another request, and for one that is not there. */
  open(before: Repeated): KeptAnswer {
    if (before.kind === 'key_reused') throw keyReused()
    if (before.response === '') throw unanswered()
    return JSON.parse(this.#sealing.open(before.response, this.#owner))
  }
}

const keyReused = (): Problem =>
  new Problem(
    'validation_failed',
    'This Idempotency-Key was used with another body, or before the last login; see what was done then, and use a new key.',
    {
      errors: [{ path: 'Idempotency-Key', code: 'key_reused', message: 'It belongs to another request.' }],
    },
  )

const unanswered = (): Problem =>
  new Problem(
    'conflict',
    'A request with this Idempotency-Key is still under way, or was ended before its answer was kept. Try again in a moment; if this stays, see whether it was done before you use a new key.',
  )
