// Executes a POST once per Idempotency-Key: a POST that is repeated within a day gets the first response again and
// changes nothing. If a crash interrupted the first POST, the repeated POST completes it
// (docs/decisions/0040-answered-once.md).

import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashOfBody } from '../http/body-hash.ts'
import { BodyBytes } from '../http/body-rule.ts'
import { FormFields } from '../http/form-fields.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { Periodic } from '../lib/periodic.ts'
import { withinRun } from '../lib/repeatable-run.ts'
import { Sealing } from '../lib/sealing.ts'
import { hashOfJson } from '../model/json-hash.ts'
import { Problem } from '../model/problem.ts'
import { reading, type Store } from '../store/database/store.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import {
  findRepeated,
  IDEMPOTENCY_MS,
  type IdempotencyClaim,
  type Repeated,
} from '../store/requests/idempotency-keys.ts'
import {
  keepAnswer,
  releaseRequest,
  releaseRequestKey,
  renewRequest,
  takeRequestOver,
} from '../store/requests/keyed-requests.ts'
import { InFlightKeys } from '../submission/in-flight-keys.ts'
import { readIdempotencyKey } from './messages/idempotency-key.ts'
import { LEASE_MS, RequestRun, unanswered } from './request-run.ts'
import type { Route, SecretOf } from './route.ts'

const RENEW_MS = LEASE_MS / 3

/** Stored response of a request. */
interface KeptAnswer {
  readonly status: number
  readonly location?: string
  readonly body?: unknown
}

interface AnswerOnceOptions {
  readonly store: Store
  readonly clock: Clock
  /** Name of this process, used in its leases. */
  readonly node: NodeName
}

/** Executes each request of a caller once per Idempotency-Key. */
export class AnswerOnce {
  readonly #store: Store
  readonly #clock: Clock
  readonly #node: NodeName
  readonly #inFlight = new InFlightKeys()

  constructor({ store, clock, node }: AnswerOnceOptions) {
    this.#store = store
    this.#clock = clock
    this.#node = node
  }

  /**
   * Wraps the handler of an endpoint. Requests without an Idempotency-Key or without a caller pass through. The wrapper
   * throws `validation_failed` for a key that was used for another request, and `conflict` while the first request with
   * the key is running.
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
      return this.#inFlight.once(claim, key, () =>
        this.#answer(claim, secret, reply, () => handler(request, reply)),
      )
    }
  }

  async #answer(
    claim: IdempotencyClaim,
    secret: string,
    reply: FastifyReply,
    work: () => Promise<unknown>,
  ): Promise<unknown> {
    const answers = new SealedAnswers(secret, claim)
    const lease = this.#node.newToken()
    const before = await reading(findRepeated(this.#store.read, claim, claim.now - IDEMPOTENCY_MS))
    const kept = before && answers.open(before)
    if (kept !== undefined) return replay(kept, reply)
    const cut = before && (await this.#takeOver({ ...claim, lease }))
    const run = new RequestRun({ claim, lease, secret, cut, clock: this.#clock })
    const body = await this.#run(run, { ...claim, lease }, reply, work)
    if (run.before !== undefined) return replay(answers.open(run.before) ?? fail(unanswered()), reply)
    await this.#keep({ ...claim, lease, response: answers.seal(answerOf(reply, body)) }, reply)
    return body
  }

  /** Takes over a request whose node has ended or failed. Throws `conflict` for a request that is still running. */
  async #takeOver(held: IdempotencyClaim & { readonly lease: string }) {
    const { keyId, key, lease } = held
    const now = this.#clock.now()
    const cut = await this.#store.write(takeRequestOver, { keyId, key, lease, now, until: now + LEASE_MS })
    return cut ?? fail(unanswered())
  }

  /** Runs the handler of a request, and renews the lease of the request meanwhile. */
  async #run(
    run: RequestRun,
    { keyId, key, lease }: IdempotencyClaim & { readonly lease: string },
    reply: FastifyReply,
    work: () => Promise<unknown>,
  ): Promise<unknown> {
    const held = { keyId, key, lease }
    const renewing = new Periodic({
      ...{ name: 'lease of a request', clock: systemClock, log: reply.request.log, everyMs: RENEW_MS },
      failure: 'the lease of a request with an Idempotency-Key could not be renewed',
      step: async () =>
        run.isBegun && this.#store.write(renewRequest, { ...held, until: this.#clock.now() + LEASE_MS }),
    })
    renewing.start()
    try {
      return await withinRun(run, work)
    } catch (error) {
      if (run.before !== undefined) return undefined
      if (run.isBegun) await this.#end(held, run.hasChanged || !isRefusal(error))
      throw error
    } finally {
      run.close()
      await renewing.stop()
    }
  }

  /**
   * Stores the response. If the response cannot be stored, a repeated request runs the handler again, which changes
   * nothing and returns the same response.
   */
  async #keep(claim: IdempotencyClaim & { readonly lease: string }, reply: FastifyReply): Promise<void> {
    await this.#store.write(keepAnswer, claim).catch(async (err: unknown) => {
      reply.request.log.warn({ err }, 'the response to a request with an Idempotency-Key was not stored')
      const { keyId, key, lease } = claim
      await this.#end({ keyId, key, lease }, true)
    })
  }

  /**
   * Releases an Idempotency-Key if the request has changed nothing; otherwise keeps the completed steps, so that a
   * repeated request continues after the last step or is refused in the same way.
   */
  async #end(
    held: { readonly keyId: string; readonly key: string; readonly lease: string },
    goesOn: boolean,
  ): Promise<void> {
    await this.#store.write(goesOn ? releaseRequest : releaseRequestKey, held).catch(() => undefined)
  }
}

