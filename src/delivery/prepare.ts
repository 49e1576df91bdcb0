// A stored message in the form that goes to the wire: composed and signed, the same octets at every attempt.

import { loadDkimKey } from '../dkim/keys.ts'
import { type Signer, sign } from '../dkim/sign.ts'
import { compose } from '../mime/compose.ts'
import type { Mailbox } from '../mime/content.ts'
import { toAsciiHeader, toSevenBit } from '../mime/downgrade.ts'
import { isRawMessage, parseRawMessage, type RawMessage } from '../mime/raw-message.ts'
import { rewrite } from '../mime/rewrite.ts'
import { isAddress, parseAddress } from '../model/address.ts'
import { type ComposedMessage, type HeaderField, messageChunks } from '../model/composed-message.ts'
import { type MailboxInput, replyToList, type SendRequest } from '../model/send-request.ts'
import {
  putUnsubscribeUrl,
  unsubscribeAddress,
  unsubscribeToken,
  unsubscribeUrl,
} from '../model/unsubscribe-link.ts'
import { listSigningKeys } from '../store/dkim-keys.ts'
import type { Content } from '../store/queue.ts'
import type { Read } from '../store/store.ts'

/** What is stored of a message, as far as its form depends on it. */
export interface StoredMessage extends Content {
  readonly id: string
  readonly domainId: string
  readonly domainName: string
  readonly stream: string
  /** When it was to be sent: at once, or at its `send_at`. */
  readonly createdAt: number
}

/** A message ready to be handed over. */
export interface PreparedMessage {
  readonly chunks: readonly Buffer[]
  readonly size: number
  readonly needs8Bit: boolean
  readonly needsSmtpUtf8: boolean
  /** All fields, signatures first. */
  readonly headers: readonly HeaderField[]
  /** The same message, signed anew, for a host that lacks this extension; undefined when it has no such form. */
  downgraded(lacking: 'smtputf8' | 'eight-bit'): Promise<PreparedMessage | undefined>
}

/** What is stored cannot be composed, now or at any later attempt. */
export class CannotCompose extends Error {}

/** What unsubscribe links are made of. */
export interface LinkOptions {
  /** Makes their tokens. */
  readonly secret: string
  /** Under which recipients reach their page; known once the HTTP server listens. */
  readonly publicUrl: Promise<string>
}

/** The link of one recipient. */
interface Link {
  readonly url: string
  readonly address: string
}

const KEYS_MS = 60_000

/** Composes and signs; the signing keys of a domain are parsed once and read again after a minute. */
export class Preparation {
  readonly #read: Read
  readonly #links: LinkOptions
  readonly #signers = new Map<string, { signers: Promise<readonly Signer[]>; until: number }>()

  constructor(read: Read, links: LinkOptions) {
    this.#read = read
    this.#links = links
  }

