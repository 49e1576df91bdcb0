// Builds the message to store from a request that the HTTP or SMTP server has read: checks, authorises and completes
// the request.

import { newId } from '../lib/ids.ts'
import type { Address } from '../model/address.ts'
import type { Warning } from '../model/finding.ts'
import { type MessageOrigin, originOf, type TemplateOrigin } from '../model/message-origin.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import { LIMITS, namesFiles, replyToList, type SendRequest, tagsOf } from '../model/send-request.ts'
import { destinationOf } from '../model/test-inbox.ts'
import type { AcceptedDetail, TrackingWishes } from '../model/tracking.ts'
import { trackingBytes, trackingHost } from '../model/tracking-link.ts'
import { SMALL_BYTES } from '../model/triage.ts'
import { unsubscribeToken } from '../model/unsubscribe-link.ts'
import type { AcceptMessage } from '../store/accepting/accept-message.ts'
import type { SendingStream } from '../streams/streams.ts'
import type { WorkFor } from '../templates/worker-pool.ts'
import { freeBuffers } from '../threads/free-buffers.ts'
import type { AttachmentFiles } from './attachment-files.ts'
import { authorize, authorizeRecipients, type Sender } from './authorize.ts'
import {
  authorizeStream,
  contentOf,
  type ExpandedRequest,
  missingFields,
  type RequestExpander,
} from './expand.ts'
import { type GuardedMessage, type GuardMessage, warningsOf, withWarnings } from './guarding.ts'
import type { PersonalMail } from './personal-mail.ts'
import { acceptedTracking, refusedTracking, trackedOf } from './tracking.ts'
import { withoutReplaced } from './unsubscribe-footer.ts'
import { type CheckedRecipient, validate } from './validate.ts'

/** Send request as read from HTTP. */
export interface SubmittedRequest {
  /** Parsed body, which matches the schema except for `shapeProblems`. */
  readonly request: SendRequest
  /** Body as received, which is stored unchanged unless the service adds fields or content. */
  readonly raw: string | Uint8Array
  /** Problems found while reading the body, which are reported together with all other problems. */
  readonly shapeProblems: readonly FieldProblem[]
}

/** Message as read from SMTP, with its service fields already parsed. */
export interface MimeSubmission {
  /** ID of the new message. */
  readonly id: string
  readonly from: Address
  readonly fromName: string | null
  readonly subject: string
  readonly recipients: readonly CheckedRecipient[]
  /**
   * Returns the message to store and sign, without the service fields. `missing` gets the names of the existing fields,
   * and returns the fields to add.
   */
  withFields(
    missing: (names: readonly string[]) => readonly (readonly [name: string, value: string])[],
  ): Buffer
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string>> | null
  readonly requireTls: boolean
  /** Tracking that the message itself requests. */
  readonly tracking: TrackingWishes
  /** Alias of the stream that the message names. */
  readonly stream: string | null
  /** Template that provides the content, if the message names a template. */
  readonly template: TemplateChoice | null
  /** Idempotency key: a repeated submission with the same key gets the first response. Undefined without a key. */
  readonly idempotency: Idempotency | undefined
  /** Message-ID without angle brackets, if the client has set one. */
  readonly messageIdHeader?: string | undefined
  /** Time to send the message, in milliseconds since the epoch; undefined to send the message immediately. */
  readonly sendAt?: number | undefined
  /** The earlier message whose content is sent again. */
  readonly resendOf?: string | undefined
  readonly origin?: MessageOrigin | undefined
}

/**
 * Idempotency key, with which only one submission is accepted. The hash detects a different submission with the same
 * key.
 */
export interface Idempotency {
  readonly key: string
  readonly bodyHash: string
}

/** Template that a message submitted by SMTP names. */
export interface TemplateChoice {
  readonly alias: string
  /** Layout to use instead of the layout of the template. */
  readonly layout: string | undefined
  readonly model: object
  /** Returns the message as a send request without content. Throws the refusal of the SMTP server. */
  asRequest(): Promise<Partial<SendRequest>>
}

/** Assigns start tags, which define the order in which the queue takes recipients. */
export interface StartTags {
  /**
   * Returns the start tag for the next recipient of a stream. `spacingMs` is the interval between recipients that the
   * rate limit of the stream requires.
   */
  next(domainId: string, stream: string, now: number, spacingMs?: number): number
}

