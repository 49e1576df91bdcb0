// Processes a batch of send requests: renders the requests one by one and stores the messages in parts, so that no
// batch holds much memory.

import { setImmediate } from 'node:timers/promises'
import { hashOfRequests } from '../model/json-hash.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import { LIMITS } from '../model/send-request.ts'
import type { AcceptMessage, SuppressedRecipient } from '../store/accepting/accept-message.ts'
import { type AcceptBatch, acceptBatch } from '../store/accepting/batches.ts'
import type { Store } from '../store/database/store.ts'
import { type Acceptance, freeContent, type SubmittedRequest } from './accept.ts'
import {
  allowanceExhausted,
  allowanceShort,
  answerTo,
  type Refused,
  refused,
  repeated,
  type Submitted,
} from './answer.ts'
import type { Sender } from './authorize.ts'
import type { StoredBytesLimit } from './stored-bytes.ts'

/** Called with the recipients that are suppressed, once their message is stored; not called for a repeated request. */
export type NoteSuppressed = (suppressed: readonly SuppressedRecipient[]) => void

/** Send requests, each of which may be made when it is read; an array is such a list. */
export interface RequestList {
  readonly length: number
  at(index: number): SubmittedRequest | undefined
}

/** Send requests of one HTTP request. */
export interface BatchSubmission {
  readonly requests: RequestList
  /**
   * True to accept all requests or none: the first refusal refuses the batch, and one write stores all messages. The
   * contents of all messages together have at most `MAX_WHOLE_BYTES`.
   */
  readonly whole?: boolean
  readonly idempotencyKey: string | undefined
  /** Body that the idempotency key covers, if the requests were translated from a body of another form. */
  readonly keyedBody?: object | undefined
  /** Returns true if the client no longer waits for the responses. */
  readonly isGone?: () => boolean
  /** `traceparent` of the request. */
  readonly traceCaller?: string | undefined
  readonly noteSuppressed?: NoteSuppressed | undefined
}

/** Size of the content at which a part is stored, in bytes. */
export const MAX_PART_BYTES = 2_000_000
/** Maximum size of the contents of a batch that is accepted as a whole, in bytes. */
const MAX_WHOLE_BYTES = 24 * 1024 * 1024
/** Maximum time for which the event loop may be kept from other work. */
const MAX_STALL_MS = 10

type Answer = Submitted | Refused

/** Stored message without its content. */
export type KeptMessage = Pick<AcceptMessage, 'message' | 'recipients'>

/** Components of the service that a batch, or a part of a bulk, uses. */
export interface Parts {
  readonly store: Store
  readonly acceptance: Acceptance
  readonly storedBytes: StoredBytesLimit
  /** Reserves memory for contents of this many bytes in all. Throws `unavailable` if memory is short. */
  hold?(bytes: number): void
  /** Function that is called after messages were put into the queue, with their suppressed recipients. */
  onKept(messages: readonly KeptMessage[], suppressed: readonly SuppressedRecipient[]): void
}

/** Requests that are stored in one write. */
interface BatchPart {
  readonly messages: AcceptMessage[]
  readonly places: number[]
  readonly answers: Answer[]
  bytes: number
}

/**
 * Stores one batch. The first part has the idempotency key of the batch, and each further part has a key derived from
 * it. A repeated batch gets the responses of the stored parts and processes the rest.
 */
export class BatchRun {
  readonly #parts: Parts
  readonly #sender: Sender
  readonly #batch: BatchSubmission
  readonly #now: number
  readonly #answers: Answer[] = []
  #bodyHash = ''
  /** Time until which the attachments of all requests must be fetched. */
  #fetchUntil = 0
  #written = 0

  constructor(parts: Parts, sender: Sender, batch: BatchSubmission, now: number) {
    this.#parts = parts
    this.#sender = sender
    this.#batch = batch
    this.#now = now
  }

