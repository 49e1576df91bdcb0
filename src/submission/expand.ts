// Resolves the stream and the template that a send request names.

import type { TemplateOrigin } from '../model/message-origin.ts'
import { type FieldProblem, Problem } from '../model/problem.ts'
import type { SendRequest } from '../model/send-request.ts'
import { DEFAULT_STREAM } from '../model/stream.ts'
import { SMALL_BYTES } from '../model/triage.ts'
import type { SendingStream, Streams } from '../streams/streams.ts'
import type { Templates } from '../templates/templates.ts'
import type { WorkFor } from '../templates/worker-pool.ts'
import type { Sender } from './authorize.ts'
import { type MailOfStream, type PersonalMail, personalMail } from './personal-mail.ts'
import { namesTemplate, renderRequest } from './render-request.ts'
import { isTracked, refusedTracking, withTrackedPlaces } from './tracking.ts'
import { unsubscribeProblems, withUnsubscribeLinks } from './unsubscribe-footer.ts'

/** Request with all fields that its stream and template add, before the request is checked. */
export interface ExpandedRequest {
  readonly request: SendRequest
  /** Content to store: the body as received if nothing was added, otherwise a new buffer or text. */
  readonly content: string | Uint8Array
  readonly problems: readonly FieldProblem[]
  /** Stream; undefined if the stream cannot be used, for a reason in `problems`. */
  readonly stream: SendingStream | undefined
  /** Template that provides the content; undefined if the request names no template. */
  readonly template: TemplateOrigin | undefined
}

/** Adds the fields of the stream and the content of the template to requests. */
export class RequestExpander {
  readonly #templates: Templates
  readonly #streams: Streams

  readonly #lacksCertificate: (host: string) => boolean

  /** @param lacksCertificate returns true if this node still has to obtain a certificate for a tracking host */
  constructor(templates: Templates, streams: Streams, lacksCertificate = (_host: string): boolean => false) {
    this.#templates = templates
    this.#streams = streams
    this.#lacksCertificate = lacksCertificate
  }