/** Options of accepting a message, including its ID if the message already has an ID. */
export interface AcceptOptions extends Omit<WorkFor, 'accountId'> {
  readonly id?: string
  /**
   * Name of a separate flow in the fair order of the queue, apart from the other mail of the stream; ignored if the
   * stream has a rate limit.
   */
  readonly flow?: string | undefined
  /** Number of bytes of the content that are stored elsewhere. */
  readonly besides?: number
  /** The earlier message whose content is sent again. */
  readonly resendOf?: string | undefined
  /** Template of a request that was rendered before. */
  readonly template?: TemplateOrigin | undefined
  /** Time by `performance.now()` until which attachments must be fetched; ten seconds from now by default. */
  readonly fetchUntil?: number | undefined
  /** True for a request that is only tried, such as the first row of a bulk; its content is not checked. */
  readonly unguarded?: boolean
  /** True if the caller handles a message that is `unlisted`. */
  readonly takesUnlisted?: boolean
}

export interface AcceptanceOptions {
  readonly startTags: StartTags
  readonly expander: RequestExpander
  /** Fetches attachments by URL; undefined for a node that sends only its own mail. */
  readonly files?: AttachmentFiles | undefined
  /** Checks messages whose guard is not `off`; undefined for a node that sends only its own mail. */
  readonly guardMessage?: GuardMessage | undefined
  /** Secret key that authenticates the tokens in links. */
  readonly secret: string
  readonly maxMessageBytes: number
  /** Reason in words why unsubscribe links do not work. Broadcast streams cannot send while there is a reason. */
  readonly noUnsubscribing?: string | undefined
  /** Time in milliseconds after which a recipient expires. */
  readonly expiryMs: number
}

/**
 * Message to store, and its request if the message may be delivered immediately; the content is then not read again.
 */
export interface CheckedRequest {
  readonly message: AcceptMessage
  readonly request: SendRequest | undefined
  /**
   * Checks a message that is `unlisted` again after the result `listed`, now with its recipients. Throws
   * `content_refused` for a message that must not be stored.
   */
  readonly guardRecipients?: (() => Promise<unknown>) | undefined
}

/** Frees the memory of content that was completed here and is no longer needed. */
export function freeContent({ content }: Pick<AcceptMessage, 'content'>): void {
  if (typeof content !== 'string') freeBuffers(content)
}

/** Builds the stored message of each submission. */
export class Acceptance {
  readonly #options: AcceptanceOptions

  constructor(options: AcceptanceOptions) {
    this.#options = options
  }

  /** Builds the message to store from a send request. Throws `Problem` if the request is refused. */
  async ofRequest(
    sender: Sender,
    submitted: SubmittedRequest,
    now: number,
    options?: AcceptOptions,
  ): Promise<CheckedRequest> {
    const checked = await this.#complete(sender, submitted, now, options)
    // A large request is dropped before the message is stored, so that the memory of its texts is free sooner.
    return checked.message.message.size > SMALL_BYTES ? { ...checked, request: undefined } : checked
  }

