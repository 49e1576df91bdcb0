// The content of a message as its sender wrote it: mailparser parses the message, the original links replace the
// tracked links, and the footer is removed.

import { createHash } from 'node:crypto'
import { type AddressObject, simpleParser } from 'mailparser'

const words = (text: string | false | undefined): string => (text || '').replace(/\s+/g, ' ').trim()
const addresses = (found: AddressObject | AddressObject[] | undefined): string[] =>
  [found ?? []].flat().flatMap(({ value }) => value.map(({ address, name }) => `${name} <${address}>`))

/** Returns all parts of a message that a recipient can see. */
export async function written(raw: Buffer) {
  const mail = await simpleParser(raw, {
    ...{ skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true, skipTextLinks: true },
  })
  return {
    from: addresses(mail.from),
    sender: mail.headers.has('sender'),
    to: addresses(mail.to),
    cc: addresses(mail.cc),
    replyTo: addresses(mail.replyTo),
    subject: mail.subject,
    messageId: mail.messageId,
    inReplyTo: mail.inReplyTo,
    references: [mail.references ?? []].flat(),
    date: mail.date?.toISOString(),
    html: words(withoutLinks(mail.html || '')),
    text: words(withoutTextFooter(mail.text ?? '')),
    files: mail.attachments.map(({ filename, contentType, cid, contentDisposition, content }) => ({
      ...{ filename, contentType, cid, contentDisposition },
      hash: createHash('sha256').update(content).digest('hex'),
    })),
  }
}

/** Returns HTML with the original links, without the tracking pixel and the footer. */
const withoutLinks = (html: string): string =>
  html
    .replace(/<img src="[^"]*\/o\/[^"]*"[^>]*>/g, '')
    .replace(/https?:\/\/[^"'\s>]*\/c\/([\w-]+)/g, (_, token: string) => urlOf(token))
    .replace(/<p style="margin:24px[^"]*"><a href="[^"]*"[^>]*>[^<]*<\/a><\/p>/, '')

/** Returns the target URL in the token of a tracked link; the token has 19 bytes before and 12 bytes after the URL. */
const urlOf = (token: string): string => {
  const bytes = Buffer.from(token, 'base64url')
  return bytes.toString('utf8', 19, bytes.length - 12)
}

const withoutTextFooter = (text: string): string =>
  text.replace(/\s*\n--\n[^\n:]*: \S*\/u\/[a-z2-7]{26}\s*/, '\n')

/** Returns a text or HTML body on one line, with original links and without the footer. */
export const undone = (body: string): string =>
  words(withoutLinks(body).replace(/ ?-- [^ :]+: \S*\/u\/[a-z2-7]{26}/, ''))

/** Returns the target URLs of the tracked links of a message. */
export async function trackedTargets(raw: Buffer): Promise<string[]> {
  const { html } = await simpleParser(raw, {
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipImageLinks: true,
  })
  return [...(html || '').matchAll(/\/c\/([\w-]+)/g)].map(([, token = '']) => urlOf(token))
}