  /**
   * Returns the responses in the order of the requests. Throws `Problem` if the whole batch is refused and nothing was
   * stored; if a part was already stored, requests that cannot be accepted now are refused one by one. A batch that is
   * accepted as a whole is refused if one of its requests is refused.
   */
  async run(): Promise<readonly Answer[]> {
    const { idempotencyKey, requests, keyedBody } = this.#batch
    const { length } = requests
    this.#fetchUntil = performance.now() + LIMITS.fetchMs
    if (idempotencyKey !== undefined)
      this.#bodyHash = await hashOfRequests(
        keyedBody === undefined ? [...each(requests)].map(({ request }) => request) : [keyedBody],
      )
    try {
      while (this.#answers.length < length) await this.#keep(await this.#nextPart())
    } catch (error) {
      if (this.#answers.length === 0 || !(error instanceof Problem)) throw error
      while (this.#answers.length < length) this.#answers.push(refused(error))
    }
    return this.#answers
  }

  async #nextPart(): Promise<BatchPart> {
    const part: BatchPart = { messages: [], places: [], answers: [], bytes: 0 }
    let since = performance.now()
    for (const request of each(this.#batch.requests, this.#answers.length)) {
      // Rendering five hundred templates without a pause would stall all other requests.
      if (performance.now() - since > MAX_STALL_MS) {
        await setImmediate()
        since = performance.now()
      }
      try {
        if (this.#batch.isGone?.()) throw new Problem('unavailable', 'The client has disconnected.')
        await this.#add(part, request)
        if (this.#batch.whole) this.#holdWhole(part.bytes)
      } catch (error) {
        this.#drop(part)
        throw error
      }
      if (!this.#batch.whole && part.bytes >= MAX_PART_BYTES) break
    }
    const refusal = this.#batch.whole ? refusalOfAll(part.answers) : undefined
    if (refusal === undefined) return part
    this.#drop(part)
    throw refusal
  }

  /** Reserves memory for the contents of a whole batch. Throws `Problem` if the contents are too large. */
  #holdWhole(bytes: number): void {
    if (bytes > MAX_WHOLE_BYTES) throw tooLarge()
    this.#parts.hold?.(bytes)
  }

  /** Releases the memory and the reserved bytes of a part that is not stored. */
  #drop({ messages, bytes }: BatchPart): void {
    messages.forEach(freeContent)
    this.#parts.storedBytes.settle(this.#sender, bytes, 0)
  }

  async #add(part: BatchPart, request: SubmittedRequest): Promise<void> {
    try {
      const waiting = { isGone: this.#batch.isGone, waits: true, fetchUntil: this.#fetchUntil }
      const { message: accept } = await this.#parts.acceptance.ofRequest(
        this.#sender,
        request,
        this.#now,
        waiting,
      )
      const refusal = await this.#parts.storedBytes.take(this.#sender, accept.message.size)
      if (refusal !== undefined) throw refusal
      part.places.push(part.answers.length)
      part.messages.push(accept)
      part.answers.push(answerTo(accept))
      part.bytes += accept.message.size
    } catch (error) {
      // A temporary refusal must not be stored, because a repeated request would get it again.
      if (!(error instanceof Problem) || error.code === 'unavailable') throw error
      part.answers.push(refused(error))
    }
  }

  async #keep(part: BatchPart): Promise<void> {
    const { idempotencyKey } = this.#batch
    const key = this.#written === 0 ? idempotencyKey : `${idempotencyKey}\u001f${this.#written}`
    this.#written++
    const { messages, places, answers } = part
    const idempotency =
      idempotencyKey === undefined || key === undefined
        ? undefined
        : { keyId: this.#sender.keyId, key, bodyHash: this.#bodyHash, now: this.#now }
    const refusal = refused(allowanceShort())
    const whole = this.#batch.whole ?? false
    const item: AcceptBatch = { messages, places, answers, refusal, whole, idempotency }
    let kept: readonly AcceptMessage[] = []
    let suppressed: readonly SuppressedRecipient[] = []
    try {
      const result = await this.#parts.store.write(acceptBatch, item)
      if (result.kind === 'accepted') {
        kept = messages.filter((_, index) => result.kept[index])
        suppressed = result.suppressed
        this.#answers.push(...(result.answers as readonly Answer[]))
      } else if (result.kind === 'allowance_exhausted') throw allowanceExhausted(result)
      else this.#answers.push(...repeated<Answer[]>(result))
    } finally {
      messages.forEach(freeContent)
      const bytes = kept.reduce((sum, { message }) => sum + message.size, 0)
      this.#parts.storedBytes.settle(this.#sender, part.bytes, bytes)
    }
    if (kept.length > 0) this.#parts.onKept(kept, suppressed)
    if (suppressed.length > 0) this.#batch.noteSuppressed?.(suppressed)
  }
}

/** Yields the requests of a list, beginning with the given index. */
export function* each(requests: RequestList, first = 0): Generator<SubmittedRequest> {
  for (let index = first; index < requests.length; index++) {
    const request = requests.at(index)
    if (request !== undefined) yield request
  }
}

const tooLarge = (): Problem =>
  new Problem(
    'body_too_large',
    `The messages of one request have at most ${MAX_WHOLE_BYTES} bytes together, because each message is stored with its whole content; send fewer messages in a request.`,
  )

/**
 * Returns the refusal of a whole batch: all invalid fields of all requests, or the first refusal for another reason;
 * undefined if no request is refused. Paths begin with the index of the request, such as `[3].to[0].email`.
 */
function refusalOfAll(answers: readonly Answer[]): Problem | undefined {
  const refusals = [...answers.entries()].flatMap(([index, one]) =>
    'code' in one ? [{ ...one, errors: one.errors.map((error) => within(index, error)) }] : [],
  )
  if (refusals.every(({ code }) => code === 'validation_failed')) {
    return refusals.length === 0 ? undefined : invalidFields(refusals.flatMap(({ errors }) => errors))
  }
  const [first] = refusals.filter(({ code }) => code !== 'validation_failed')
  return first && new Problem(first.code, first.detail, { errors: first.errors })
}

/** Returns the problem of a field of a request with the index of the request in its path. */
const within = (index: number, error: FieldProblem): FieldProblem => ({
  ...error,
  path: error.path === '' ? `[${index}]` : `[${index}].${error.path}`,
})
