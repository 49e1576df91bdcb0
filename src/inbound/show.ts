// Inbound messages in the form of the API and of webhooks.

import { withoutEncoding } from '../mime/transfer-decoding.ts'
import type { Authentication, InboundAttachment, ParsedInbound } from '../model/inbound-message.ts'
import { type Read, reading } from '../store/database/store.ts'
import {
  findInbound,
  findInboundOwner,
  findParsedInbound,
  findRawInbound,
  hasRawInbound,
  type InboundMessage,
} from '../store/inbound/inbound.ts'
import type { Owner } from '../store/messages/owner.ts'
import { API_LINK_MS, EVENT_LINK_MS, type InboundLinks, type InboundPart } from './links.ts'

/** An inbound message in a list. */
export interface InboundSummary {
  readonly inbound_id: string
  readonly status: InboundMessage['state']
  readonly stream: string
  readonly kind: InboundMessage['kind']
  readonly flags: string[]
  readonly received_at: string
  readonly mail_from: string
  readonly rcpt_to: string[]
  readonly from: { readonly email: string; readonly name: string | null } | null
  readonly subject: string
  readonly message_id: string | null
  readonly size: number
  readonly authentication: Authentication | null
}

/** An attachment; `content` is base64 if all attachments together are small, otherwise null. */
export interface ShownAttachment extends Omit<InboundAttachment, 'start' | 'end' | 'encoding'> {
  readonly content: string | null
  readonly url: string
}

/** An inbound message with all its stored data. */
export interface ShownInbound extends InboundSummary {
  readonly client_address: string
  readonly helo: string
  readonly tls: string | null
  /** `pending` until the message is parsed; `removed` after the retention of the content. */
  readonly content: 'pending' | 'available' | 'removed'
  readonly to: ParsedInbound['to']
  readonly cc: ParsedInbound['cc']
  readonly reply_to: ParsedInbound['reply_to']
  readonly date: string | null
  readonly in_reply_to: string | null
  readonly references: readonly string[]
  readonly headers: ParsedInbound['headers']
  readonly text: string | null
  readonly html: string | null
  readonly reply_text: string | null
  readonly attachments: readonly ShownAttachment[]
  readonly raw_url: string | null
  /** Time at which the links to the raw message and the attachments expire. */
  readonly links_expire_at: string | null
}

/** Maximum total size in bytes of the attachments that an event contains. */
const MAX_INLINE_FILES = 1024 * 1024
/** Maximum number of characters of text and of HTML in an event. */
const MAX_EVENT_TEXT = 512 * 1024

/** Maximum size in bytes of a response with a message: texts and header of `readContent` as JSON. */
const MAX_ANSWER = 8 * 1024 * 1024

export const inboundSummary = (row: InboundMessage): InboundSummary => ({
  inbound_id: row.id,
  status: row.state,
  stream: row.stream,
  kind: row.kind,
  flags: JSON.parse(row.flags),
  received_at: new Date(row.received_at).toISOString(),
  mail_from: row.mail_from,
  rcpt_to: JSON.parse(row.rcpt_to),
  from: row.from_email === '' ? null : { email: row.from_email, name: row.from_name },
  subject: row.subject,
  message_id: row.header_message_id,
  size: row.size,
  authentication: row.authentication === null ? null : JSON.parse(row.authentication),
})

/** A file that is served to the holder of a link. */
export interface InboundFile {
  readonly filename: string | null
  readonly content: Buffer
}

/** Reserves memory for a response of this many bytes. Throws if there is not enough memory. */
type AdmitAnswer = (bytes: number) => Promise<void>

/**
 * Shows inbound messages. Methods return undefined for a message that the owner does not have, and throw `unavailable`
 * if the store is unreachable.
 */
export class InboundShowing {
  readonly #read: Read
  readonly #links: InboundLinks

  constructor(read: Read, links: InboundLinks) {
    this.#read = read
    this.#links = links
  }

