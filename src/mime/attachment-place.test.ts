// Tests of the places of attachments in a message: alternatives, inline parts of the HTML, and files.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { simpleParser } from 'mailparser'
import PostalMime from 'postal-mime'
import { messageChunks } from '../model/composed-message.ts'
import { compose } from './compose.ts'
import type { Attachment, Content } from './content.ts'

const BASE: Content = {
  from: { email: 'shop@example.com' },
  to: [{ email: 'reader@example.net' }],
  subject: 's',
  messageId: '01J@example.com',
  date: 0,
  text: 'Hello',
  html: '<p>Hello</p>',
}
const wire = (content: Partial<Content>): Buffer =>
  Buffer.concat(messageChunks(compose({ ...BASE, ...content })))
const types = (content: Partial<Content>): string =>
  [
    ...wire(content)
      .toString('latin1')
      .matchAll(/^Content-Type: ([^;\r]+)/gm),
  ]
    .map(([, type]) => type)
    .join(' ')

const invitation = (method: string, text = ''): Buffer =>
  Buffer.from(['BEGIN:VCALENDAR', 'VERSION:2.0', `METHOD:${method}`, text, 'END:VCALENDAR', ''].join('\r\n'))
const invite = (contentType: string, content = invitation('REQUEST')): Attachment => ({
  filename: 'invite.ics',
  content,
  contentType,
})

const ALTERNATIVE = 'multipart/alternative text/plain text/html text/calendar'

describe('a meeting request', () => {
  test('is the last form of the content, and a file as well (RFC 6047 §2.4)', async () => {
    const attachments = [invite('text/calendar; method=REQUEST; charset=utf-8')]
    assert.equal(types({ attachments }), `multipart/mixed ${ALTERNATIVE} application/ics`)
    const read = await simpleParser(wire({ attachments }))
    assert.equal(read.text, 'Hello')
    assert.equal(read.html, '<p>Hello</p>')
    const found = read.attachments.map(({ contentType, content }) => [contentType, content.toString()])
    assert.ok(found.some(([type, text]) => type === 'text/calendar' && text === `${invitation('REQUEST')}`))
    const file = read.attachments.find(({ filename }) => filename === 'invite.ics')
    assert.deepEqual(file?.content, invitation('REQUEST'))
    assert.match(
      wire({ attachments }).toString(),
      /^Content-Type: text\/calendar; charset=utf-8;\r\n method=REQUEST\r$/m,
    )
  })

  const methods = [
    'text/calendar;method=CANCEL',
    'Text/Calendar; charset="UTF-8"; METHOD="reply"; component=VEVENT',
  ]
  for (const type of methods) {
    test(`also as ${type}`, () => {
      assert.equal(types({ attachments: [invite(type)] }), `multipart/mixed ${ALTERNATIVE} application/ics`)
    })
  }

  test('stands beside the only body there is', () => {
    const attachments = [invite('text/calendar; method=REQUEST')]
    const { text: _, ...htmlAlone } = BASE
    const only = [
      ...Buffer.concat(messageChunks(compose({ ...htmlAlone, attachments })))
        .toString()
        .matchAll(/^Content-Type: ([^;\r]+)/gm),
    ]
    assert.equal(
      only.map(([, type]) => type).join(' '),
      'multipart/mixed multipart/alternative text/html text/calendar application/ics',
    )
  })

  test('in another charset, with letters beyond ASCII and bare line ends, is UTF-8 with CRLF', async () => {
    const latin1 = Buffer.from('BEGIN:VCALENDAR\nSUMMARY:Gr\xfc\xdfe\nEND:VCALENDAR\n', 'latin1')
    const attachments = [invite('text/calendar; method=REQUEST; charset=iso-8859-1', latin1)]
    const { attachments: read } = await PostalMime.parse(wire({ attachments }))
    const form = read.find(({ mimeType }) => mimeType === 'text/calendar')
    assert.equal(
      Buffer.from(form!.content as ArrayBuffer)
        .toString()
        .replaceAll('\r\n', '\n')
        .trimEnd(),
      'BEGIN:VCALENDAR\nSUMMARY:Grüße\nEND:VCALENDAR',
    )
  })

  test('without a method is a file, and so is a second request', () => {
    const plain = invite('text/calendar; charset=utf-8')
    const request = invite('text/calendar; method=REQUEST')
    const files = 'multipart/alternative text/plain text/html'
    assert.equal(types({ attachments: [plain] }), `multipart/mixed ${files} text/calendar`)
    assert.equal(
      types({ attachments: [invite('text/calendar; method=')] }),
      `multipart/mixed ${files} text/calendar`,
    )
    assert.equal(
      types({ attachments: [request, request] }),
      `multipart/mixed ${ALTERNATIVE} application/ics text/calendar`,
    )
  })

  test('with an image that the HTML shows keeps both', () => {
    const image = { filename: 'i.png', content: Buffer.from('i'), contentId: 'logo' }
    const attachments = [image, invite('text/calendar; method=REQUEST')]
    assert.equal(
      types({ html: '<img src="cid:logo">', attachments }),
      'multipart/mixed multipart/alternative text/plain multipart/related text/html image/png text/calendar application/ics',
    )
  })
})

