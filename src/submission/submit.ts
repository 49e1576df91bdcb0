// The only way in for a message: authorised, checked, and kept durably before anybody is told that it was accepted.

import { hash } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { type FieldProblem, Problem, type ProblemCode } from '../model/problem.ts'
import type { AcceptBatch } from '../store/batches.ts'
import type { Lease } from '../store/direct.ts'
import type { Accepted, AcceptMessage, Repeated } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import { Acceptance, type AcceptanceOptions, type MimeSubmission, type SubmittedRequest } from './accept.ts'
import type { Sender } from './authorize.ts'

/** What a door answers: 202 over HTTP, 250 over SMTP. */
export interface Submitted {
  readonly message_id: string
  readonly status: 'queued' | 'scheduled'
}

/** What a door answers for one of many that was refused: what a `Problem` says, in a form that can be kept. */
export interface Refused {
  readonly code: ProblemCode
  readonly detail: string
  readonly errors: readonly FieldProblem[]
}

/** How long the event loop may be kept from other work. */
const STALL_MS = 10

/** Send requests that came together. */
export interface BatchSubmission {
  readonly requests: readonly SubmittedRequest[]
  /** All of them as they came. */
  readonly raw: string
  readonly idempotencyKey: string | undefined
}

/** The delivery of this node. */
export interface Delivery {
  /** A lease under which a message may be accepted, to be attempted at once; `settle` has to follow. */
  offer(message: AcceptMessage): Lease | undefined
  /** What became of a message that has a lease; undefined: the store did not say, and may have accepted it. */
  settle(message: AcceptMessage, result: Accepted | undefined): void
  /** Something has been put into the queue. */
  poke(): void
}

/** Accepts messages, and tells the delivery of this node, if it has one. */
export class Submission {
  readonly #store: Store
  readonly #clock: Clock
  readonly #delivery: Delivery | undefined
  readonly #acceptance: Acceptance
  readonly #inFlight = new Set<string>()

  constructor(
    options: AcceptanceOptions & {
      readonly store: Store
      readonly clock: Clock
      readonly delivery: Delivery | undefined
    },
  ) {
    this.#store = options.store
    this.#clock = options.clock
    this.#delivery = options.delivery
    this.#acceptance = new Acceptance(options)
  }

  /** Takes a send request. Throws `Problem` when it is refused; then nothing was kept and nothing is charged. */
  async submitRequest(
    sender: Sender,
    submission: SubmittedRequest & { readonly idempotencyKey: string | undefined },
  ): Promise<Submitted> {
    const { raw, idempotencyKey: key } = submission
    const accept = await this.#acceptance.ofRequest(sender, submission, this.#clock.now())
    if (key === undefined) return this.#keep(accept)
    const response = JSON.stringify(answer(accept))
    const idempotency = { key, bodyHash: hash('sha256', raw), response }
    return this.#once(sender, key, () => this.#keep({ ...accept, idempotency }))
  }

  /** Takes a message handed over by SMTP. Throws `Problem` when it is refused; then nothing was kept. */
  async submitMime(sender: Sender, submission: MimeSubmission): Promise<Submitted> {
    return this.#keep(await this.#acceptance.ofMime(sender, submission, this.#clock.now()))
  }

  /**
   * Takes many send requests in one durable write. Each is accepted or refused by itself, and the answers are in
   * their order. Throws `Problem` when the whole is refused; then nothing was kept.
   */
  async submitBatch(sender: Sender, batch: BatchSubmission): Promise<readonly (Submitted | Refused)[]> {
    const { requests, raw, idempotencyKey: key } = batch
    const now = this.#clock.now()
    const messages: AcceptMessage[] = []
    const places: number[] = []
    const answers: (Submitted | Refused)[] = []
    let since = performance.now()
    for (const [place, request] of requests.entries()) {
      // Rendering five hundred templates at once would stall whatever waits.
      if (performance.now() - since > STALL_MS) {
        await new Promise((resolve) => setImmediate(resolve))
        since = performance.now()
      }
      try {
        const accept = await this.#acceptance.ofRequest(sender, request, now)
        messages.push(accept)
        places.push(place)
        answers.push(answer(accept))
      } catch (error) {
        // What is so only now must not be the answer that is kept and replayed: the whole is to be tried again.
        if (!(error instanceof Problem) || error.code === 'unavailable') throw error
        answers.push(refused(error))
      }
    }
    const refusal = refused(allowanceExhausted('account or of the stream'))
    if (key === undefined)
      return this.#keepBatch({ messages, places, answers, refusal, idempotency: undefined })
    const idempotency = { keyId: sender.keyId, key, bodyHash: hash('sha256', raw), now }
    return this.#once(sender, key, () => this.#keepBatch({ messages, places, answers, refusal, idempotency }))
  }

  /** The same key may not be used again while its first request is under way; afterwards its answer is replayed. */
  async #once<T>(sender: Sender, key: string, work: () => Promise<T>): Promise<T> {
    const name = `${sender.keyId} ${key}`
    if (this.#inFlight.has(name)) {
      throw new Problem(
        'conflict',
        'A request with this Idempotency-Key is still under way; try again when it has ended.',
      )
    }
    this.#inFlight.add(name)
    try {
      return await work()
    } finally {
      this.#inFlight.delete(name)
    }
  }

  async #keep(accept: AcceptMessage): Promise<Submitted> {
    const lease = this.#delivery?.offer(accept)
    const message = lease === undefined ? accept : { ...accept, lease }
    let result: Accepted | undefined
    try {
      result = await this.#store.write('acceptMessage', message)
    } finally {
      if (lease !== undefined) this.#delivery?.settle(message, result)
    }
    if (result.kind === 'allowance_exhausted') throw allowanceExhausted(result.of)
    if (result.kind !== 'accepted') return repeated<Submitted>(result)
    if (result.direct === undefined) this.#delivery?.poke()
    return answer(accept)
  }

  async #keepBatch(batch: AcceptBatch): Promise<readonly (Submitted | Refused)[]> {
    const result = await this.#store.write('acceptBatch', batch)
    if (result.kind !== 'accepted') return repeated(result)
    this.#delivery?.poke()
    return result.answers as readonly (Submitted | Refused)[]
  }
}

/** The answer to a request that came before. Throws `Problem` when it was another one. */
function repeated<T>(result: Repeated): T {
  if (result.kind === 'replayed') return JSON.parse(result.response) as T
  throw new Problem('validation_failed', 'This Idempotency-Key was used with another body; use a new key.', {
    errors: [{ path: 'Idempotency-Key', code: 'key_reused', message: 'It belongs to another request body.' }],
  })
}

const allowanceExhausted = (of: string): Problem =>
  new Problem('sending_allowance_exhausted', `The sending allowance of the ${of} is used up; ask for more.`)

const refused = ({ code, message, errors }: Problem): Refused => ({ code, detail: message, errors })

const answer = ({ message }: AcceptMessage): Submitted => ({
  message_id: message.id,
  status: message.send_at === null ? 'queued' : 'scheduled',
})