  /**
   * Returns the request with all fields that its stream and template add. Throws `Problem` if the request would be
   * refused.
   */
  async completed(sender: Sender, submitted: SubmittedRequest, now: number): Promise<SendRequest> {
    return (await this.#complete(sender, submitted, now, { unguarded: true })).request
  }

  async #complete(
    sender: Sender,
    { request: given, raw, shapeProblems }: SubmittedRequest,
    now: number,
    {
      id = newId('msg', now),
      flow,
      besides = 0,
      resendOf,
      template,
      fetchUntil,
      unguarded = false,
      takesUnlisted = false,
      ...waiting
    }: AcceptOptions = {},
  ): Promise<CheckedRequest & { readonly request: SendRequest }> {
    const { expander, maxMessageBytes } = this.#options
    const isRefused = (standIn: SendRequest): boolean =>
      shapeProblems.length > 0 || validate(standIn, now).problems.length > 0
    const filled = await expander.expand(sender, given, raw, isRefused, waiting)
    const { problems: found, stream } = filled
    const checked = validate(filled.request, now)
    const problems = merge(shapeProblems, [...found, ...checked.problems])
    if (problems.length > 0 || checked.from === undefined || stream === undefined) {
      throw invalidFields(problems)
    }
    authorize(sender, checked.from)
    authorizeRecipients(sender, checked.recipients)
    authorizeStream(sender, stream, this.#options.noUnsubscribing)
    const { request, content } = namesFiles(filled.request)
      ? await this.#withFiles(sender, filled.request, fetchUntil)
      : filled
    const size = besides + (typeof content === 'string' ? Buffer.byteLength(content) : content.length)
    const grows =
      request.tracking === undefined ? 0 : trackingBytes(request.tracking, trackingHost(sender.domainName))
    // Base64 and quoted-printable make large parts at most 1.4 times as long.
    if ((size + grows) * 1.4 > maxMessageBytes) {
      throw new Problem('body_too_large', `A composed message has at most ${maxMessageBytes} bytes.`)
    }
    const tracking = acceptedTracking(request, stream)
    const { recipients } = checked
    const guard = unguarded ? 'off' : (request.guard ?? stream.guard)
    const guarded = guard === 'off' ? undefined : { guard, sender, stream, recipients, content: { request } }
    const unlisted = takesUnlisted && guard === 'refuse' && size <= SMALL_BYTES
    const warnings = guarded && (await this.#guard({ ...guarded, asksInWrite: unlisted }))
    const message = this.#accept(sender, stream, now, {
      id,
      from: checked.from,
      fromName: request.from_name ?? null,
      subject: request.subject,
      recipients,
      sendAt: checked.sendAt ?? null,
      flow,
      format: 'json',
      content,
      size,
      tags: tagsOf(request),
      metadata: request.metadata ?? null,
      requireTls: request.require_tls ?? false,
      resendOf,
      messageIdHeader: request.message_id_header,
      origin: originOf(template ?? filled.template, replyToList(request.reply_to)),
      detail: withWarnings(tracking && { tracking }, warnings),
      unlisted,
    })
    return {
      message,
      request,
      guardRecipients: unlisted ? guarded && (() => this.#guard(guarded)) : undefined,
    }
  }

  /** Returns the request with the contents of the attachments that it names by URL, and the content to store. */
  async #withFiles(
    { accountId }: Sender,
    request: SendRequest,
    until = performance.now() + LIMITS.fetchMs,
  ): Promise<Pick<ExpandedRequest, 'request' | 'content'>> {
    const { files } = this.#options
    if (files === undefined) throw new Error('this node fetches no attachments')
    const { attachments, release } = await files.fetch(accountId, request.attachments ?? [], until)
    try {
      const whole = { ...request, attachments }
      return { request: whole, content: contentOf(whole) }
    } finally {
      release()
    }
  }

  #guard(message: GuardedMessage): Promise<readonly Warning[] | undefined> {
    return warningsOf(this.#options.guardMessage, message)
  }

  /** Builds the message to store from an SMTP submission. Throws `Problem` if the submission is refused. */
  async ofMime(sender: Sender, submission: MimeSubmission, now: number): Promise<AcceptMessage> {
    authorize(sender, submission.from)
    authorizeRecipients(sender, submission.recipients)
    const stream = await this.#options.expander.streamOf(sender, submission.stream ?? undefined)
    if (!('kind' in stream)) throw invalidFields(stream)
    const refused = refusedTracking(submission.tracking, stream)
    if (refused.length > 0) throw invalidFields(refused)
    const { template } = submission
    if (template !== null) return this.#ofTemplate(sender, { ...submission, template }, stream, now)
    authorizeStream(sender, stream, this.#options.noUnsubscribing)
    const content = submission.withFields((names) => missingFields(stream, names))
    const { guard } = stream
    const { recipients } = submission
    const warnings =
      guard === 'off'
        ? undefined
        : await this.#guard({ guard, sender, stream, recipients, content: { raw: content } })
    const personal = await this.#personal(sender, submission, stream, content)
    const form =
      personal?.content === undefined
        ? ({ format: 'mime', content } as const)
        : ({ format: 'personal', content: personal.content } as const)
    const detail = withWarnings(personal && detailOf(personal), warnings)
    const size = form.content.length
    const sendAt = submission.sendAt ?? null
    return this.#accept(sender, stream, now, { ...submission, ...form, size, sendAt, detail })
  }

  /** Returns the message with parts that differ by recipient; undefined if no part has to differ. */
  async #personal(
    sender: Sender,
    { tracking: wishes }: MimeSubmission,
    stream: SendingStream,
    message: Buffer,
  ): Promise<PersonalMail | undefined> {
    const tracked = trackedOf(wishes, stream)
    const unsubscribable = stream.kind === 'broadcast'
    if (!unsubscribable && !tracked.opens && !tracked.links) return undefined
    const { expander, maxMessageBytes: maxBytes } = this.#options
    const { domainName } = sender
    const { unsubscribe } = stream
    return expander.personal(sender, {
      ...{ message, domainName, unsubscribable, unsubscribe, tracked, wishes, maxBytes },
    })
  }

