// Messages parsed by the service and by mailparser, and the differences between the two results.

import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type AddressObject, simpleParser } from 'mailparser'
import { readMail } from '../../../src/inbound/read-mail.ts'
import { withoutEncoding } from '../../../src/mime/transfer-decoding.ts'
import type { InboundMailbox } from '../../../src/model/inbound-message.ts'

export type Findings = Readonly<Record<string, unknown>>

/** Returns a text in a form that a database can store, without NUL and lone surrogates. */
const kept = (text: string | null | undefined | false): string =>
  (text || '').toWellFormed().replaceAll('\0', '\ufffd')
const words = (text: string | null | undefined | false): string => kept(text).replace(/\s+/g, ' ').trim()
const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const mailboxes = (found: AddressObject | AddressObject[] | undefined): string[] =>
  [found ?? []].flat().flatMap(({ value }) => value.map(({ address, name }) => kept(`${name}|${address}`)))
const id = (text: string | undefined): string | null => kept(text?.replace(/^<|>$/g, '')) || null

/** Returns the fields of a message as mailparser parses them. */
export async function asMailparser(raw: Buffer): Promise<Findings> {
  const mail = await simpleParser(raw, {
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipImageLinks: true,
    skipTextLinks: true,
  })
  return {
    from: mailboxes(mail.from),
    to: mailboxes(mail.to),
    cc: mailboxes(mail.cc),
    reply_to: mailboxes(mail.replyTo),
    subject: words(mail.subject),
    date: mail.date?.toISOString() ?? null,
    message_id: id(mail.messageId),
    in_reply_to: id(mail.inReplyTo),
    references: [mail.references ?? []].flat().flatMap((one) => id(one) ?? []),
    text: words(mail.text),
    html: words(mail.html),
    attachments: mail.attachments.map(
      ({ filename, contentType, size, content }) =>
        `${filename ?? null} ${contentType} ${size} ${hash(content)}`,
    ),
  }
}

async function asOurs(raw: Buffer): Promise<Findings | undefined> {
  const { parsed, flags } = await readMail(raw)
  if (flags.includes('incomplete')) return undefined
  const named = (list: readonly InboundMailbox[]) => list.map(({ email, name }) => `${name ?? ''}|${email}`)
  return {
    from: named(parsed.from),
    to: named(parsed.to),
    cc: named(parsed.cc),
    reply_to: named(parsed.reply_to),
    subject: words(parsed.subject),
    date: parsed.date,
    message_id: parsed.message_id,
    in_reply_to: parsed.in_reply_to,
    references: parsed.references,
    text: words(parsed.text),
    html: words(parsed.html),
    attachments: parsed.attachments.map(({ filename, content_type, size, start, end, encoding }) => {
      const content = withoutEncoding(raw.subarray(start, end), encoding)
      return `${filename} ${content_type} ${size} ${hash(content)}`
    }),
  }
}

const ascii = (text: string): string => text.replace(/[^\x20-\x7e]/g, '')

/**
 * True if only the service could decode a text: bytes that contradict their charset are Windows-1252 for the service,
 * and U+FFFD for mailparser.
 */
const isReadHereAlone = (our: unknown, their: unknown): boolean =>
  typeof our === 'string' &&
  typeof their === 'string' &&
  their.includes('\ufffd') &&
  ascii(our) === ascii(their)

/**
 * Returns the fields that the service and mailparser parse differently, with both values. The result is empty for a
 * message that the service has parsed only in part. Only the first of several From fields is compared, because
 * mailparser reports no other.
 */
export async function differences(raw: Buffer): Promise<string[]> {
  const ours = await asOurs(raw)
  if (ours === undefined) return []
  const theirs = await asMailparser(raw)
  const agree = (field: string): boolean => {
    const [our, their] = [ours[field], theirs[field]]
    if (isReadHereAlone(our, their)) return true
    return isDeepStrictEqual(
      field === 'from' ? (our as unknown[]).slice(0, (their as unknown[]).length) : our,
      their,
    )
  }
  return Object.keys(theirs)
    .filter((field) => !agree(field))
    .map((field) => `${field}: ${JSON.stringify(ours[field])} instead of ${JSON.stringify(theirs[field])}`)
}