  /**
   * Returns the request with the content of its template and the fields of its stream. Skips fields of the wrong type,
   * because the schema has reported them.
   *
   * @param isRefused returns true if the request is refused regardless of its template, so that no template has to be
   * rendered
   */
  async expand(
    sender: Sender,
    given: SendRequest,
    raw: string | Uint8Array,
    isRefused: (request: SendRequest) => boolean = () => false,
    waiting: Omit<WorkFor, 'accountId'> = {},
  ): Promise<ExpandedRequest> {
    const problems: FieldProblem[] = []
    const stream = await this.#streamOf(sender, given.stream, problems)
    const rendered = namesTemplate(given)
      ? await renderRequest(
          given,
          { ...waiting, accountId: sender.accountId, domainId: sender.domainId },
          this.#templates,
          (standIn) => problems.length > 0 || isRefused(standIn),
        )
      : undefined
    problems.push(...(rendered?.problems ?? []))
    const content = rendered?.request ?? given
    problems.push(...unsubscribeProblems(content, stream ?? UNKNOWN))
    let request = withStreamFields(content, stream)
    if (stream?.kind === 'broadcast') request = withUnsubscribeLinks(request, stream)
    if (stream !== undefined) {
      problems.push(...refusedTracking(request, stream))
      if (problems.length === 0 && isTracked(request, stream) && !isRefused(request)) {
        const workFor = { ...waiting, accountId: sender.accountId }
        const tracked = await withTrackedPlaces(request, stream, this.#templates, workFor)
        if ('from' in tracked) request = tracked
        else problems.push(...tracked)
      }
    }
    const stored = request === given ? raw : contentOf(request)
    return { request, content: stored, problems, stream, template: rendered?.template }
  }

  /** Returns the parts of a complete message submitted by SMTP that differ by recipient. */
  personal({ accountId }: Sender, mail: MailOfStream): Promise<PersonalMail> {
    return personalMail(mail, (html, wanted) => this.#templates.trackedPlaces({ accountId }, html, wanted))
  }

  /** Returns the stream of a message with unchanged content, or the problems of a stream that cannot be used. */
  async streamOf(
    sender: Sender,
    alias: string | undefined,
  ): Promise<SendingStream | readonly FieldProblem[]> {
    const problems: FieldProblem[] = []
    return (await this.#streamOf(sender, alias, problems)) ?? problems
  }

  async #streamOf(
    sender: Sender,
    alias: unknown = DEFAULT_STREAM,
    problems: FieldProblem[],
  ): Promise<SendingStream | undefined> {
    if (sender.stream !== undefined) return sender.stream
    if (typeof alias !== 'string') return undefined
    const found = this.#streams.find(sender, alias)
    const stream = this.#withTrackingState(found instanceof Promise ? await found : found)
    if (stream === undefined) {
      const meant = await this.#streams.meantBy(sender, alias)
      const hint = meant === undefined ? '.' : `; did you mean ${meant}?`
      const message = `There is no stream "${alias.slice(0, 100)}" in this domain${hint}`
      problems.push({ path: 'stream', code: 'not_found', message })
    } else if (stream.archived) {
      problems.push({
        path: 'stream',
        code: 'archived',
        message: 'This stream is archived; use another stream.',
      })
      return undefined
    } else if (stream.kind === 'inbound') {
      const message = 'This stream receives mail; use a stream of the kind transactional or broadcast.'
      problems.push({ path: 'stream', code: 'inbound', message })
      return undefined
    }
    return stream
  }

  #withTrackingState(stream: SendingStream | undefined): SendingStream | undefined {
    const record = stream?.tracking.record
    if (record?.status !== 'found' || !this.#lacksCertificate(record.name)) return stream
    const tracking = { ...stream?.tracking, record: { ...record, status: 'without_certificate' } }
    return { ...stream, tracking } as SendingStream
  }
}

/** Unknown stream, which has the rules of a broadcast stream with unsubscribe fields by the service. */
const UNKNOWN = { kind: 'broadcast', unsubscribe: 'service' } as const

/**
 * Returns the content to store for a request that was completed here. Large content is converted to bytes, so that its
 * memory can be freed after storing; a string would stay on the heap as garbage.
 */
export function contentOf(request: SendRequest): string | Uint8Array {
  const text = JSON.stringify(request)
  return text.length > SMALL_BYTES ? Buffer.from(text) : text
}

/** Returns the request with the header fields of its stream that the request lacks. */
function withStreamFields(request: SendRequest, stream: SendingStream | undefined): SendRequest {
  const added = missingFields(stream, Object.keys(request.headers ?? {}))
  return added.length === 0
    ? request
    : { ...request, headers: { ...Object.fromEntries(added), ...request.headers } }
}

/** Returns the fields that a stream adds to a message that already has fields of these names. */
export function missingFields(
  stream: SendingStream | undefined,
  names: readonly string[],
): readonly (readonly [name: string, value: string])[] {
  const added = Object.entries(stream?.headers ?? {})
  if (added.length === 0) return added
  const present = new Set(names.map((name) => name.toLowerCase()))
  return added.filter(([name]) => !present.has(name.toLowerCase()))
}

/**
 * Throws `Problem` if this stream may not send at all.
 *
 * @param noUnsubscribing reason, in words, why unsubscribe links do not work; undefined if the links work
 */
export function authorizeStream(
  { domainName, inboxId }: Sender,
  { kind, dmarcFound }: SendingStream,
  noUnsubscribing: string | undefined,
): void {
  // A test inbox needs no unsubscribe link, and no provider refuses the mail of an inbox.
  if (kind !== 'broadcast' || inboxId !== null) return
  if (noUnsubscribing !== undefined) {
    throw new Problem(
      'domain_not_verified',
      `Broadcast streams cannot send, because recipients could not unsubscribe: ${noUnsubscribing}. The operator has to set the public https address of this installation.`,
    )
  }
  if (dmarcFound) return
  // Large mailbox providers refuse bulk mail from domains without a DMARC record.
  throw new Problem(
    'domain_not_verified',
    `Broadcast streams of ${domainName} cannot send until the domain has a DMARC record: publish a record at _dmarc.${domainName} and verify the domain.`,
  )
}
