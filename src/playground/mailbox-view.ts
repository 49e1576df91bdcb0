// The view of a mail in the playground's mailbox: its content, its DKIM results, and the message that caused the mail.

import { verifyDkim } from '../dkim/verify.ts'
import { type Resolver, textRecords } from '../dns/resolver.ts'
import { cacheOf } from '../lib/caches.ts'
import { readContent } from '../mime/read-content.ts'
import { readReturnPath } from '../model/return-path.ts'
import { withoutAccents } from '../model/subject-words.ts'
import type { Read } from '../store/database/store.ts'
import {
  findDomainOfMessage,
  findMailHead,
  listMailEntries,
  type MailboxEntry,
  type MailboxMail,
} from '../store/inbound/mailbox.ts'
import { linksOf } from './mail-links.ts'

export interface MailboxSources {
  readonly read: Read
  /** Secret of the installation, from which tokens in return paths are made. */
  readonly secret: string
  /** DNS resolver for the public keys of DKIM signatures. */
  readonly resolver: Resolver
}

/** Number of bytes at the beginning of a mail that are read for an entry of the list. */
const HEAD_BYTES = 16 * 1024
const PREVIEW_CHARACTERS = 160

/** Maximum number of mails that a search loads at once. */
const SEARCHED = 100
/** Time after which a search returns the mails found so far. */
const SEARCH_MS = 200

type Line = Awaited<ReturnType<typeof readLine>>

/**
 * Returns mails for the mailbox; caches the entries of the list, because an open page polls the list every 2 seconds.
 */
export class MailboxView {
  readonly #sources: MailboxSources
  readonly #lines = cacheOf<Line>('mailbox_lines')

  constructor(sources: MailboxSources) {
    this.#sources = sources
  }

  /** Returns a mail as an entry of the list. */
  async line(entry: MailboxEntry): Promise<object> {
    return { ...envelope(entry), ...(await this.#lineOf(entry)) }
  }

  /**
   * Returns mails whose list entry contains a text, newest first, starting before the ID `cursor` if given. A search
   * that takes too long returns fewer mails than the limit, with a cursor for the next search.
   */
  async search(sought: string, limit: number, cursor?: string): Promise<object> {
    const text = withoutAccents(sought)
    const data: object[] = []
    const began = performance.now()
    for (let before = cursor; ; ) {
      const entries = await listMailEntries(this.#sources.read, SEARCHED, { cursor: before })
      for (const entry of entries) {
        before = entry.id
        const line = await this.#lineOf(entry)
        const { subject, preview, from } = line
        const said = [entry.rcpt_to, entry.mail_from, subject, preview, ...from.map(({ address }) => address)]
        if (said.some((one) => withoutAccents(one ?? '').includes(text)))
          data.push({ ...envelope(entry), ...line })
        if (data.length === limit) return { data, next_cursor: before }
      }
      if (entries.length < SEARCHED) return { data, next_cursor: null }
      if (performance.now() - began > SEARCH_MS) return { data, next_cursor: before }
    }
  }

  async #lineOf(entry: MailboxEntry): Promise<Line> {
    const known = this.#lines.get(entry.id)
    const line = known ?? (await readLine(await findMailHead(this.#sources.read, entry.id, HEAD_BYTES)))
    if (known === undefined) this.#lines.set(entry.id, line)
    return line
  }

  /** Returns a mail with its content and its links. */
  async content(mail: MailboxMail): Promise<object> {
    const content = await readContent(Buffer.from(mail.raw))
    return { ...envelope({ ...mail, size: mail.raw.length }), ...content, links: linksOf(content) }
  }

  /** Returns a mail with its content, the results of DKIM verification, and the message that caused the mail. */
  async whole(mail: MailboxMail): Promise<object> {
    const content = await this.content(mail)
    const signatures = await verifyDkim(Buffer.from(mail.raw), (name) =>
      textRecords(this.#sources.resolver, name),
    )
    return {
      ...content,
      html_url: `/playground/mailbox/${mail.id}/html`,
      dkim: signatures.map(({ keyName, ...signature }) => ({ ...signature, key_name: keyName })),
      message: await this.#messageOf(mail),
    }
  }

  /** Finds the message of a mail by the token in the return path; only this installation can create such a token. */
  async #messageOf({ mail_from }: MailboxMail): Promise<object | null> {
    const { read, secret } = this.#sources
    const messageId = readReturnPath(secret, mail_from)?.messageId
    const domainId = messageId && (await findDomainOfMessage(read, messageId))
    return messageId && domainId ? { message_id: messageId, domain_id: domainId } : null
  }
}

const envelope = ({ id, received_at, mail_from, rcpt_to, tls, size }: MailboxEntry) => ({
  id,
  received_at: new Date(received_at).toISOString(),
  mail_from,
  rcpt_to,
  tls,
  size,
  raw_url: `/playground/mailbox/${id}/raw`,
})

async function readLine(head: Uint8Array) {
  const { subject, from, text, attachments } = await readContent(Buffer.from(head))
  const preview = (text ?? '').replace(/\s+/g, ' ').trim().slice(0, PREVIEW_CHARACTERS)
  return { subject, from, preview, files: attachments.length }
}
