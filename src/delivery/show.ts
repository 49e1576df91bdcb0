// A stored message as it is sent, for showing: composed anew, so no second copy is kept.

import type { InlineFile } from '../lib/foreign-html.ts'
import { readContent } from '../mime/read-content.ts'
import type { HeaderField } from '../model/composed-message.ts'
import { findContent, findMessage, type Owner } from '../store/messages.ts'
import { type Read, reading } from '../store/store.ts'
import type { Preparation } from './prepare.ts'

/** The parts of a message that people look at. */
export interface ShownMessage {
  readonly html: string | null
  readonly text: string | null
  /** Whether they are cut: the message is longer than what is read for showing. */
  readonly incomplete: boolean
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** The octets that go to the wire. */
  readonly raw: Buffer
  /** Decoded, where they were asked for. */
  readonly files: readonly InlineFile[]
}

/** Composes a message of this owner; undefined when there is none with this ID. */
export async function showMessage(
  read: Read,
  preparation: Preparation,
  owner: Owner & { readonly domainName: string },
  id: string,
  withFiles = false,
): Promise<ShownMessage | undefined> {
  const [found, content] = await reading(
    Promise.all([findMessage(read, owner, id), findContent(read, owner, id)]),
  )
  if (found === undefined || content === undefined) return undefined
  const { domainId, domainName } = owner
  const { created_at, send_at, stream } = found.message
  const createdAt = send_at ?? created_at
  const prepare = preparation.open({ id, domainId, domainName, stream, createdAt, ...content })
  // Where each recipient has a link of their own it is the first one's that is shown.
  const prepared = await prepare(found.recipients[0]?.email ?? '')
  const raw = Buffer.concat(prepared.chunks)
  const { html, text, attachments, incomplete } = await readContent(raw, withFiles)
  return {
    html: html ?? null,
    text: text ?? null,
    incomplete,
    headers: prepared.headers.map(shownHeader),
    raw,
    files: withFiles ? attachments : [],
  }
}

/** Unfolded (RFC 5322 §2.2.3); the octets of a field are UTF-8. */
function shownHeader({ name, raw }: HeaderField): { name: string; value: string } {
  const value = Buffer.from(raw.slice(name.length + 1), 'latin1').toString('utf8')
  return { name, value: value.replace(/\r\n(?=[ \t])/g, '').trim() }
}