test('AMP is a form between text and HTML, and no file', () => {
  const amp = {
    filename: 'amp.html',
    content: Buffer.from('<!doctype html><html ⚡4email>'),
    contentType: 'text/x-amp-html',
  }
  assert.equal(types({ attachments: [amp] }), 'multipart/alternative text/plain text/x-amp-html text/html')
})

describe('a file with a content_id', () => {
  const place = (html: string, contentId: string): string => {
    const head = wire({ html, attachments: [{ filename: 'i.png', content: Buffer.from('i'), contentId }] })
      .toString()
      .match(/Content-Disposition: (\w+)[\s\S]*?Content-ID: (<.*>)/)
    return `${head?.[1]} ${head?.[2]}`
  }
  const table: [html: string, id: string, expected: string][] = [
    ['<p>no image</p>', 'logo', 'attachment <logo>'],
    ['<p>cid: logo, or logo</p>', 'logo', 'attachment <logo>'],
    ['<img src="cid:logo2">', 'logo', 'attachment <logo>'],
    ['<img src="cid:logo">', 'logo', 'inline <logo>'],
    ['<img src=cid:logo>', 'logo', 'inline <logo>'],
    ["<img src='CID:logo@shop'>", 'logo@shop', 'inline <logo@shop>'],
    ['<img src="cid:Logo">', 'logo', 'inline <Logo>'],
    ['<img src="cid:logo%40shop.example">', 'logo@shop.example', 'inline <logo@shop.example>'],
    ['<img src="cid:logo%40shop.example">', 'logo%40shop.example', 'inline <logo%40shop.example>'],
    ['<img src="cid&#58;logo">', 'logo', 'inline <logo>'],
    ['<img src="cid:a&amp;b">', 'a&b', 'inline <a&b>'],
    ['<td style="background:url(cid:logo)">', 'logo', 'inline <logo>'],
    ['<td style="background:url(&quot;cid:logo&quot;)">', 'logo', 'inline <logo>'],
    ['<td style="background:url(\'cid:logo\')">', 'logo', 'inline <logo>'],
    ['<img src="cid:image(1).png">', 'image(1).png', 'inline <image(1).png>'],
    ['<img srcset="cid:small 1x,cid:big 2x">', 'big', 'inline <big>'],
    ['<img src="cid:logo">', '"logo"', 'inline <logo>'],
    ['<img src="cid:%E0%A4%A">', '%E0%A4%A', 'inline <%E0%A4%A>'],
  ]
  for (const [html, id, expected] of table) {
    test(`${html} shows ${id}: ${expected}`, () => assert.equal(place(html, id), expected))
  }

  test('is found in time in proportion to the HTML', () => {
    const html = `${'cid:'.repeat(300_000)}${'<img src="cid:x&#58;">'.repeat(20_000)}`
    const start = process.cpuUsage()
    assert.equal(place(html, 'logo'), 'attachment <logo>')
    assert.ok(process.cpuUsage(start).user < 3_000_000)
  })
})
