// Accepts all messages. Each message is authorized, checked and stored durably before the client gets the response.

import type { Clock } from '../lib/clock.ts'
import { CONTENT_BYTES, ContentMemory, HeldMemory } from '../lib/content-memory.ts'
import { Distribution, type Figure, SECONDS } from '../lib/figures.ts'
import { type Trace, type TracedStep, traceTime } from '../lib/traces.ts'
import { hashOfRequests } from '../model/json-hash.ts'
import type { Lease } from '../model/lease.ts'
import type { LogMail } from '../model/mail-log.ts'
import type { TemplateOrigin } from '../model/message-origin.ts'
import { type FieldProblem, Problem } from '../model/problem.ts'
import { namesFiles, type SendRequest } from '../model/send-request.ts'
import {
  type Accepted,
  type AcceptMessage,
  acceptMessage,
  type SuppressedRecipient,
} from '../store/accepting/accept-message.ts'
import { reading, type Store } from '../store/database/store.ts'
import { findRepeated, IDEMPOTENCY_MS } from '../store/requests/idempotency-keys.ts'
import { KeyedSemaphore } from '../threads/keyed-semaphore.ts'
import {
  Acceptance,
  type AcceptanceOptions,
  freeContent,
  type Idempotency,
  type MimeSubmission,
  type SubmittedRequest,
} from './accept.ts'
import { allowanceExhausted, answerTo, type Refused, repeated, type Submitted } from './answer.ts'
import type { Sender } from './authorize.ts'
import {
  BatchRun,
  type BatchSubmission,
  each,
  type KeptMessage,
  MAX_PART_BYTES,
  type NoteSuppressed,
  type Parts,
} from './batch.ts'
import { type BulkPart, type BulkPartEnd, BulkPartRun } from './bulk-part.ts'
import { InFlightKeys } from './in-flight-keys.ts'
import { namesTemplate } from './render-request.ts'
import { StoredBytesLimit } from './stored-bytes.ts'

/** Memory reserved for a batch: one part, and the message that exceeds the size of the part. */
const BATCH_BYTES = 2 * MAX_PART_BYTES
/**
 * Limits of one credential: the number of batches that are processed at once, and the number of batches that are
 * processed or waiting.
 */
const MAX_BATCHES_AT_ONCE = 2
const MAX_BATCHES = 20

/** Queue of this node, if the node delivers mail. */
export interface Queue {
  /**
   * Reserves slots for an immediate attempt, and returns the lease under which the message is accepted. The caller must
   * call `commit` afterwards.
   */
  reserve(message: AcceptMessage): Lease | undefined
  /**
   * Uses or releases the reserved slots. If `result` is undefined, the outcome of the write is unknown and the message
   * may have been accepted. `request` is the parsed content of the message, if available.
   */
  commit(message: AcceptMessage, result: Accepted | undefined, request: SendRequest | undefined): void
  /** Notifies the queue that recipients were added. */
  wake(): void
}

/** Single message that was accepted, or that repeats an earlier message. */
interface Told {
  readonly accept: AcceptMessage
  readonly submitted: Submitted
  readonly protocol: 'http' | 'smtp'
  readonly began: number
  readonly caller?: string | undefined
}

/** Facts about a message that only one of its callers knows or wants. */
interface Keeping {
  /** Content of the message, if it was parsed and may be delivered immediately. */
  readonly request?: SendRequest | undefined
  readonly noteSuppressed?: NoteSuppressed | undefined
  /** Check of a message that was not stored because it is `unlisted`; see `CheckedRequest`. */
  readonly guardRecipients?: (() => Promise<unknown>) | undefined
}

const BY_SMTP = { protocol: 'smtp' } as const

/** Accepts messages, and wakes the delivery queue of this node, if any. */
export class Submission {
  readonly #store: Store
  readonly #clock: Clock
  readonly #queue: Queue | undefined
  readonly #acceptance: Acceptance
  readonly #trace: Trace | undefined
  readonly #logMail: LogMail | undefined
  readonly #inFlight = new InFlightKeys()
  readonly #storedBytes: StoredBytesLimit
  /** Memory of rendered messages until the messages are stored. */
  readonly #rendered = new ContentMemory(CONTENT_BYTES.rendered())
  readonly #batches = new KeyedSemaphore(MAX_BATCHES_AT_ONCE)
  readonly #batchCounts = new Map<string, number>()
  /** Duration of acceptance for each protocol; messages of a batch count in `#inBatches`. */
  readonly #accepted = { http: new Distribution(SECONDS), smtp: new Distribution(SECONDS) }
  #inBatches = 0
  #inBulks = 0

