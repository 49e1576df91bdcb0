// Puts a mail straight into a test inbox, without a message and its checks, from a request of Mailpit's API.

import { newId } from '../lib/ids.ts'
import { compose } from '../mime/compose.ts'
import type { Content, Mailbox } from '../mime/content.ts'
import { summarize } from '../mime/mail-summary.ts'
import { isAddress, parseAddress } from '../model/address.ts'
import { messageChunks } from '../model/composed-message.ts'
import { LIMITS } from '../model/send-request.ts'
import { findAccount } from '../store/access/accounts.ts'
import { reading, type Store } from '../store/database/store.ts'
import type { InboxOwner } from '../store/inboxes/mails.ts'
import { keepTestMail } from '../store/inboxes/new-mails.ts'
import { readStoredBytes } from '../store/messages/stored-bytes.ts'
import { pitId } from './mailpit.ts'

/** A fault of the request; the message names the fault for the client. */
export class WrongSend extends Error {}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function addressIn(text: string, field: string): string {
  const address = parseAddress(text)
  if (isAddress(address)) return address.email
  throw new WrongSend(`invalid ${field} address: ${text.slice(0, 300)}: the address ${address.problem}`)
}

type Body = Readonly<Record<string, unknown>>

/** Returns the fields of an object by their names in lower case, because Mailpit reads names in any case. */
const fieldsIn = (value: unknown): Body =>
  Object.fromEntries(Object.entries((value ?? {}) as object).map(([name, one]) => [name.toLowerCase(), one]))

function mailboxIn(value: unknown, field: string): Mailbox {
  const { name, email } = fieldsIn(value)
  return { email: addressIn(textIn(email), field), name: textIn(name).slice(0, LIMITS.nameLength) }
}

/** Returns the content of a request, its envelope recipients, and the beginning of its header. Throws `WrongSend`. */
function readSend(
  given: Body,
  id: string,
  now: number,
): { readonly content: Content; readonly recipients: string[]; readonly added: string } {
  const body = fieldsIn(given)
  const mailboxes = (field: string): Mailbox[] =>
    listIn(body[field.toLowerCase()])
      .slice(0, LIMITS.recipients)
      .map((one) => mailboxIn(one, field))
  const [to, cc, replyTo] = [mailboxes('To'), mailboxes('Cc'), mailboxes('ReplyTo')]
  const from = mailboxIn(body.from, 'From')
  const bcc = listIn(body.bcc)
    .slice(0, LIMITS.recipients)
    .map((one) => addressIn(textIn(one), 'Bcc'))
  const recipients = [...new Set([...to, ...cc].map(({ email }) => email).concat(bcc))]
  if (recipients.length === 0) throw new WrongSend('no recipients')
  const [text, html] = [textIn(body.text), textIn(body.html)]
  const files = listIn(body.attachments).slice(0, MAX_FILES).map(fieldsIn)
  const headers = Object.entries((body.headers ?? {}) as object)
    .slice(0, MAX_HEADERS)
    .map(([name, value]) => [name, textIn(value)] as const)
  return {
    recipients,
    content: {
      ...{ from, to, cc, replyTo, subject: textIn(body.subject) },
      ...{ messageId: `${id}@test-inbox.invalid`, date: now, text },
      ...(html === '' ? {} : { html }),
      attachments: files.map((file) => ({
        filename: textIn(file.filename) || 'attachment',
        content: Buffer.from(textIn(file.content), 'base64'),
        ...(textIn(file.contenttype) === '' ? {} : { contentType: textIn(file.contenttype) }),
        ...(textIn(file.contentid) === '' ? {} : { contentId: textIn(file.contentid) }),
      })),
      headers,
    },
    // Mailpit adds these fields to a mail that its API puts; no other mail shows its Bcc recipients.
    added: `Return-Path: <${from.email}>\r\n${bcc.length === 0 ? '' : `Bcc: ${bcc.join(',\r\n ')}\r\n`}`,
  }
}

/** Maximum numbers of files and of header fields; further ones are left out. */
const MAX_FILES = 200
const MAX_HEADERS = 50

/** Place for a mail. */
interface PutOptions extends InboxOwner {
  readonly store: Pick<Store, 'read' | 'write'>
  /** Limit of stored bytes of accounts without a separate limit; undefined for no limit. */
  readonly storedBytesPerAccount: number | undefined
  readonly now: number
}

/** Composes and keeps the mail of a request, and returns its ID for clients of Mailpit. Throws `WrongSend`. */
export async function putMail(
  { store, storedBytesPerAccount, now, ...owner }: PutOptions,
  body: Body,
): Promise<string> {
  const id = newId('mbx', now)
  const { content, recipients, added } = readSend(body, pitId(id), now)
  const bytes = Buffer.concat([Buffer.from(added), ...messageChunks(compose(content))])
  const limit =
    (await reading(findAccount(store.read, owner.accountId)))?.stored_bytes_limit ?? storedBytesPerAccount
  if (
    limit !== undefined &&
    (await reading(readStoredBytes(store.read, owner.accountId))) + bytes.length > limit
  ) {
    throw new WrongSend(`the stored messages of the account reach the limit of ${limit} bytes`)
  }
  await store.write(keepTestMail, {
    ...{ id, messageId: id, ...owner, receivedAt: now, mailFrom: content.from.email },
    ...{ recipients, tls: null, tags: listIn(fieldsIn(body).tags).map(textIn).slice(0, 100) },
    ...(await summarize(bytes)),
    raw: bytes,
  })
  return pitId(id)
}
