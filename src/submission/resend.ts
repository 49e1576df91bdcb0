// Sends an earlier message again: the same content, as a new message.

import { hash } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { allTags, messageIdHeader } from '../model/message.ts'
import { originOfMessage, type TemplateOrigin } from '../model/message-origin.ts'
import { unpackPersonal } from '../model/personal-content.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import type { Retention } from '../model/retention.ts'
import type { MailboxInput, SendRequest } from '../model/send-request.ts'
import type { TrackingWishes } from '../model/tracking.ts'
import { type Read, reading } from '../store/database/store.ts'
import { type FoundMessage, findContent, findMessage, type Recipient } from '../store/messages/messages.ts'
import { contentRemoved } from '../store/removal/retention.ts'
import type { MimeSubmission } from './accept.ts'
import type { Submitted } from './answer.ts'
import type { Sender } from './authorize.ts'
import type { Submission } from './submit.ts'

/** Submits stored messages again. */
export class Resending {
  readonly #read: Read
  readonly #clock: Clock
  readonly #retention: Retention
  readonly #submission: Submission

  /** @param retention time for which the installation keeps contents */
  constructor(read: Read, clock: Clock, submission: Submission, retention: Retention) {
    this.#read = read
    this.#retention = retention
    this.#clock = clock
    this.#submission = submission
  }

  /**
   * Sends a message again to all or some of its recipients. The new message is checked and charged like any other
   * message. Throws `not_found`, `content_removed`, `validation_failed` for an address that is not a recipient of the
   * message, and the errors of submitting.
   *
   * @param only addresses of the recipients that get the message again
   * @param idempotencyKey key with which a repeated request gets the response to the first request
   */
  async resend(
    caller: Sender,
    messageId: string,
    only?: readonly string[],
    idempotencyKey?: string,
  ): Promise<Submitted> {
    const [found, stored] = await reading(
      Promise.all([findMessage(this.#read, caller, messageId), findContent(this.#read, caller, messageId)]),
    )
    if (found === undefined) throw new Problem('not_found', 'There is no such message in this domain.')
    // A test message stays a test message, whoever sends it again.
    const inboxId = found.message.inbox_id ?? caller.inboxId
    const sender = inboxId === caller.inboxId ? caller : { ...caller, inboxId }
    if (stored === undefined) throw await contentRemoved(this.#read, found.message, this.#retention)
    const recipients = only === undefined ? found.recipients : chosen(found.recipients, only)
    if (stored.format !== 'json') {
      const bodyHash = hash('sha256', JSON.stringify([messageId, only]))
      const idempotency = idempotencyKey === undefined ? undefined : { key: idempotencyKey, bodyHash }
      const mail =
        stored.format === 'mime'
          ? { message: stored.content, tracking: { track_opens: false, track_links: false } }
          : personal(stored.content)
      const submission = this.#asMime(found, recipients, mail)
      return this.#submission.submitMime(sender, { ...submission, idempotency })
    }
    const request = asRequest(
      JSON.parse(stored.content.toString('utf8')) as SendRequest,
      only === undefined ? undefined : recipients,
    )
    const raw = JSON.stringify(request)
    return this.#submission.submitRequest(sender, {
      request,
      raw,
      shapeProblems: [],
      idempotencyKey,
      resendOf: messageId,
      template: templateOf(found.message),
    })
  }

  /** Builds a submission from a stored message, which already has all its fields. */
  #asMime(
    { message }: FoundMessage,
    recipients: readonly Recipient[],
    mail: { readonly message: Buffer; readonly tracking: TrackingWishes },
  ): Omit<MimeSubmission, 'idempotency'> {
    return {
      id: newId('msg', this.#clock.now()),
      from: addressOf(message.from_email),
      fromName: message.from_name,
      subject: message.subject,
      recipients: recipients.map(({ role, email, name }) => ({ role, address: addressOf(email), name })),
      withFields: () => mail.message,
      tags: allTags(message),
      metadata: message.metadata === null ? null : (JSON.parse(message.metadata) as Record<string, string>),
      requireTls: message.require_tls === 1,
      tracking: mail.tracking,
      stream: message.stream,
      template: null,
      messageIdHeader: messageIdHeader(message),
      resendOf: message.id,
      origin: originOfMessage(message),
    }
  }
}

/** Returns the template of the content of a message; undefined if there was no template. */
function templateOf(message: FoundMessage['message']): TemplateOrigin | undefined {
  const { template_id, reply_to: _, ...names } = originOfMessage(message) ?? {}
  return template_id === undefined ? undefined : { template_id, ...names }
}

/** Returns the message with marks in place of its links, and the tracking that the message itself requested. */
function personal(content: Buffer): { message: Buffer; tracking: TrackingWishes } {
  const { plan, message } = unpackPersonal(content)
  return { message, tracking: plan.wishes }
}

/** Returns the rendered content, without the fields that applied only to the first submission. */
function asRequest(stored: SendRequest, only: readonly Recipient[] | undefined): SendRequest {
  const {
    send_at: _at,
    template_id: _id,
    template_alias: _alias,
    template_model: _model,
    layout: _layout,
    unsubscribable: _links,
    message_id_header: _shared,
    tracking: _tracking,
    ...request
  } = stored
  if (only === undefined) return request
  const { cc: _cc, bcc: _bcc, ...rest } = request
  return { ...rest, to: only.map(mailboxOf) }
}

const mailboxOf = ({ email, name }: Recipient): MailboxInput => (name === null ? { email } : { email, name })

function chosen(recipients: readonly Recipient[], only: readonly string[]): readonly Recipient[] {
  const wanted = only.map((text) => {
    const address = parseAddress(text)
    return isAddress(address) ? address.email : text
  })
  const problems = wanted.flatMap((email, index) =>
    recipients.some((recipient) => recipient.email === email)
      ? []
      : [
          {
            path: `recipients[${index}]`,
            code: 'not_found',
            message: 'This address is not a recipient of the message.',
          },
        ],
  )
  if (problems.length > 0) throw invalidFields(problems)
  return recipients.filter(({ email }) => wanted.includes(email))
}

function addressOf(email: string): Address {
  const address = parseAddress(email)
  if (!isAddress(address)) throw new Error(`a stored address ${address.problem}`)
  return address
}