  constructor(
    options: AcceptanceOptions & {
      readonly store: Store
      readonly clock: Clock
      readonly queue: Queue | undefined
      /** Maximum number of bytes that an account without its own limit may store; undefined for no limit. */
      readonly storedBytesPerAccount?: number | undefined
      readonly trace?: Trace | undefined
      /** Logs accepted messages; undefined if the settings turn the mail log off. */
      readonly logMail?: LogMail | undefined
    },
  ) {
    this.#store = options.store
    this.#clock = options.clock
    this.#queue = options.queue
    this.#storedBytes = new StoredBytesLimit(options.store, options.clock, options.storedBytesPerAccount)
    this.#acceptance = new Acceptance(options)
    this.#trace = options.trace
    this.#logMail = options.logMail
  }

  /**
   * Returns the time of acceptance for messages that are accepted now. The IDs of these messages contain the same time.
   */
  get now(): number {
    return this.#clock.now()
  }

  /** Accepts a send request. Throws `Problem` for a refused request, which is neither stored nor charged. */
  async submitRequest(
    sender: Sender,
    submission: SubmittedRequest & {
      readonly idempotencyKey: string | undefined
      /** Body that the idempotency key covers, if the request was translated from a body of another form. */
      readonly keyedBody?: object | undefined
      /** Returns true if the client no longer waits for the response. */
      readonly isGone?: () => boolean
      /** Earlier message that is sent again. */
      readonly resendOf?: string
      /** Template of the earlier message. */
      readonly template?: TemplateOrigin | undefined
      /** `traceparent` of the request. */
      readonly traceCaller?: string | undefined
      readonly noteSuppressed?: NoteSuppressed | undefined
    },
  ): Promise<Submitted> {
    const began = traceTime()
    const { raw, idempotencyKey: key, isGone, resendOf, template, traceCaller, noteSuppressed } = submission
    const idempotency =
      key === undefined
        ? undefined
        : { key, bodyHash: await hashOfRequests([submission.keyedBody ?? submission.request]) }
    const options = { isGone, resendOf, template, takesUnlisted: true }
    const checked = await this.#acceptance
      .ofRequest(sender, submission, this.#clock.now(), options)
      .catch((error: unknown) => this.#repeat(sender.keyId, idempotency, error))
    // The request may repeat an accepted request that would be refused now, for example because its template was
    // deleted.
    if ('status' in checked) return checked
    const { message: accept, request, guardRecipients } = checked
    const keeping = { request, noteSuppressed, guardRecipients }
    const submitted = await this.#keepOnce(sender, accept, idempotency, accept.content !== raw, keeping)
    this.#tell({ accept, submitted, protocol: 'http', began, caller: traceCaller })
    return submitted
  }

  /**
   * Accepts a complete message. Throws `Problem` for a refused message, which is not stored.
   *
   * @param by protocol and trace of the submission, SMTP by default
   */
  async submitMime(
    sender: Sender,
    submission: MimeSubmission,
    by: Pick<Told, 'protocol' | 'caller'> = BY_SMTP,
  ): Promise<Submitted> {
    const began = traceTime()
    const { idempotency } = submission
    const accept = await this.#acceptance
      .ofMime(sender, submission, this.#clock.now())
      .catch((error: unknown) => this.#repeat(sender.keyId, idempotency, error))
    if ('status' in accept) return accept
    const submitted = await this.#keepOnce(sender, accept, idempotency, accept.format === 'json', {})
    this.#tell({ accept, submitted, began, ...by })
    return submitted
  }

  /** Records the duration of acceptance, and traces the acceptance unless the message is a repeat. */
  #tell({ accept, submitted, protocol, began, caller }: Told): void {
    const ended = traceTime()
    this.#accepted[protocol].observe((ended - began) / 1_000)
    if (this.#trace === undefined || submitted.message_id !== accept.message.id) return
    traceAccepted(this.#trace, [accept], { protocol, startedAt: began, endedAt: ended, caller })
  }

  /**
   * Stores a message, or returns the response to an earlier message with the same idempotency key.
   *
   * @param isRendered true if the content was rendered here and its memory has to be counted; the memory of received
   * bodies is already counted
   */
  #keepOnce(
    sender: Sender,
    accept: AcceptMessage,
    idempotency: Idempotency | undefined,
    isRendered: boolean,
    keeping: Keeping,
  ): Promise<Submitted> {
    const keep = (message: AcceptMessage): Promise<Submitted> =>
      isRendered ? this.#keepRendered(sender, message, keeping) : this.#keep(sender, message, keeping)
    if (idempotency === undefined) return keep(accept)
    const response = JSON.stringify(answerTo(accept))
    return this.#inFlight.once(sender, idempotency.key, () =>
      keep({ ...accept, idempotency: { ...idempotency, response } }),
    )
  }

  /**
   * Accepts or refuses many send requests, each independently. Returns the responses in the order of the requests.
   * Throws `Problem` if the whole batch is refused and nothing was stored; so does a batch that is accepted as a whole, if
   * one of its requests is refused.
   */
  async submitBatch(sender: Sender, batch: BatchSubmission): Promise<readonly (Submitted | Refused)[]> {
    const { idempotencyKey: key, requests } = batch
    const work = async (): Promise<readonly (Submitted | Refused)[]> => {
      const release = await this.#enterBatches(sender.keyId)
      const grows =
        batch.whole || each(requests).some(({ request }) => namesTemplate(request) || namesFiles(request))
      const memory = new HeldMemory(this.#rendered, sender.accountId)
      const hold = (bytes: number): void => holdRendered(memory, bytes)
      try {
        hold(grows ? BATCH_BYTES : 0)
        const parts = { ...this.#partsOfMany(batch.traceCaller), hold }
        const results = await new BatchRun(parts, sender, batch, this.#clock.now()).run()
        this.#inBatches += results.filter((one) => !('code' in one)).length
        return results
      } finally {
        memory.release()
        release()
      }
    }
    return this.#inFlight.once(sender, key, work)
  }

  #partsOfMany(caller?: string): Parts {
    const startedAt = traceTime()
    return {
      ...{ store: this.#store, acceptance: this.#acceptance, storedBytes: this.#storedBytes },
      onKept: (messages, suppressed) => {
        this.#queue?.wake()
        if (this.#logMail !== undefined) logAccepted(this.#logMail, messages, suppressed)
        if (this.#trace === undefined) return
        traceAccepted(this.#trace, messages, { protocol: 'http', startedAt, endedAt: traceTime(), caller })
      },
    }
  }

  /**
   * Checks a send request without storing it; returns the request with all fields that its stream and template add.
   * Throws `Problem` if the request would be refused.
   */
  async tryRequest(
    sender: Sender,
    request: SendRequest,
    shapeProblems: readonly FieldProblem[] = [],
  ): Promise<SendRequest> {
    const submitted = { request, raw: '', shapeProblems }
    return this.#acceptance.completed(sender, submitted, this.#clock.now())
  }

  /**
   * Accepts or refuses rows of a bulk, each as a separate message. Throws `Problem` if no row can be accepted now, and
   * throws the errors of the store. A repeated call processes the rows that were not stored.
   */
  async submitBulkPart(sender: Sender, part: BulkPart): Promise<BulkPartEnd> {
    const releaseMemory = this.#takeMemory(sender, BATCH_BYTES)
    try {
      const end = await new BulkPartRun(this.#partsOfMany(), sender, part, this.#clock.now()).run()
      this.#inBulks += end.accepted
      return end
    } finally {
      releaseMemory()
    }
  }

  figures(): Figure[] {
    return [
      {
        name: 'postrider_accept_seconds',
        help: 'Time from receiving the complete message to its acceptance on stable storage, by protocol; without batches',
        kind: 'histogram',
        labels: ['protocol'],
        read: () => Object.entries(this.#accepted),
      },
      {
        name: 'postrider_messages_in_batches_total',
        help: 'Messages that were accepted as part of a batch',
        kind: 'counter',
        read: () => this.#inBatches,
      },
      {
        name: 'postrider_messages_in_bulks_total',
        help: 'Messages that were accepted as rows of a bulk',
        kind: 'counter',
        read: () => this.#inBulks,
      },
    ]
  }

  async #enterBatches(keyId: string): Promise<() => void> {
    const count = (this.#batchCounts.get(keyId) ?? 0) + 1
    if (count > MAX_BATCHES) {
      throw new Problem(
        'rate_limit_exceeded',
        'Too many batches of this key are running; wait until some have ended.',
        {
          retryAfter: 1,
        },
      )
    }
    this.#batchCounts.set(keyId, count)
    const release = await this.#batches.acquire(keyId)
    return () => {
      release?.()
      const left = (this.#batchCounts.get(keyId) ?? 1) - 1
      if (left > 0) this.#batchCounts.set(keyId, left)
      else this.#batchCounts.delete(keyId)
    }
  }

  /**
   * Reserves memory for rendered content; returns the function that releases the memory. Throws `unavailable` if all
   * accounts together, or this account, hold too much memory.
   */
  #takeMemory({ accountId }: Sender, bytes: number): () => void {
    const held = new HeldMemory(this.#rendered, accountId)
    holdRendered(held, bytes)
    return () => held.release()
  }

  async #keepRendered(sender: Sender, accept: AcceptMessage, keeping: Keeping): Promise<Submitted> {
    const releaseMemory = this.#takeMemory(sender, accept.message.size)
    try {
      return await this.#keep(sender, accept, keeping)
    } finally {
      freeContent(accept)
      releaseMemory()
    }
  }

  async #keep(sender: Sender, accept: AcceptMessage, keeping: Keeping): Promise<Submitted> {
    const { request, noteSuppressed, guardRecipients } = keeping
    const { size } = accept.message
    const refusing = this.#storedBytes.take(sender, size)
    const refusal = refusing instanceof Promise ? await refusing : refusing
    if (refusal !== undefined) return this.#repeat(sender.keyId, accept.idempotency, refusal)
    const lease = this.#queue?.reserve(accept)
    const message = lease === undefined ? accept : { ...accept, lease }
    let result: Accepted | undefined
    try {
      result = await this.#store.write(acceptMessage, message)
    } finally {
      if (lease !== undefined) this.#queue?.commit(message, result, request)
      this.#storedBytes.settle(sender, size, result?.kind === 'accepted' ? size : 0)
    }
    if (result.kind === 'allowance_exhausted') throw allowanceExhausted(result)
    if (result.kind === 'listed') {
      await guardRecipients?.()
      return this.#keep(sender, { ...accept, unlisted: false }, keeping)
    }
    if (result.kind !== 'accepted') return repeated<Submitted>(result)
    if (this.#logMail !== undefined) logAccepted(this.#logMail, [accept], result.suppressed)
    if (result.suppressed !== undefined) noteSuppressed?.(result.suppressed)
    if (result.immediate === undefined) this.#queue?.wake()
    return answerTo(accept)
  }

  /** Returns the response to an earlier message with the same idempotency key. Throws `refusal` if there was none. */
  async #repeat(keyId: string, idempotency: Idempotency | undefined, refusal: unknown): Promise<Submitted> {
    if (idempotency === undefined || !(refusal instanceof Problem)) throw refusal
    const since = this.#clock.now() - IDEMPOTENCY_MS
    const claim = { keyId, ...idempotency }
    const before = await reading(findRepeated(this.#store.read, claim, since))
    if (before === undefined) throw refusal
    return repeated<Submitted>(before)
  }
}

function holdRendered(held: HeldMemory, bytes: number): void {
  if (held.hold(bytes)) return
  throw new Problem('unavailable', 'Too many rendered messages are waiting to be stored; please try again.', {
    retryAfter: 1,
  })
}

/** Logs accepted messages and their suppressed recipients. */
function logAccepted(
  logMail: LogMail,
  messages: readonly KeptMessage[],
  suppressed: readonly SuppressedRecipient[] = [],
): void {
  for (const { message, recipients } of messages) {
    const { id: messageId, account_id, domain_id, stream, key_id, size } = message
    const fields = { account_id, domain_id, stream, key_id, size, recipients: recipients.length }
    logMail({ event: 'accepted', messageId, fields })
  }
  for (const { messageId, email, suppression } of suppressed) {
    logMail({ event: 'suppressed', messageId, email, fields: { suppression } })
  }
}

/** Records that messages were accepted together. */
function traceAccepted(
  trace: Trace,
  messages: readonly KeptMessage[],
  step: Pick<TracedStep, 'startedAt' | 'endedAt' | 'caller'> & { readonly protocol: string },
): void {
  const { protocol, startedAt, endedAt, caller } = step
  for (const { message, recipients } of messages) {
    trace({
      ...{ name: 'accept', messageId: message.id, startedAt, endedAt, caller },
      attributes: {
        'messaging.message.id': message.id,
        'messaging.message.body.size': message.size,
        'network.protocol.name': protocol,
        'postrider.account_id': message.account_id,
        'postrider.domain_id': message.domain_id,
        'postrider.stream': message.stream,
        'postrider.recipients': recipients.length,
      },
    })
  }
}