const isRefusal = (error: unknown): boolean => error instanceof Problem && error.status < 500

function fail(error: Error): never {
  throw error
}

/**
 * Returns the hash of a request, which is equal only for a repetition of the request. The hash includes the caller's
 * secret, so that a password in the body cannot be guessed from the hash alone.
 */
const hashOf = ({ method, url, rawBody, body }: FastifyRequest, secret: string): Promise<string> => {
  const hash = createHmac('sha256', secret).update(`${method} ${url}\n`)
  if (body instanceof FormFields) return hashOfJson(hash, body.toJSON())
  if (body instanceof BodyBytes) return Promise.resolve(hash.update(body.bytes).digest('hex'))
  return rawBody === null ? hashOfBody(hash, typeof body === 'string' ? body : '') : hashOfJson(hash, body)
}

function answerOf(reply: FastifyReply, body: unknown): KeptAnswer {
  const { statusCode: status } = reply
  if (body === reply && status !== 204) {
    throw new Error(
      `${reply.request.url}: the handler must return its response body, because the response is stored`,
    )
  }
  const location = reply.getHeader('location')
  return {
    status,
    ...(typeof location === 'string' ? { location } : {}),
    ...(body === reply ? {} : { body }),
  }
}

function replay({ status, location, body }: KeptAnswer, reply: FastifyReply): unknown {
  reply.code(status)
  if (location !== undefined) reply.header('location', location)
  return body
}

/**
 * Encrypts stored responses with the caller's secret. A response may contain a secret that is shown only once, so
 * reading the store must not be enough to decrypt a response.
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

  /**
   * Returns the stored response; undefined if no response is stored yet. Throws `validation_failed` if the
   * Idempotency-Key belongs to another request.
   */
  open(before: Repeated): KeptAnswer | undefined {
    if (before.kind === 'key_reused') throw keyReused()
    return before.response === '' ? undefined : JSON.parse(this.#sealing.open(before.response, this.#owner))
  }
}

const keyReused = (): Problem =>
  new Problem(
    'validation_failed',
    'This Idempotency-Key was used with another body, or before the last login. Check the result of the earlier request, and use a new key.',
    {
      errors: [
        { path: 'Idempotency-Key', code: 'key_reused', message: 'The key belongs to another request.' },
      ],
    },
  )
