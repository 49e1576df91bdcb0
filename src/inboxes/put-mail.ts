// Puts a mail straight into a test inbox, without a message and its checks, from a request of Mailpit's API.

import { newId } from '../lib/ids.ts'
import { compose } from '../mime/compose.ts'
import type { Content, Mailbox } from '../mime/content.ts'
import { summarize } from '../mime/mail-summary.ts'
import { isAddress, parseAddress } from '../model/address.ts'
import { messageChunks } from '../model/composed-message.ts'
import { LIMITS } from '../model/send-request.ts'
import type { Store } from '../store/database/store.ts'
import { type InboxOwner, keepTestMail } from '../store/inboxes/mails.ts'
import { pitId } from './mailpit.ts'

/** A fault of the request; the message names the fault for the client. */
export class WrongSend extends Error {}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function addressIn(text: string): string {
  const address = parseAddress(text)
  if (!isAddress(address)) throw new WrongSend(`${text.slice(0, 300)}: the address ${address.problem}`)
  return address.email
}

function mailboxIn(value: unknown): Mailbox {
  const { Name, Email } = (value ?? {}) as { readonly Name?: unknown; readonly Email?: unknown }
  return { email: addressIn(textIn(Email)), name: textIn(Name).slice(0, LIMITS.nameLength) }
}

type Body = Readonly<Record<string, unknown>>

/** Returns the content of a request, and its envelope recipients. Throws `WrongSend`. */
function readSend(
  body: Body,
  id: string,
  now: number,
): { readonly content: Content; readonly recipients: string[] } {
  const mailboxes = (name: string): Mailbox[] => listIn(body[name]).slice(0, LIMITS.recipients).map(mailboxIn)
  const [to, cc, replyTo] = [mailboxes('To'), mailboxes('Cc'), mailboxes('ReplyTo')]
  const bcc = listIn(body.Bcc)
    .slice(0, LIMITS.recipients)
    .map((one) => addressIn(textIn(one)))
  const recipients = [...new Set([...to, ...cc].map(({ email }) => email).concat(bcc))]
  if (recipients.length === 0) throw new WrongSend('no recipients')
  const [text, html] = [textIn(body.Text), textIn(body.HTML)]
  const files = listIn(body.Attachments).slice(0, 200) as readonly (Body | null)[]
  return {
    recipients,
    content: {
      ...{ from: mailboxIn(body.From), to, cc, replyTo, subject: textIn(body.Subject) },
      ...{ messageId: `${id}@test-inbox.invalid`, date: now, text },
      ...(html === '' ? {} : { html }),
      attachments: files.map((file) => ({
        filename: textIn(file?.Filename) || 'attachment',
        content: Buffer.from(textIn(file?.Content), 'base64'),
        ...(textIn(file?.ContentType) === '' ? {} : { contentType: textIn(file?.ContentType) }),
        ...(textIn(file?.ContentID) === '' ? {} : { contentId: textIn(file?.ContentID) }),
      })),
      headers: Object.entries((body.Headers ?? {}) as object)
        .slice(0, 50)
        .map(([name, value]) => [name, textIn(value)] as const),
    },
  }
}

/** Composes and keeps the mail of a request, and returns its ID for clients of Mailpit. Throws `WrongSend`. */
export async function putMail(
  store: Pick<Store, 'write'>,
  owner: InboxOwner,
  body: Body,
  now: number,
): Promise<string> {
  const id = newId('mbx', now)
  const { content, recipients } = readSend(body, pitId(id), now)
  const bytes = Buffer.concat(messageChunks(compose(content)))
  await store.write(keepTestMail, {
    ...{ id, messageId: id, ...owner, receivedAt: now, mailFrom: content.from.email },
    ...{ recipients, tls: null, tags: listIn(body.Tags).map(textIn).slice(0, 100) },
    ...(await summarize(bytes)),
    raw: new Uint8Array(bytes),
  })
  return pitId(id)
}
