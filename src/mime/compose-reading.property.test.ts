// Property: mailparser reads back text, HTML, files, inline parts and meeting requests unchanged, in any combination.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { simpleParser } from 'mailparser'
import { messageChunks } from '../model/composed-message.ts'
import { compose } from './compose.ts'
import type { Attachment, Content } from './content.ts'
import { legalFileName } from './file-name.ts'

const words = fc.array(
  fc.constantFrom(
    'Hello',
    'Grüße',
    '你好',
    '😀',
    '=?utf-8?Q?a?=',
    'x'.repeat(90),
    '.',
    'From',
    '--=_',
    '"',
    "'",
    '%41',
    ';',
    '\\',
  ),
  { minLength: 1, maxLength: 8 },
)
const line = words.map((some) => some.join(' '))
const bytes = fc.uint8Array({ maxLength: 200 }).map((some) => Buffer.from(some))

const file: fc.Arbitrary<Attachment> = fc.record({
  filename: line.map((name) => `${name}.bin`),
  content: bytes,
  contentType: fc.constantFrom('application/pdf', 'application/octet-stream; x=1', 'image/png'),
})
/** An inline part, and the spelling of the link to this part in the HTML. */
const inline = fc.record({
  ...{ filename: line.map((name) => `${name}.png`), content: bytes },
  contentType: fc.constant('image/png'),
  shown: fc.constantFrom('src="cid:§"', "src='CID:§'", 'style="background:url(cid:§)"', undefined),
})
const invitation = fc.record({
  method: fc.constantFrom('REQUEST', 'CANCEL', 'REPLY'),
  summary: line,
})

const content = fc.record({
  text: fc.option(line, { nil: undefined }),
  html: line,
  files: fc.array(file, { maxLength: 3 }),
  inline: fc.array(inline, { maxLength: 3 }),
  invitation: fc.option(invitation, { nil: undefined }),
})

test('random mails read back equal', async () => {
  await fc.assert(
    fc.asyncProperty(content, async ({ text, html, files, inline, invitation }) => {
      const images = inline.map(({ shown: _, ...image }, index) => ({ ...image, contentId: `i${index}@x` }))
      const shown = inline.map(({ shown }, index) =>
        shown ? `<img ${shown.replace('§', `i${index}%40x`)}>` : '',
      )
      const calendar = invitation && {
        filename: 'invite.ics',
        contentType: `text/calendar; method=${invitation.method}`,
        content: Buffer.from(`BEGIN:VCALENDAR\r\nSUMMARY:${invitation.summary}\r\nEND:VCALENDAR\r\n`),
      }
      const whole = `<p>${html}</p>${shown.join('')}`
      const message: Content = {
        from: { email: 'a@example.com' },
        to: [{ email: 'b@example.com' }],
        subject: html,
        messageId: '01J@example.com',
        date: 0,
        html: whole,
        ...(text === undefined ? {} : { text }),
        attachments: [...files, ...images, ...(calendar === undefined ? [] : [calendar])],
      }
      const read = await simpleParser(Buffer.concat(messageChunks(compose(message))), {
        skipImageLinks: true,
      })
      assert.equal(read.subject, html)
      assert.equal(String(read.html).trimEnd(), whole)
      if (text !== undefined) assert.equal(read.text?.trimEnd(), text.trimEnd())
      const named = (one: { filename?: string | undefined; content: Buffer }): string =>
        `${one.filename} ${one.content.toString('hex')}`
      const form = read.attachments.filter(({ contentType }) => contentType === 'text/calendar')
      assert.deepEqual(
        form.map(({ content: some }) => some.toString().trimEnd()),
        calendar === undefined ? [] : [calendar.content.toString().trimEnd()],
      )
      assert.deepEqual(
        read.attachments
          .filter(({ contentType }) => contentType !== 'text/calendar')
          .map(named)
          .sort(),
        (message.attachments ?? [])
          .map((one) => named({ ...one, filename: legalFileName(one.filename) }))
          .sort(),
      )
      const related = read.attachments.filter((one) => one.related).map(({ cid }) => cid)
      assert.deepEqual(
        related,
        images.filter((_, index) => inline[index]?.shown !== undefined).map(({ contentId }) => contentId),
      )
    }),
    { numRuns: 150 },
  )
})
