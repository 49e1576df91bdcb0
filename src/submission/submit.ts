// The only way in for a message: authorised, checked, and kept durably before anybody is told that it was accepted.

import { hash } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Address } from '../model/address.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import type { SendRequest } from '../model/send-request.ts'
import type { AcceptMessage } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import { authorize, type Sender } from './authorize.ts'
import { Turns } from './turns.ts'
import { type CheckedRecipient, validate } from './validate.ts'

/** Where messages without a stream go. */
const DEFAULT_STREAM = 'transactional'

/** What a door answers: 202 over HTTP, 250 over SMTP. */
export interface Submitted {
  readonly message_id: string
  readonly status: 'queued'
}

/** A send request as it came through the HTTP door. */
export interface RequestSubmission {
  /** The parsed body; of the right shape unless `shapeProblems` says otherwise. */
  readonly request: SendRequest
  /** The body as it came: this is what is stored. */
  readonly raw: string
  /** What the schema found, to be told together with all else. */
  readonly shapeProblems: readonly FieldProblem[]
  readonly idempotencyKey: string | undefined
}

/** A message as it came through the SMTP door, its fields read already. */
export interface MimeSubmission {
  /** The ID that the message is to have. */
  readonly id: string
  readonly from: Address
  readonly fromName: string | null
  readonly subject: string
  readonly recipients: readonly CheckedRecipient[]
  /** The message without the fields that are removed; this is what is stored and signed. */
  readonly content: Buffer
  readonly tag: string | null
  readonly metadata: Readonly<Record<string, string>> | null
  readonly requireTls: boolean
}

/** Accepts messages. `onAccepted` is called after each durable write, so that delivery need not wait for its poll. */
export class Submission {
  readonly #store: Store
  readonly #clock: Clock
  readonly #onAccepted: () => void
  readonly #maxMessageBytes: number
  readonly #expiryMs: number
  readonly #turns = new Turns()
  readonly #inFlight = new Set<string>()

  constructor(options: {
    readonly store: Store
    readonly clock: Clock
    readonly maxMessageBytes: number
    /** After how long a recipient is given up, in milliseconds. */
    readonly expiryMs: number
    readonly onAccepted: () => void
  }) {
    this.#store = options.store
    this.#clock = options.clock
    this.#onAccepted = options.onAccepted
    this.#maxMessageBytes = options.maxMessageBytes
    this.#expiryMs = options.expiryMs
  }

  /** Takes a send request. Throws `Problem` when it is refused; then nothing was kept and nothing is charged. */
  async submitRequest(sender: Sender, submission: RequestSubmission): Promise<Submitted> {
    const { request, raw, shapeProblems, idempotencyKey } = submission
    const checked = validate(request)
    const problems = merge(shapeProblems, checked.problems)
    if (problems.length > 0 || checked.from === undefined) throw invalidFields(problems)
    authorize(sender, checked.from)
    // Base64 and quoted-printable make the larger parts at most 1.4 times as long.
    if (raw.length * 1.4 > this.#maxMessageBytes && Buffer.byteLength(raw) * 1.4 > this.#maxMessageBytes) {
      throw new Problem('body_too_large', `A composed message has at most ${this.#maxMessageBytes} bytes.`)
    }
    const now = this.#clock.now()
    const accept = this.#accept(sender, now, {
      id: newId('msg', now),
      from: checked.from,
      fromName: request.from_name ?? null,
      subject: request.subject,
      recipients: checked.recipients,
      format: 'json',
      content: raw,
      size: Buffer.byteLength(raw),
      tag: request.tag ?? null,
      metadata: request.metadata ?? null,
      requireTls: request.require_tls ?? false,
    })
    if (idempotencyKey === undefined) return this.#keep(accept)
    return this.#keepOnce(accept, idempotencyKey, hash('sha256', raw))
  }

  /** Takes a message handed over by SMTP. Throws `Problem` when it is refused; then nothing was kept. */
  async submitMime(sender: Sender, submission: MimeSubmission): Promise<Submitted> {
    authorize(sender, submission.from)
    const { content } = submission
    const now = this.#clock.now()
    return this.#keep(
      this.#accept(sender, now, { ...submission, format: 'mime', content, size: content.length }),
    )
  }

  #accept(
    sender: Sender,
    now: number,
    message: Omit<MimeSubmission, 'content'> &
      Pick<AcceptMessage, 'format' | 'content'> & { readonly size: number },
  ): AcceptMessage {
    return {
      message: {
        id: message.id,
        account_id: sender.accountId,
        domain_id: sender.domainId,
        key_id: sender.keyId,
        stream: DEFAULT_STREAM,
        from_email: message.from.email,
        from_name: message.fromName,
        subject: message.subject,
        tag: message.tag,
        metadata: message.metadata === null ? null : JSON.stringify(message.metadata),
        size: message.size,
        require_tls: message.requireTls ? 1 : 0,
        created_at: now,
        expires_at: now + this.#expiryMs,
      },
      format: message.format,
      content: message.content,
      recipients: message.recipients.map(({ role, address, name }) => ({
        role,
        email: address.email,
        name,
        destination: address.domain,
        turn: this.#turns.next(sender.domainId, DEFAULT_STREAM, now),
      })),
      counted: sender.counted,
      idempotency: undefined,
    }
  }

  /** The same key may not be used again while its first request is under way; afterwards its answer is replayed. */
  async #keepOnce(accept: AcceptMessage, key: string, bodyHash: string): Promise<Submitted> {
    const name = `${accept.message.key_id} ${key}`
    if (this.#inFlight.has(name)) {
      throw new Problem(
        'conflict',
        'A request with this Idempotency-Key is still under way; try again when it has ended.',
      )
    }
    this.#inFlight.add(name)
    try {
      const response = JSON.stringify(answer(accept))
      return await this.#keep({ ...accept, idempotency: { key, bodyHash, response } })
    } finally {
      this.#inFlight.delete(name)
    }
  }

  async #keep(accept: AcceptMessage): Promise<Submitted> {
    const result = await this.#store.write('acceptMessage', accept)
    switch (result.kind) {
      case 'accepted':
        this.#onAccepted()
        return answer(accept)
      case 'replayed':
        return JSON.parse(result.response) as Submitted
      case 'key_reused':
        throw new Problem(
          'validation_failed',
          'This Idempotency-Key was used with another body; use a new key.',
          {
            errors: [
              { path: 'Idempotency-Key', code: 'key_reused', message: 'It belongs to another request body.' },
            ],
          },
        )
      case 'allowance_exhausted':
        throw new Problem(
          'sending_allowance_exhausted',
          "The account's sending allowance is used up; ask for more.",
        )
    }
  }
}

const answer = (accept: AcceptMessage): Submitted => ({ message_id: accept.message.id, status: 'queued' })

/** Both lists, one problem for each field and code. */
function merge(shape: readonly FieldProblem[], found: readonly FieldProblem[]): readonly FieldProblem[] {
  if (shape.length === 0) return found
  const seen = new Set(shape.map((problem) => problem.path))
  return [...shape, ...found.filter((problem) => !seen.has(problem.path))]
}
