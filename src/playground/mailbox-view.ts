// The view of a mail in the playground's mailbox: its content, its DKIM results, and the message that caused the mail.

import { verifyDkim } from '../dkim/verify.ts'
import { type Resolver, textRecords } from '../dns/resolver.ts'
import { linksOf } from '../inboxes/mail-links.ts'
import { readContent } from '../mime/read-content.ts'
import { readReturnPath } from '../model/return-path.ts'
import { withoutAccents } from '../model/subject-words.ts'
import type { MailSummary } from '../model/test-inbox.ts'
import type { Read } from '../store/database/store.ts'
import {
  type InboxOwner,
  listSearchedMails,
  type TestMail,
  type TestMailEntry,
} from '../store/inboxes/mails.ts'
import { findDomainOfMessage } from '../store/messages/messages.ts'

export interface MailboxSources {
  readonly read: Read
  /** Secret of the installation, from which tokens in return paths are made. */
  readonly secret: string
  /** DNS resolver for the public keys of DKIM signatures. */
  readonly resolver: Resolver
}

const PREVIEW_CHARACTERS = 160

/** Maximum number of mails that a search loads at once. */
const SEARCHED = 100
/** Time after which a search returns the mails found so far. */
const SEARCH_MS = 200

/** Returns mails for the mailbox. */
export class MailboxView {
  readonly #sources: MailboxSources

  constructor(sources: MailboxSources) {
    this.#sources = sources
  }

  /** Returns a mail as an entry of the list. */
  line(entry: TestMailEntry): object {
    const { subject, from, snippet, attachments, inline } = JSON.parse(entry.summary) as MailSummary
    return {
      ...envelope(entry),
      ...{ subject, from: from === null ? [] : [from], files: attachments + inline },
      preview: snippet.slice(0, PREVIEW_CHARACTERS).trim(),
    }
  }

  /**
   * Returns mails that contain a text, newest first, starting before the ID `cursor` if given. A search that takes too
   * long returns fewer mails than the limit, with a cursor for the next search.
   */
  async search(owner: InboxOwner, sought: string, limit: number, cursor?: string): Promise<object> {
    const text = withoutAccents(sought)
    const data: object[] = []
    const began = performance.now()
    for (let before = cursor; ; ) {
      const entries = await listSearchedMails(this.#sources.read, owner, SEARCHED, { before })
      for (const entry of entries) {
        before = entry.id
        const said = [entry.search, withoutAccents(`${entry.recipients} ${entry.mail_from}`)]
        if (said.some((one) => one.includes(text))) data.push(this.line(entry))
        if (data.length === limit) return { data, next_cursor: before }
      }
      if (entries.length < SEARCHED) return { data, next_cursor: null }
      if (performance.now() - began > SEARCH_MS) return { data, next_cursor: before }
    }
  }

  /** Returns a mail with its content and its links. */
  async content(mail: TestMail): Promise<object> {
    const content = await readContent(Buffer.from(mail.raw))
    return { ...envelope(mail), ...content, links: linksOf(content) }
  }

  /** Returns a mail with its content, the results of DKIM verification, and the message that caused the mail. */
  async whole(mail: TestMail): Promise<object> {
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
  async #messageOf({ mail_from }: TestMail): Promise<object | null> {
    const { read, secret } = this.#sources
    const messageId = readReturnPath(secret, mail_from)?.messageId
    if (messageId === undefined) return null
    const domain = await findDomainOfMessage(read, messageId)
    return domain === undefined ? null : { message_id: messageId, domain_id: domain.domain_id }
  }
}

/** Returns the envelope of a mail, which has one recipient unless a test credential has sent the mail. */
const envelope = ({ id, received_at, mail_from, recipients, tls, size }: TestMailEntry) => ({
  id,
  received_at: new Date(received_at).toISOString(),
  mail_from,
  rcpt_to: (JSON.parse(recipients) as string[]).join(', '),
  tls,
  size,
  raw_url: `/playground/mailbox/${id}/raw`,
})