  /** Accepts the message as a request whose content comes from a template. */
  async #ofTemplate(
    sender: Sender,
    submission: MimeSubmission & { readonly template: TemplateChoice },
    stream: SendingStream,
    now: number,
  ): Promise<AcceptMessage> {
    const { alias, layout, model, asRequest } = submission.template
    const given = await asRequest()
    const request = {
      ...given,
      headers: withoutReplaced(given.headers ?? {}, stream),
      ...submission.tracking,
      ...(submission.stream === null ? {} : { stream: submission.stream }),
      ...{ template_alias: alias, template_model: model },
      ...(layout === undefined ? {} : { layout }),
    } as SendRequest
    const submitted = { request, raw: JSON.stringify(request), shapeProblems: [] }
    const { id, resendOf } = submission
    return (await this.ofRequest(sender, submitted, now, { id, resendOf })).message
  }

  #accept(sender: Sender, stream: SendingStream, now: number, message: Accepting): AcceptMessage {
    const { sendAt } = message
    const { startTags, expiryMs: longest } = this.#options
    const { inboxId } = sender
    // Test mail takes no turns of live mail, and no part of its allowances and rate limits.
    const isTest = inboxId !== null
    const spacingMs = isTest ? undefined : stream.spacingMs
    const ownFlow = inboxId ?? message.flow
    const flow = ownFlow === undefined || spacingMs !== undefined ? '' : ` ${ownFlow}`
    const expiryMs = Math.min(longest, stream.retryForMs ?? Number.POSITIVE_INFINITY)
    return {
      message: {
        id: message.id,
        account_id: sender.keptAs ?? sender.accountId,
        domain_id: sender.domainId,
        key_id: sender.keyId,
        stream: stream.alias,
        from_email: message.from.email,
        from_name: message.fromName,
        subject: message.subject,
        tag: message.tags[0] ?? null,
        metadata: message.metadata === null ? null : JSON.stringify(message.metadata),
        size: message.size,
        require_tls: message.requireTls ? 1 : 0,
        send_at: sendAt,
        created_at: now,
        expires_at: (sendAt ?? now) + expiryMs,
        inbox_id: inboxId,
      },
      format: message.format,
      content: message.content,
      detail: message.detail,
      ...(message.tags.length > 1 ? { tags: message.tags } : {}),
      resendOf: message.resendOf,
      messageIdHeader: message.messageIdHeader,
      origin: message.origin,
      recipients: message.recipients.map(({ role, address, name }) => ({
        role,
        email: address.email,
        name,
        destination: destinationOf(inboxId, address.domain),
        // Recipients that are scheduled for the same time enter the fair order at this time.
        startTag:
          sendAt === null
            ? startTags.next(sender.domainId, stream.alias + flow, now, spacingMs)
            : startTags.next(sender.domainId, `${stream.alias}${flow} ${sendAt}`, sendAt, spacingMs),
        ...(stream.kind === 'broadcast' && !isTest
          ? { unsubscribeToken: this.#token(sender, stream, address) }
          : {}),
      })),
      counted: sender.counted && !isTest,
      streamRules: {
        counted: stream.counted && !isTest,
        isFirst: !stream.used,
        paced: spacingMs !== undefined,
      },
      idempotency: undefined,
      ...(message.unlisted ? { unlisted: true } : {}),
    }
  }

  #token({ domainId }: Sender, { alias: stream }: SendingStream, { email }: Address): string {
    return unsubscribeToken(this.#options.secret, { domainId, stream, email })
  }
}

const detailOf = ({ tracking, withoutFooter }: PersonalMail): AcceptedDetail | undefined =>
  tracking === undefined && withoutFooter === undefined
    ? undefined
    : {
        ...(tracking === undefined ? {} : { tracking }),
        ...(withoutFooter === undefined ? {} : { footer: { skipped: withoutFooter } }),
      }

type Accepting = Omit<
  MimeSubmission,
  'withFields' | 'tracking' | 'stream' | 'template' | 'idempotency' | 'sendAt'
> &
  Pick<AcceptMessage, 'format' | 'content' | 'detail' | 'unlisted'> & {
    readonly size: number
    readonly sendAt: number | null
    readonly flow?: string | undefined
  }

/**
 * Returns both lists of problems. A found problem is omitted if the schema has already reported a problem of the same
 * field.
 */
function merge(shape: readonly FieldProblem[], found: readonly FieldProblem[]): readonly FieldProblem[] {
  if (shape.length === 0) return found
  const seen = new Set(shape.map((problem) => problem.path))
  // A request that is not an object has no fields with problems.
  if (seen.has('')) return shape
  return [...shape, ...found.filter((problem) => !seen.has(problem.path))]
}
