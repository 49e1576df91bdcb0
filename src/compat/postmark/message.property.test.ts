// Property: a message in Postmark's vocabulary becomes a mail with the same recipients, texts, header fields, files, tag
// and metadata; unknown fields are named, and nothing else is lost.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { thorough } from '../../../test/support/thorough.ts'
import { compose } from '../../mime/compose.ts'
import { messageChunks } from '../../model/composed-message.ts'
import { replyToList, type SendRequest } from '../../model/send-request.ts'
import { Reading } from '../reading.ts'
import { MESSAGE, readMessage } from './message.ts'

const word = fc.stringMatching(/^[a-z]{1,8}$/)
const name = fc.stringMatching(/^[A-Za-zÀ-ž][A-Za-zÀ-ž ,.'-]{0,12}[A-Za-zÀ-ž]$/)
const address = fc.tuple(word, word).map(([local, host]) => `${local}@${host}.test`)
const mailbox = fc.oneof(
  address.map((email) => ({ email, name: '', text: email })),
  fc.tuple(name, address).map(([given, email]) => ({
    ...{ email, name: given.replace(/ +/g, ' ') },
    text: `"${given.replace(/ +/g, ' ')}" <${email}>`,
  })),
)
const mailboxes = fc.array(mailbox, { minLength: 1, maxLength: 4 })
const text = fc.stringMatching(/^[ -~À-ž€]{1,60}$/).map((one) => `x${one.trim()}`)
const file = fc.record({
  name: word,
  content: fc.uint8Array({ minLength: 1, maxLength: 40 }),
  inline: fc.boolean(),
})
const messages = fc.record({
  from: mailbox,
  to: mailboxes,
  cc: fc.option(mailboxes),
  replyTo: fc.option(mailbox),
  subject: text,
  html: text,
  plain: text,
  tag: fc.option(word),
  metadata: fc.option(fc.dictionary(word, text, { maxKeys: 3 })),
  headers: fc.array(word, { maxLength: 3 }),
  files: fc.array(file, { maxLength: 3 }),
  unknown: fc.array(word, { maxLength: 3 }),
})

const joined = (list: readonly { readonly text: string }[]): string => list.map((one) => one.text).join(', ')
const listed = (list: readonly { readonly email: string; readonly name: string }[]) =>
  list.map((one) => [one.email, one.name])

test(
  'a message becomes the mail that it describes',
  thorough('1 CPU s: composes and parses hundreds of messages'),
  async () => {
    await fc.assert(
      fc.asyncProperty(messages, async (given) => {
        const headers = [...new Set(given.headers)].map((one) => ({
          Name: `X-Own-${one}`,
          Value: `v ${one}`,
        }))
        const unknown = [...new Set(given.unknown)].map((one) => `Zz${one}`)
        const reading = new Reading()
        const body = {
          ...{ From: given.from.text, To: joined(given.to), Cc: given.cc && joined(given.cc), Bcc: '' },
          ...{ ReplyTo: given.replyTo?.text ?? null, Subject: given.subject, HtmlBody: given.html },
          ...{ TextBody: given.plain, Tag: given.tag, Metadata: given.metadata, Headers: headers },
          Attachments: given.files.map(({ name: file, content, inline }, index) => ({
            Name: `${file}${index}.bin`,
            Content: Buffer.from(content).toString('base64'),
            ContentType: 'application/octet-stream',
            ContentID: inline ? `cid:${file}${index}` : null,
          })),
          ...Object.fromEntries(unknown.map((one) => [one, 1])),
        }
        const request = readMessage(reading.fields(body, MESSAGE), reading)
        assert.deepEqual(reading.problems, [])
        assert.deepEqual(reading.ignored.toSorted(), unknown.toSorted())
        assert.equal(request.tag, given.tag ?? undefined)
        assert.deepEqual(request.metadata ?? {}, { ...given.metadata })
        const mail = await parsed(request)
        assert.deepEqual([mail.from?.address, mail.from?.name], [given.from.email, given.from.name])
        const boxes = (list: typeof mail.to) => (list ?? []).map((one) => [one.address, one.name])
        assert.deepEqual(boxes(mail.to), listed(given.to))
        assert.deepEqual(boxes(mail.cc), listed(given.cc ?? []))
        assert.deepEqual(boxes(mail.replyTo), listed(given.replyTo === null ? [] : [given.replyTo]))
        assert.deepEqual(
          [mail.subject, mail.html?.trimEnd(), mail.text?.trimEnd()],
          [given.subject, given.html, given.plain],
        )
        for (const { Name, Value } of headers) {
          assert.equal(mail.headers.find(({ key }) => key === Name.toLowerCase())?.value, Value)
        }
        assert.deepEqual(
          mail.attachments.map(({ filename, contentId, content }) => [
            filename,
            contentId ?? null,
            Buffer.from(content as ArrayBuffer).toString('base64'),
          ]),
          body.Attachments.map(({ Name, ContentID, Content }) => [
            Name,
            ContentID === null ? null : `<${ContentID.slice(4)}>`,
            Content,
          ]),
        )
      }),
      { numRuns: 300 },
    )
  },
)

/** Composes a send request, and parses the mail as a receiver does. */
async function parsed(request: SendRequest) {
  const composed = compose({
    from: { email: request.from, name: request.from_name ?? '' },
    to: request.to,
    cc: request.cc ?? [],
    replyTo: replyToList(request.reply_to),
    ...{ subject: request.subject, messageId: '01J@example.com', date: 0 },
    ...{ html: request.html ?? '', text: request.text ?? '' },
    headers: Object.entries(request.headers ?? {}),
    attachments: (request.attachments ?? []).map(({ filename, content, content_type, content_id }) => ({
      ...{ filename, content: Buffer.from(content, 'base64') },
      ...(content_type === undefined ? {} : { contentType: content_type }),
      ...(content_id === undefined ? {} : { contentId: content_id }),
    })),
  })
  return PostalMime.parse(Buffer.concat(messageChunks(composed)))
}