  /**
   * Opens what is stored: the answer prepares it for a recipient. All get the same octets, made once, unless each has
   * a link of their own. Preparing throws `CannotCompose` for what is stored, anything else when the domain's keys
   * cannot be read or used.
   */
  open(stored: StoredMessage): (recipient: string) => Promise<PreparedMessage> {
    let opened: Opened | undefined
    let common: Promise<PreparedMessage> | undefined
    return async (recipient) => {
      opened ??= composing(() => openStored(stored))
      const { request, raw } = opened
      if (request?.unsubscribable) {
        const link = await this.#linkOf(stored, recipient)
        return this.#signed(
          composing(() => composeRequest(request, stored, { recipient, ...link })),
          stored,
        )
      }
      common ??= this.#signed(
        composing(() => (raw === undefined ? composeRequest(request as SendRequest, stored) : rewrite(raw))),
        stored,
      )
      return common
    }
  }

  async #linkOf({ domainId, domainName, stream }: StoredMessage, email: string): Promise<Link> {
    const { secret, publicUrl } = this.#links
    const token = unsubscribeToken(secret, { domainId, stream, email })
    return { url: unsubscribeUrl(await publicUrl, token), address: unsubscribeAddress(token, domainName) }
  }

  async #signed(message: ComposedMessage, stored: StoredMessage): Promise<PreparedMessage> {
    // The time at which it was to be sent, not of the attempt: a retry sends the same octets.
    const signatures = await sign(message, await this.#signersOf(stored), stored.createdAt)
    const chunks = messageChunks(message, signatures)
    return {
      chunks,
      size: chunks.reduce((sum, chunk) => sum + chunk.length, 0),
      needs8Bit: message.needs8Bit,
      needsSmtpUtf8: message.needsSmtpUtf8,
      headers: [...signatures, ...message.headers],
      downgraded: async (lacking) => {
        const other = lacking === 'eight-bit' ? toSevenBit(message) : toAsciiHeader(message)
        return other && this.#signed(other, stored)
      },
    }
  }

  #signersOf({ domainId, domainName }: StoredMessage): Promise<readonly Signer[]> {
    const now = Date.now()
    const known = this.#signers.get(domainId)
    if (known !== undefined && known.until > now) return known.signers
    const signers = this.#loadSigners(domainId, domainName)
    this.#signers.set(domainId, { signers, until: now + KEYS_MS })
    signers.catch(() => this.#signers.delete(domainId))
    return signers
  }

  async #loadSigners(domainId: string, domain: string): Promise<readonly Signer[]> {
    const keys = await listSigningKeys(this.#read, domainId)
    return keys.map(({ selector, algorithm, private_key }) => ({
      domain,
      selector,
      algorithm,
      key: loadDkimKey(algorithm, private_key),
    }))
  }
}

/** What is stored, read: a request or a raw message. */
type Opened =
  | { readonly request: SendRequest; readonly raw?: undefined }
  | { readonly request?: undefined; readonly raw: RawMessage }

function openStored({ format, content }: Content): Opened {
  const octets = (): Buffer =>
    typeof content === 'string'
      ? Buffer.from(content)
      : Buffer.from(content.buffer, content.byteOffset, content.length)
  if (format === 'json') {
    const text = typeof content === 'string' ? content : octets().toString('utf8')
    return { request: JSON.parse(text) as SendRequest }
  }
  const raw = parseRawMessage(octets())
  if (isRawMessage(raw)) return { raw }
  throw new CannotCompose('the stored message cannot be composed', { cause: raw.problem })
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

function composeRequest(
  request: SendRequest,
  { id, domainName, createdAt }: StoredMessage,
  own?: Link & { readonly recipient: string },
): ComposedMessage {
  const to = request.to.map(mailbox)
  const cc = (request.cc ?? []).map(mailbox)
  const bodies = own === undefined ? request : withLink(request, own.url)
  return compose({
    from: mailbox({ email: request.from, name: request.from_name ?? '' }),
    // Whom else a broadcast goes to is nobody's business.
    to:
      own === undefined
        ? to
        : [soleRecipient(own.recipient, [...to, ...cc, ...(request.bcc ?? []).map(mailbox)])],
    cc: own === undefined ? cc : [],
    replyTo: replyToList(request.reply_to).map(mailbox),
    subject: request.subject,
    messageId: `${id.slice(-26)}@${domainName}`,
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
      ...(own === undefined ? [] : unsubscribeFields(own)),
      ...Object.entries(request.headers ?? {}).map(([name, value]) => [name, value.trim()] as const),
    ],
  })
}

const withLink = ({ html, text }: SendRequest, url: string): Pick<SendRequest, 'html' | 'text'> => ({
  ...(html ? { html: putUnsubscribeUrl(html, url) } : {}),
  ...(text ? { text: putUnsubscribeUrl(text, url) } : {}),
})

const soleRecipient = (email: string, all: readonly Mailbox[]): Mailbox =>
  all.find((one) => one.email === email) ?? { email }

/** RFC 2369 §3.2 and RFC 8058 §3.1; signatures cover both. */
const unsubscribeFields = ({ url, address }: Link): (readonly [name: string, value: string])[] => [
  ['List-Unsubscribe', `<${url}>, <mailto:${address}?subject=unsubscribe>`],
  ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
]

function mailbox({ email, name }: MailboxInput): Mailbox {
  const address = parseAddress(email)
  if (!isAddress(address)) throw new Error(`a stored address ${address.problem}`)
  return { email: address.email, name: name ?? '' }
}
