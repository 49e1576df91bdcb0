// Shows a stored message as sent: composes the message again, so that no second copy need be stored.

import type { InlineFile } from '../lib/foreign-html.ts'
import { type AttachmentSummary, readContent } from '../mime/read-content.ts'
import type { HeaderField } from '../model/composed-message.ts'
import type { Retention } from '../model/retention.ts'
import { type Read, reading } from '../store/database/store.ts'
import { findContent, findMessage, type Owner } from '../store/messages/messages.ts'
import { contentRemoved } from '../store/removal/retention.ts'
import { KeyedSemaphore } from '../threads/keyed-semaphore.ts'
import type { Preparation, PreparedMessage } from './prepare.ts'

/** The parts of a message that users see. */
export interface ShownMessage {
  readonly html: string | null
  readonly text: string | null
  /** True if HTML and text are truncated because the message is longer than the part that is read. */
  readonly incomplete: boolean
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly attachments: readonly Pick<AttachmentSummary, 'filename' | 'contentType' | 'size'>[]
  /** Bytes of the whole mail, as sent without tracking. */
  readonly mailSize: number
  /** Decoded files of the message, if requested. */
  readonly files: readonly InlineFile[]
}

/** Owner of the shown message. */
type ShownTo = Owner & { readonly domainName: string }

type Found = NonNullable<Awaited<ReturnType<typeof findMessage>>>

/** Reserves bytes of memory before a message is read. Throws if the memory is used up. */
type Admit = (bytes: number) => Promise<void>

/** Number of copies of a message in memory: the stored form and the composed form. */
const COPIES = 2

/** Shows messages, only one at a time per account, because a large message takes memory and time. */
export class MessageShowing {
  readonly #read: Read
  readonly #preparation: Preparation
  readonly #retention: Retention
  readonly #turns = new KeyedSemaphore(1)

  /** @param retention the installation's retention of contents */
  constructor(read: Read, preparation: Preparation, retention: Retention) {
    this.#read = read
    this.#preparation = preparation
    this.#retention = retention
  }

  /**
   * Returns the content of a message of this owner; undefined if the owner has no message with this ID. Throws
   * `content_removed` if the content is no longer stored.
   */
  content(owner: ShownTo, id: string, admit: Admit, withFiles = false): Promise<ShownMessage | undefined> {
    return this.#inTurn(owner, id, admit, async (found) => {
      // The shown message has no tracking, so that showing the message does not count as an open.
      const prepared = await this.#prepare(owner, id, found, undefined)
      if (prepared === undefined) return undefined
      const raw = Buffer.concat(prepared.chunks)
      const { html, text, attachments, incomplete } = await readContent(
        raw,
        withFiles ? 'content' : undefined,
      )
      return {
        html: html ?? null,
        text: text ?? null,
        incomplete,
        headers: prepared.headers.map(shownHeader),
        attachments: attachments.map(({ filename, contentType, size }) => ({ filename, contentType, size })),
        mailSize: raw.length,
        files: withFiles ? attachments : [],
      }
    })
  }

  /** Returns the bytes of a message as sent, in chunks; undefined if the owner has no message with this ID. */
  raw(owner: ShownTo, id: string, admit: Admit): Promise<readonly Buffer[] | undefined> {
    return this.#inTurn(owner, id, admit, async (found) => (await this.#prepare(owner, id, found, 0))?.chunks)
  }

  async #inTurn<T>(
    owner: ShownTo,
    id: string,
    admit: Admit,
    work: (found: Found) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const found = await reading(findMessage(this.#read, owner, id))
    if (found === undefined) return undefined
    await admit(COPIES * found.message.size)
    const release = await this.#turns.acquire(owner.accountId)
    try {
      return await work(found)
    } finally {
      // Other work that has arrived in the meantime runs before the next request of this account.
      setImmediate(() => release?.())
    }
  }

  async #prepare(
    owner: ShownTo,
    id: string,
    found: Found,
    position: 0 | undefined,
  ): Promise<PreparedMessage | undefined> {
    const content = await reading(findContent(this.#read, owner, id))
    if (content === undefined) throw await contentRemoved(this.#read, found.message, this.#retention)
    const { accountId, domainId, domainName } = owner
    const { created_at, send_at, stream, tag } = found.message
    const createdAt = send_at ?? created_at
    const prepare = this.#preparation.open({
      ...{ id, accountId, domainId, domainName, stream, createdAt, inboxId: found.message.inbox_id },
      ...{ recipientCount: found.message.recipient_count, tag },
      ...content,
    })
    // A message with different links for each recipient is shown as sent to the first recipient.
    return prepare({ email: found.recipients[0]?.email ?? '', position })
  }
}

/** Returns an unfolded header field (RFC 5322 §2.2.3); the bytes of a field are UTF-8. */
function shownHeader({ name, raw }: HeaderField): { name: string; value: string } {
  const value = Buffer.from(raw.slice(name.length + 1), 'latin1').toString('utf8')
  return { name, value: value.replace(/\r\n(?=[ \t])/g, '').trim() }
}
