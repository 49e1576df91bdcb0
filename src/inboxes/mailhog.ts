// Mails of a test inbox in the documents of MailHog's API, with its names of fields; bodies are not decoded.

import type { TestMail } from '../store/inboxes/mails.ts'
import { canonical, pitId } from './mailpit.ts'

/** Returns the path of an address as MailHog splits it. */
function pathOf(address: string): object {
  const at = address.lastIndexOf('@')
  return {
    ...{ Relays: null, Params: '' },
    Mailbox: at < 0 ? address : address.slice(0, at),
    Domain: at < 0 ? '' : address.slice(at + 1),
  }
}

/** Returns a section of a mail: its fields and its body, as written. */
function sectionOf(section: string): { readonly Headers: Record<string, string[]>; readonly Body: string } {
  const end = /\r?\n\r?\n/.exec(section)
  const head = end === null ? section : section.slice(0, end.index)
  const body = end === null ? '' : section.slice(end.index + end[0].length)
  const headers: Record<string, string[]> = Object.create(null)
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    const key = canonical(line.slice(0, colon).trim())
    headers[key] = [...(headers[key] ?? []), line.slice(colon + 1).trim()]
  }
  return { Headers: headers, Body: body }
}

/** Maximum depth of parts within parts. */
const MAX_DEPTH = 10

/** Returns the parts of a section, each with its own parts; null for a section without parts. */
function mimeOf(section: string, depth = 1): object | null {
  const parts = depth > MAX_DEPTH ? [] : partsOfBody(section)
  if (parts.length === 0) return null
  return {
    Parts: parts.map((part) => ({ ...sectionOf(part), Size: part.length, MIME: mimeOf(part, depth + 1) })),
  }
}

/** Returns a mail. */
export function hogMessage(mail: TestMail): object {
  const data = Buffer.from(mail.raw).toString('latin1')
  const recipients: string[] = JSON.parse(mail.recipients)
  return {
    ID: pitId(mail.id),
    From: pathOf(mail.mail_from),
    To: recipients.map(pathOf),
    Content: { ...sectionOf(data), Size: data.length, MIME: null },
    Created: new Date(mail.received_at).toISOString(),
    MIME: mimeOf(data),
    Raw: { From: mail.mail_from, To: recipients, Data: data, Helo: 'localhost' },
  }
}

/** Returns the body of a part by its number from 0, as written; undefined without the part. */
export function hogPart(mail: TestMail, number: number): string | undefined {
  const part = partsOfBody(Buffer.from(mail.raw).toString('latin1'))[number]
  return part === undefined ? undefined : sectionOf(part).Body
}

/** Returns a list of mails. */
export const hogList = (mails: readonly TestMail[], total: number, start: number): object => ({
  ...{ total, count: mails.length, start },
  items: mails.map(hogMessage),
})

const MAX_PARTS = 1_000

/** Returns the parts of a message as Latin-1 text, headers included; an empty list for a message without parts. */
function partsOfBody(message: string): readonly string[] {
  const end = /\r?\n\r?\n/.exec(message)
  if (end === null) return []
  const head = message.slice(0, end.index).replace(/\r?\n[ \t]+/g, ' ')
  const [type = ''] = /^content-type:[ \t]*multipart\/[^\r\n]*/im.exec(head) ?? []
  const [, written = ''] = /\bboundary="?([^"\r\n;]{1,200})/i.exec(type) ?? []
  const boundary = written.trim()
  if (boundary === '') return []
  const parts: string[] = []
  const body = `\n${message.slice(end.index + end[0].length)}`
  let start: number | undefined
  for (let at = body.indexOf(`\n--${boundary}`); at >= 0; at = body.indexOf(`\n--${boundary}`, at + 1)) {
    if (start !== undefined) parts.push(body.slice(start, at).replace(/\r$/, ''))
    const next = at + boundary.length + 3
    if (body.startsWith('--', next) || parts.length === MAX_PARTS) break
    const line = body.indexOf('\n', next)
    if (line < 0) break
    start = line + 1
  }
  return parts
}
