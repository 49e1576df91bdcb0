// From a request that a door has read to what the store keeps of it: checked, authorised, complete.

import { newId } from '../lib/ids.ts'
import type { Address } from '../model/address.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import type { SendRequest } from '../model/send-request.ts'
import type { AcceptMessage } from '../store/messages.ts'
import { authorize, type Sender } from './authorize.ts'
import { Turns } from './turns.ts'
import { type CheckedRecipient, validate } from './validate.ts'

/** Where messages without a stream go. */
const DEFAULT_STREAM = 'transactional'

/** A send request as it came through the HTTP door. */
export interface SubmittedRequest {
  /** The parsed body; of the right shape unless `shapeProblems` says otherwise. */
  readonly request: SendRequest
  /** The body as it came: this is what is stored. */
  readonly raw: string
  /** What the door found, to be told together with all else. */
  readonly shapeProblems: readonly FieldProblem[]
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

/** Makes of what was submitted what the store keeps. */
export class Acceptance {
  readonly #maxMessageBytes: number
  readonly #expiryMs: number
  readonly #turns = new Turns()

  /** @param options `expiryMs`: after how long a recipient is given up, in milliseconds */
  constructor(options: { readonly maxMessageBytes: number; readonly expiryMs: number }) {
    this.#maxMessageBytes = options.maxMessageBytes
    this.#expiryMs = options.expiryMs
  }

  /** What is to be kept of a send request. Throws `Problem` when it is refused. */
  ofRequest(sender: Sender, { request, raw, shapeProblems }: SubmittedRequest, now: number): AcceptMessage {
    const checked = validate(request, now)
    const problems = merge(shapeProblems, checked.problems)
    if (problems.length > 0 || checked.from === undefined) throw invalidFields(problems)
    authorize(sender, checked.from)
    // Base64 and quoted-printable make the larger parts at most 1.4 times as long.
    if (raw.length * 1.4 > this.#maxMessageBytes && Buffer.byteLength(raw) * 1.4 > this.#maxMessageBytes) {
      throw new Problem('body_too_large', `A composed message has at most ${this.#maxMessageBytes} bytes.`)
    }
    return this.#accept(sender, now, {
      id: newId('msg', now),
      from: checked.from,
      fromName: request.from_name ?? null,
      subject: request.subject,
      recipients: checked.recipients,
      sendAt: checked.sendAt ?? null,
      format: 'json',
      content: raw,
      size: Buffer.byteLength(raw),
      tag: request.tag ?? null,
      metadata: request.metadata ?? null,
      requireTls: request.require_tls ?? false,
    })
  }

  /** What is to be kept of a message handed over by SMTP. Throws `Problem` when it is refused. */
  ofMime(sender: Sender, submission: MimeSubmission, now: number): AcceptMessage {
    authorize(sender, submission.from)
    const { content } = submission
    return this.#accept(sender, now, {
      ...submission,
      sendAt: null,
      format: 'mime',
      content,
      size: content.length,
    })
  }

  #accept(sender: Sender, now: number, message: Accepting): AcceptMessage {
    const { sendAt } = message
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
        send_at: sendAt,
        created_at: now,
        expires_at: (sendAt ?? now) + this.#expiryMs,
      },
      format: message.format,
      content: message.content,
      recipients: message.recipients.map(({ role, address, name }) => ({
        role,
        email: address.email,
        name,
        destination: address.domain,
        // What waits for its time takes nobody's turn.
        turn: sendAt ?? this.#turns.next(sender.domainId, DEFAULT_STREAM, now),
      })),
      counted: sender.counted,
      idempotency: undefined,
    }
  }
}

type Accepting = Omit<MimeSubmission, 'content'> &
  Pick<AcceptMessage, 'format' | 'content'> & { readonly size: number; readonly sendAt: number | null }

/** Both lists, one problem for each field and code. */
function merge(shape: readonly FieldProblem[], found: readonly FieldProblem[]): readonly FieldProblem[] {
  if (shape.length === 0) return found
  const seen = new Set(shape.map((problem) => problem.path))
  return [...shape, ...found.filter((problem) => !seen.has(problem.path))]
}
