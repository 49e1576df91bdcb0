// Tests of reading the content of messages to show it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { thorough } from '../../test/support/thorough.ts'
import { messageChunks } from '../model/composed-message.ts'
import { compose } from './compose.ts'
import { splitParts } from './parts.ts'
import { readContent } from './read-content.ts'

test('reads what was composed', async () => {
  const message = compose({
    from: { email: 'a@example.com', name: 'Jané' },
    to: [{ email: 'b@example.net' }],
    cc: [{ email: 'c@example.net', name: 'C' }],
    subject: 'Größe',
    messageId: '01J@example.com',
    date: 0,
    text: 'Grüße\n',
    html: '<p>Grüße <img src="cid:i@x"></p>',
    headers: [['X-A', 'b']],
    attachments: [
      { filename: 'é.txt', content: Buffer.alloc(1000), contentType: 'text/plain' },
      { filename: 'i.png', content: Buffer.alloc(10), contentType: 'image/png', contentId: 'i@x' },
    ],
  })
  const read = await readContent(Buffer.concat(messageChunks(message)))
  assert.equal(read.subject, 'Größe')
  assert.deepEqual(read.from, [{ address: 'a@example.com', name: 'Jané' }])
  assert.deepEqual(read.to, [{ address: 'b@example.net', name: '' }])
  assert.deepEqual(read.cc, [{ address: 'c@example.net', name: 'C' }])
  assert.deepEqual(read.replyTo, [])
  assert.equal(read.text?.trimEnd(), 'Grüße')
  assert.equal(read.html?.trimEnd(), '<p>Grüße <img src="cid:i@x"></p>')
  assert.ok(read.headers.some(([name, value]) => name === 'X-A' && value === 'b'))
  assert.deepEqual(read.attachments, [
    { filename: 'i.png', contentType: 'image/png', size: 10, contentId: 'i@x', inline: true },
    { filename: 'é.txt', contentType: 'text/plain', size: 1000, contentId: undefined, inline: false },
  ])
  assert.equal(read.incomplete, false)
})

test('reads charsets, encodings, line ends and inner messages of others', async () => {
  const lines = [
    'Content-Type: MULTIPART/Mixed;',
    ' boundary = "a b"',
    '',
    'preamble',
    '--a b  ',
    'Content-Type: text/plain; charset=iso-8859-1',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Gr=FC=DFe',
    '--a bc is no delimiter',
    '--a b',
    '',
    'second',
    '--a b',
    'Content-Type: message/rfc822',
    '',
    'Subject: inner',
    '',
    'inner',
    '--a b',
    'Content-Disposition: attachment; filename=x.txt',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'a=',
    'b=3D',
    '--a b--',
    'epilogue',
    '--a b',
    'ignored',
  ]
  for (const newline of ['\n', '\r\n']) {
    const read = await readContent(Buffer.from(lines.join(newline)))
    assert.equal(read.text, 'Grüße\n--a bc is no delimiter\n\nsecond\n')
    assert.equal(read.html, undefined)
    assert.deepEqual(
      read.attachments.map(({ filename, contentType, size }) => [filename, contentType, size]),
      [
        [undefined, 'message/rfc822', lines.slice(16, 19).join(newline).length],
        ['x.txt', 'text/plain', 3],
      ],
    )
  }
})

test('a message of nothing but text, or of nothing, is read too', async () => {
  assert.equal((await readContent(Buffer.from('Subject: a\r\n\r\nhello\r\n'))).text, 'hello\n')
  assert.equal((await readContent(Buffer.from('Subject: =?utf-8?B?DQpCY2M6?='))).subject, ' Bcc:')
  assert.deepEqual((await readContent(Buffer.alloc(0))).attachments, [])
})

test('reads in bounded time what was made to take long', async () => {
  const head = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n'
  let deep = 'Content-Type: multipart/mixed; boundary=b0\r\n\r\n'
  for (let i = 0; i < 1000; i++)
    deep += `--b${i}\r\nContent-Type: multipart/mixed; boundary=b${i + 1}\r\n\r\n`
  const messages = [
    `A: b\r\n\r\n${'x\r\n'.repeat(500_000)}`,
    head + '--b\r\n\r\nx\r\n'.repeat(100_000),
    head + '--b\r\nX:\r\n'.repeat(100_000),
    `${deep}${'--z\r\n'.repeat(100_000)}`,
    `${head}--b\r\n\r\nx\r\n--b\r\nContent-Type: text/html\r\n\r\n${'<a href='.repeat(500_000)}\r\n--b--\r\n`,
    'X:\r\n'.repeat(500_000),
  ]
  for (const message of messages) {
    const used = cpuWatch()
    const read = await readContent(Buffer.from(message))
    const spent = used()
    assert.ok(spent < 3000, `${spent} ms`)
    assert.equal(read.incomplete, true)
  }
})

test(
  'never fails, and leaves are pieces of the message',
  thorough(
    '1.0 CPU s: large random and hostile mails; the other tests of the file have each fault by itself',
  ),
  async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\r\n\r\n',
        '--b',
        '--b--',
        '--c',
        'Content-Type: multipart/mixed; boundary=b\r\n',
        'Content-Type: multipart/x; boundary="c"\n',
        '\0',
        ': ',
      ),
      fc.string({ unit: 'binary', maxLength: 10 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
        const bytes = Buffer.from(pieces.join(''))
        const { leaves } = splitParts(bytes)
        assert.ok(leaves.reduce((sum, leaf) => sum + leaf.body.length, 0) <= bytes.length)
        await readContent(bytes)
      }),
      { numRuns: 1000 },
    )
  },
)