  /** Returns a message with its content, and with links to its files. */
  async show(owner: Owner, id: string, admit: AdmitAnswer): Promise<ShownInbound | undefined> {
    const row = await reading(findInbound(this.#read, owner, id))
    if (row === undefined) return undefined
    await admit(Math.min(4 * row.size, MAX_ANSWER))
    return this.#shown(row, API_LINK_MS)
  }

  /**
   * Returns the data of a `received` event for a webhook, at most about 4 MB: long text and HTML are cut (flag
   * `incomplete`), and attachments are included if all attachments together have at most 1 MiB. The links are valid for
   * as long as webhooks are retried.
   */
  async eventData(owner: Owner, id: string, admit: AdmitAnswer): Promise<ShownInbound | undefined> {
    const row = await reading(findInbound(this.#read, owner, id))
    if (row === undefined) return undefined
    await admit(Math.min(4 * row.size, MAX_ANSWER))
    const shown = await this.#shown(row, EVENT_LINK_MS)
    const isLong = [shown.text, shown.html].some((text) => (text?.length ?? 0) > MAX_EVENT_TEXT)
    return {
      ...shown,
      text: shown.text?.slice(0, MAX_EVENT_TEXT).toWellFormed() ?? null,
      html: shown.html?.slice(0, MAX_EVENT_TEXT).toWellFormed() ?? null,
      flags: isLong ? [...new Set([...shown.flags, 'incomplete'])] : shown.flags,
      attachments: await this.#withContent(id, shown.attachments),
    }
  }

  /** Returns the raw message; `removed` if the message is no longer stored. */
  async raw(owner: Owner, id: string, admit: AdmitAnswer): Promise<Buffer | 'removed' | undefined> {
    const row = await reading(findInbound(this.#read, owner, id))
    if (row === undefined) return undefined
    await admit(row.size)
    const raw = await reading(findRawInbound(this.#read, id))
    return raw === undefined ? 'removed' : bufferOf(raw)
  }

  /**
   * Returns a part of a message for its link; undefined for a changed or expired link, and for a part that is no longer
   * stored.
   */
  async byLink(
    id: string,
    part: InboundPart,
    token: string,
    admit: AdmitAnswer,
  ): Promise<InboundFile | undefined> {
    if (!this.#links.isGood(id, part, token)) return undefined
    const owner = await reading(findInboundOwner(this.#read, id))
    if (owner === undefined) return undefined
    if (part !== 'raw') return this.file(owner, id, part, admit)
    const content = await this.raw(owner, id, admit)
    return content === undefined || content === 'removed' ? undefined : { filename: `${id}.eml`, content }
  }

  /** Returns an attachment of a message by its number. */
  async file(owner: Owner, id: string, number: number, admit: AdmitAnswer): Promise<InboundFile | undefined> {
    const row = await reading(findInbound(this.#read, owner, id))
    const parsed = row && (await reading(findParsedInbound(this.#read, id)))
    const file = parsed?.attachments[number]
    if (file === undefined) return undefined
    await admit(file.end - file.start)
    const content = await this.#contentOf(id, file)
    return content && { filename: file.filename, content }
  }

  /** Returns the HTML of a message, with the images that the HTML references by `cid:`. */
  async html(owner: Owner, id: string, admit: AdmitAnswer) {
    const row = await reading(findInbound(this.#read, owner, id))
    const parsed = row && (await reading(findParsedInbound(this.#read, id)))
    if (row === undefined || parsed == null || parsed.html === null) return undefined
    await admit(Math.min(2 * row.size, MAX_ANSWER))
    const inline = parsed.attachments.filter(
      ({ content_id, content_type }) => content_id !== null && content_type.startsWith('image/'),
    )
    const files = []
    let left = MAX_ANSWER
    for (const file of inline) {
      left -= file.end - file.start
      if (left < 0) break
      const content = await this.#contentOf(id, file)
      files.push({
        contentId: file.content_id ?? undefined,
        contentType: file.content_type,
        ...(content === undefined ? {} : { content }),
      })
    }
    return { html: parsed.html, files }
  }

  async #shown(row: InboundMessage, linkMs: number): Promise<ShownInbound> {
    const parsed = await reading(findParsedInbound(this.#read, row.id))
    const isKept = parsed !== undefined || (await reading(hasRawInbound(this.#read, row.id)))
    const expiresAt = this.#links.expiry(linkMs)
    return {
      ...inboundSummary(row),
      client_address: row.client_address,
      helo: row.helo,
      tls: row.tls,
      content: row.state === 'received' ? 'pending' : isKept ? 'available' : 'removed',
      to: parsed?.to ?? [],
      cc: parsed?.cc ?? [],
      reply_to: parsed?.reply_to ?? [],
      date: parsed?.date ?? null,
      in_reply_to: parsed?.in_reply_to ?? null,
      references: parsed?.references ?? [],
      headers: parsed?.headers ?? [],
      text: parsed?.text ?? null,
      html: parsed?.html ?? null,
      reply_text: parsed?.reply_text ?? null,
      attachments: (parsed?.attachments ?? []).map(
        ({ start: _, end: __, encoding: ___, ...file }, number) => ({
          ...file,
          content: null,
          url: this.#links.url(row.id, number, expiresAt),
        }),
      ),
      raw_url: isKept ? this.#links.url(row.id, 'raw', expiresAt) : null,
      links_expire_at: isKept ? new Date(expiresAt).toISOString() : null,
    }
  }

  async #withContent(id: string, shown: readonly ShownAttachment[]): Promise<readonly ShownAttachment[]> {
    if (shown.length === 0 || shown.reduce((sum, { size }) => sum + size, 0) > MAX_INLINE_FILES) return shown
    const parsed = await reading(findParsedInbound(this.#read, id))
    const files = parsed?.attachments ?? []
    // An encoded part with much white space can be far longer than its decoded content.
    if (files.reduce((sum, { start, end }) => sum + end - start, 0) > 2 * MAX_INLINE_FILES) return shown
    const result: ShownAttachment[] = []
    for (const [number, one] of shown.entries()) {
      const file = files[number]
      const content = file && (await this.#contentOf(id, file))
      result.push({ ...one, content: content?.toString('base64') ?? null })
    }
    return result
  }

  async #contentOf(id: string, { start, end, encoding }: InboundAttachment): Promise<Buffer | undefined> {
    const encoded = await reading(findRawInbound(this.#read, id, { start, end }))
    return encoded && withoutEncoding(bufferOf(encoded), encoding)
  }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
