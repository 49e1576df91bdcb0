// Composes a stored message: a pure function of the stored data, used both by the event loop and by worker threads.

import type { Allocate } from '../mime/allocate.ts'
import { compose } from '../mime/compose.ts'
import type { Mailbox, Content as MimeContent } from '../mime/content.ts'
import { isRawMessage, parseRawMessage, type RawMessage } from '../mime/raw-message.ts'
import { rewrite } from '../mime/rewrite.ts'
import { isAddress, parseAddress } from '../model/address.ts'
import type { ComposedMessage } from '../model/composed-message.ts'
import { ownMessageId } from '../model/message.ts'
import { type PersonalPlan, unpackPersonal } from '../model/personal-content.ts'
import { type MailboxInput, replyToList, type SendRequest } from '../model/send-request.ts'
import { putTracking } from '../model/tracking-link.ts'
import { putUnsubscribeUrl } from '../model/unsubscribe-link.ts'
import type { Content } from '../store/queue/queue.ts'
import { broadcastFields, composePersonal } from './personal.ts'
import type { MessageIdentity, RecipientLink } from './recipient-link.ts'

/** Error if the stored content cannot be composed, either now or at a later attempt. */
export class CannotCompose extends Error {}

/**
 * Parsed content: a send request, or a raw message with a plan for the parts of the message that differ by recipient.
 */
export type Opened =
  | { readonly request: SendRequest; readonly raw?: undefined }
  | { readonly request?: undefined; readonly raw: RawMessage; readonly plan: PersonalPlan | undefined }

/** Parses stored content. Throws `CannotCompose` if the content is invalid. */
export function openStored({ format, content, request }: Content): Opened {
  if (request !== undefined) return { request }
  return composing(() => {
    const bytes = (): Buffer =>
      typeof content === 'string'
        ? Buffer.from(content)
        : Buffer.from(content.buffer, content.byteOffset, content.length)
    if (format === 'json') {
      const text = typeof content === 'string' ? content : bytes().toString('utf8')
      return { request: JSON.parse(text) as SendRequest }
    }
    const { plan, message } =
      format === 'personal' ? unpackPersonal(bytes()) : { plan: undefined, message: bytes() }
    const raw = parseRawMessage(message)
    if (isRawMessage(raw)) return { raw, plan }
    throw new CannotCompose('the stored message cannot be composed', { cause: raw.problem })
  })
}

/** True if each recipient gets a message with different links. */
export const hasOwnLinks = (opened: Opened): boolean =>
  opened.request === undefined
    ? opened.plan !== undefined
    : opened.request.unsubscribable === true || opened.request.tracking !== undefined

/**
 * Composes parsed content. Throws `CannotCompose` if the content is invalid.
 *
 * @param own links of the recipient, if each recipient gets different links
 * @param allocate returns the memory for the body of a request
 */
export function composeOpened(
  opened: Opened,
  message: MessageIdentity,
  own?: RecipientLink,
  allocate?: Allocate,
): ComposedMessage {
  return composing(() => {
    if (opened.request !== undefined) return compose(contentOf(opened.request, message, own), allocate)
    const { raw, plan } = opened
    return plan === undefined || own === undefined ? rewrite(raw) : composePersonal(raw, plan, message, own)
  })
}

function composing<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw cause instanceof CannotCompose
      ? cause
      : new CannotCompose('the stored message cannot be composed', { cause })
  }
}

function contentOf(request: SendRequest, stored: MessageIdentity, links?: RecipientLink): MimeContent {
  const { id, domainName, createdAt } = stored
  const { headers = {} } = request
  const own = request.unsubscribable ? links : undefined
  const to = request.to.map(mailbox)
  const cc = (request.cc ?? []).map(mailbox)
  const bodies = withLinks(request, stored, links)
  return {
    from: mailbox({ email: request.from, name: request.from_name ?? '' }),
    // Recipients of a broadcast must not see the addresses of other recipients.
    to:
      own === undefined
        ? to
        : [soleRecipient(own.recipient.email, [...to, ...cc, ...(request.bcc ?? []).map(mailbox)])],
    cc: own === undefined ? cc : [],
    replyTo: replyToList(request.reply_to).map(mailbox),
    subject: request.subject,
    messageId: request.message_id_header ?? ownMessageId(id, domainName),
    date: createdAt,
    ...(bodies.text ? { text: bodies.text } : {}),
    ...(bodies.html ? { html: bodies.html } : {}),
    attachments: (request.attachments ?? []).map(({ filename, content, content_type, content_id }) => ({
      filename,
      content: Buffer.from(content, 'base64'),
      ...(content_type === undefined ? {} : { contentType: content_type }),
      ...(content_id === undefined ? {} : { contentId: content_id }),
    })),
    headers: [
      ...(own === undefined ? [] : broadcastFields(Object.keys(headers), stored, own)),
      ...Object.entries(headers).map(([name, value]) => [name, value.trim()] as const),
    ],
  }
}

function withLinks(
  { html = '', text = '', tracking, unsubscribable }: SendRequest,
  { id: messageId }: MessageIdentity,
  links: RecipientLink | undefined,
): Pick<SendRequest, 'html' | 'text'> {
  if (links === undefined) return { html, text }
  const { position } = links.recipient
  // The positions of tracked links are offsets in the stored HTML, so tracked links are replaced before unsubscribe
  // marks.
  const tracked =
    tracking === undefined || position === undefined
      ? html
      : putTracking(html, tracking, links.tracking, { messageId, position })
  if (!unsubscribable) return { html: tracked, text }
  return { html: putUnsubscribeUrl(tracked, links.url), text: putUnsubscribeUrl(text, links.url) }
}

const soleRecipient = (email: string, all: readonly Mailbox[]): Mailbox =>
  all.find((one) => one.email === email) ?? { email }

function mailbox({ email, name }: MailboxInput): Mailbox {
  const address = parseAddress(email)
  if (!isAddress(address)) throw new Error(`a stored address ${address.problem}`)
  return { email: address.email, name: name ?? '' }
}
