// A stored message in the form that goes to the wire: composed and signed, the same octets at every attempt.

import { loadDkimKey } from '../dkim/keys.ts'
import { type Signer, sign } from '../dkim/sign.ts'
import { compose } from '../mime/compose.ts'
import type { Mailbox } from '../mime/content.ts'
import { toAsciiHeader, toSevenBit } from '../mime/downgrade.ts'
import { isRawMessage, parseRawMessage } from '../mime/raw-message.ts'
import { rewrite } from '../mime/rewrite.ts'
import { isAddress, parseAddress } from '../model/address.ts'
import { type ComposedMessage, type HeaderField, messageChunks } from '../model/composed-message.ts'
import type { ContentFormat } from '../model/message.ts'
import { type MailboxInput, replyToList, type SendRequest } from '../model/send-request.ts'
import { listDkimKeys } from '../store/domains.ts'
import type { Read } from '../store/store.ts'

/** What is stored of a message, as far as its form depends on it. */
export interface StoredMessage {
  readonly id: string
  readonly domainId: string
  readonly domainName: string
  /** When it was to be sent: at once, or at its `send_at`. */
  readonly createdAt: number
  readonly format: ContentFormat
  readonly content: Uint8Array
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

const KEYS_MS = 60_000

/** Composes and signs; the signing keys of a domain are parsed once and read again after a minute. */
export class Preparation {
  readonly #read: Read
  readonly #signers = new Map<string, { signers: Promise<readonly Signer[]>; until: number }>()

  constructor(read: Read) {
    this.#read = read
  }

  /** Throws `CannotCompose` for what is stored, anything else when the domain's keys cannot be read or used. */
  async prepare(stored: StoredMessage): Promise<PreparedMessage> {
    return this.#signed(composed(stored), stored)
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
    const keys = await listDkimKeys(this.#read, domainId)
    return keys.map(({ selector, algorithm, private_key }) => ({
      domain,
      selector,
      algorithm,
      key: loadDkimKey(algorithm, private_key),
    }))
  }
}

/** The message before it is signed. */
function composed(stored: StoredMessage): ComposedMessage {
  try {
    const content = Buffer.from(stored.content.buffer, stored.content.byteOffset, stored.content.length)
    if (stored.format === 'json')
      return composeRequest(JSON.parse(content.toString('utf8')) as SendRequest, stored)
    const raw = parseRawMessage(content)
    if (isRawMessage(raw)) return rewrite(raw)
    throw new Error(raw.problem)
  } catch (cause) {
    throw new CannotCompose('the stored message cannot be composed', { cause })
  }
}

function composeRequest(request: SendRequest, { id, domainName, createdAt }: StoredMessage): ComposedMessage {
  return compose({
    from: mailbox({ email: request.from, name: request.from_name ?? '' }),
    to: request.to.map(mailbox),
    cc: (request.cc ?? []).map(mailbox),
    replyTo: replyToList(request.reply_to).map(mailbox),
    subject: request.subject,
    messageId: `${id.slice(-26)}@${domainName}`,
    date: createdAt,
    ...(request.text ? { text: request.text } : {}),
    ...(request.html ? { html: request.html } : {}),
    attachments: (request.attachments ?? []).map(({ filename, content, content_type, content_id }) => ({
      filename,
      content: Buffer.from(content, 'base64'),
      ...(content_type === undefined ? {} : { contentType: content_type }),
      ...(content_id === undefined ? {} : { contentId: content_id }),
    })),
    headers: Object.entries(request.headers ?? {}).map(([name, value]) => [name, value.trim()] as const),
  })
}

function mailbox({ email, name }: MailboxInput): Mailbox {
  const address = parseAddress(email)
  if (!isAddress(address)) throw new Error(`a stored address ${address.problem}`)
  return { email: address.email, name: name ?? '' }
}
