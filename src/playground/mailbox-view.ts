// The view of a mail in the mailbox of the playground: content, results of its signatures, sender.

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

export interface MailboxSources {
  readonly read: Read
  /** Secret of the installation, which return paths are made with. */
  readonly secret: string
  /** Resolver for the keys of signatures. */
  readonly resolver: Resolver
}

/** Part of a mail that is read for its line in a list. */
const HEAD_BYTES = 16 * 1024
const PREVIEW_CHARACTERS = 160

/** Mails that a search loads at once, and its time limit. */
const SEARCHED = 100
const SEARCH_MS = 200

type Line = Awaited<ReturnType<typeof readLine>>

/** Shows mails; caches the lines of lists, since a page asks for them every other second. */
export class MailboxView {
  readonly #sources: MailboxSources
  readonly #lines = cacheOf<Line>('mailbox_lines')

  constructor(sources: MailboxSources) {
    this.#sources = sources
  }

  /** Returns a mail for a list. */
  async line(entry: MailboxEntry): Promise<object> {
    return { ...envelope(entry), ...(await this.#lineOf(entry)) }
  }

  /**
   * Returns mails whose line contains a text, newest first, before the ID `cursor` if given. Returns fewer than the
   * limit after many were checked, with a cursor to continue from.
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

  /** Returns a mail with its content. */
  async content(mail: MailboxMail): Promise<object> {
    const content = await readContent(Buffer.from(mail.raw))
    return { ...envelope({ ...mail, size: mail.raw.length }), ...content }
  }

  /** Returns a mail with its content and the results of the checks. */
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

  /** Finds the message by the token in its return path, which only this installation can make. */
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
