// Tests of mending the lines of a message that are over 998 bytes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuWatch } from '../../../test/support/cpu-time.ts'
import { leafBytes, splitParts } from '../parts.ts'
import { isRawMessage, parseRawMessage } from '../raw-message.ts'
import { longLineIn } from './long-lines.ts'
import { mend } from './mend.ts'
import { isMendProblem } from './problem.ts'

const SENDING = { from: 'app@example.test', domain: 'example.test' }
const HEAD = 'From: app@example.test\r\nSubject: x\r\n'

/** Returns the mended message, or the problem. */
function mended(message: string | Buffer): Buffer | string {
  const bytes = Buffer.isBuffer(message) ? message : Buffer.from(message, 'latin1')
  const result = mend(bytes, SENDING, { headerBytes: 100_000, fields: 1_000 })
  return isMendProblem(result) ? result.problem : result
}

/** Mends a message and asserts that its leaf parts have the same content in lines within the limit. */
function assertSame(message: string, leaves = 1): string {
  const result = mended(message)
  assert.ok(Buffer.isBuffer(result), String(result))
  assert.equal(longLineIn(result), -1)
  assert.ok(isRawMessage(parseRawMessage(result)))
  const [before, after] = [Buffer.from(message, 'latin1'), result].map((bytes) =>
    splitParts(bytes).leaves.map((leaf) => [leaf.type, leafBytes(leaf).toString('latin1')]),
  )
  assert.deepEqual(after, before)
  assert.equal(after?.length, leaves)
  return result.toString('latin1')
}

const LONG = 'many plain words '.repeat(80)
const part = (fields: string, body: string): string => `--b\r\n${fields}\r\n${body}\r\n`
const mixed = (...parts: string[]): string =>
  `${HEAD}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts.join('')}--b--\r\n`

test('text is written in quoted-printable, and other content in base64', () => {
  const html = 'MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n'
  assert.match(
    assertSame(`${HEAD}${html}\r\n<p>${LONG}\r\n`),
    /\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>many/,
  )
  const eightBit = `${HEAD}${html}Content-Transfer-Encoding: 8bit\r\n\r\n${'gr\xc3\xbc\xc3\x9fe Ihnen '.repeat(100)}\r\n`
  assert.match(assertSame(eightBit), /\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\ngr=C3=BC=C3=9Fe/)
  const json = 'Content-Type: application/json\r\nContent-Transfer-Encoding: 7bit\r\n'
  assert.match(
    assertSame(`${HEAD}MIME-Version: 1.0\r\n${json}\r\n{"a":"${'x'.repeat(1000)}"}\r\n`),
    /: base64\r\n\r\neyJh/,
  )
  // Chinese text has few ASCII characters, so base64 is shorter than quoted-printable.
  const chinese = Buffer.from('你好世界'.repeat(100)).toString('latin1')
  assert.match(assertSame(`${HEAD}${html}\r\n${chinese}\r\n`), /Content-Transfer-Encoding: base64/)
})

test('a message without MIME fields gets those that its encoding needs', () => {
  assert.match(
    assertSame(`${HEAD}\r\n${LONG}\r\n`),
    /\r\nMIME-Version: 1\.0\r\nContent-Type: text\/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nmany/,
  )
  assert.match(assertSame(`${HEAD}\r\n\xfc${LONG}`), /charset=windows-1252\r\n/)
  assert.match(assertSame(`${HEAD}\r\n${'x'.repeat(5000)}`), /x=\r\nx/)
})

test('base64 and quoted-printable get shorter lines', () => {
  const data = Buffer.from(LONG.repeat(3)).toString('base64')
  const base64 = 'Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n'
  const one = assertSame(mixed(part(base64, data), part('', 'end')), 2)
  assert.ok(one.includes(`\r\n\r\n${data.slice(0, 76)}\r\n${data.slice(76, 152)}\r\n`))
  assertSame(`${HEAD}MIME-Version: 1.0\r\n${base64}\r\n${data}\r\n`)
  const quoted = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: Quoted-Printable\r\n'
  const text = `${'gr=C3=BC=C3=9Fe und =3D '.repeat(90)}=\r\nshort =\r\nlines\r\n${'a ='.repeat(400)}=20`
  assertSame(mixed(part(quoted, text)))
})

test('parts within parts are mended, with their headers, and so is what is around them', () => {
  const inner = `Content-Type: multipart/alternative;\r\n boundary=i\r\n\r\n--i\r\n\r\n${LONG}\r\n--i\r\nContent-Type: text/html\r\n\r\n<b>${LONG}\r\n--i--\r\n`
  const named = `Content-Type: text/csv; ${'a=b; '.repeat(300)}name=x\r\n`
  const result = assertSame(
    mixed(
      `preamble ${LONG}\r\n`,
      `--b\r\n${inner}`,
      part(named, 'short'),
      part('Content-Type: text/plain\r\n', `${LONG}\r\n`),
    ).replace('--b--', `--b--\r\n${LONG}`),
    4,
  )
  assert.equal(result.match(/Content-Transfer-Encoding: quoted-printable/g)?.length, 3)
})

test('a message within a message is mended without being encoded itself', () => {
  const forwarded = `From: b@c.example\r\nReferences: ${'<a@b.example> '.repeat(100)}\r\nContent-Type: text/html\r\n\r\n<p>${LONG}\r\n`
  const result = mended(mixed(part('Content-Type: message/rfc822\r\n', forwarded), part('', 'end')))
  assert.ok(Buffer.isBuffer(result))
  const [leaf] = splitParts(result).leaves
  assert.equal(leaf?.type, 'message/rfc822')
  assert.match(leaf.head.toString(), /^Content-Type: message\/rfc822\r\n$/)
  const [innermost] = splitParts(leaf.body).leaves
  assert.equal(leafBytes(innermost!).toString(), `<p>${LONG}\r\n`)
  assert.equal(longLineIn(result), -1)
})

test('signed and encrypted content is never changed: the line is named, with a remedy', () => {
  const signed = `Content-Type: multipart/signed; boundary=s\r\n\r\n--s\r\n\r\n${LONG}\r\n--s\r\nContent-Type: application/pgp-signature\r\n\r\nx\r\n--s--\r\n`
  const table: [message: string, line: number][] = [
    [`${HEAD}MIME-Version: 1.0\r\n${signed}`, 8],
    [mixed(`--b\r\n${signed}`), 11],
    [
      mixed(
        part(
          'Content-Type: application/pkcs7-mime\r\nContent-Transfer-Encoding: base64\r\n',
          'A'.repeat(1500),
        ),
      ),
      10,
    ],
    [
      mixed(
        part('Content-Type: application/pgp-encrypted\r\n', 'Version: 1'),
        part('Content-Type: application/octet-stream\r\n', 'A'.repeat(1500)),
      ),
      13,
    ],
    [`${HEAD}\r\nHello\r\n-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA512\r\n\r\n${LONG}\r\n`, 8],
    [mixed(part('Content-Type: message/rfc822\r\n', `From: b@c.example\r\n${signed}`)), 14],
  ]
  for (const [message, line] of table) {
    const result = mended(message)
    assert.ok(typeof result === 'string', message)
    assert.match(
      result,
      new RegExp(`^Line ${line} of the message is over 998 bytes, and the message is signed or encrypted`),
    )
    assert.equal(message.split('\r\n').findIndex((one) => one.length > 998) + 1, line)
  }
  // A message without long lines stays unchanged.
  const short = `${HEAD}MIME-Version: 1.0\r\n${signed.replace(LONG, 'short')}`
  assert.equal(mended(short).toString(), short)
})

test('content that cannot be mended is refused with its line', () => {
  const table: [message: string, problem: RegExp][] = [
    [
      mixed(part('Content-Transfer-Encoding: x-uuencode\r\n', LONG)),
      /^Line 9 of the message is over 998 bytes, in a part of the encoding x-uuencode/,
    ],
    [
      `${HEAD}Content-Transfer-Encoding: 7bit\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${LONG}`,
      /two transfer encodings: leave/,
    ],
    [mixed(part('Content-Type: message/delivery-status\r\n', 'x'.repeat(1500))), /^Line 9 .* no blank/],
    [mixed(part('', LONG).repeat(1_100)), /^Line 8 .* too many parts/],
  ]
  for (const [message, problem] of table) {
    const result = mended(message)
    assert.ok(typeof result === 'string')
    assert.match(result, problem)
  }
})

test('header lines are folded where their field takes white space, or encoded', () => {
  const ids = Array.from({ length: 60 }, (_, n) => `<message.${n}@b.example>`)
  const people = Array.from({ length: 45 }, (_, n) => `Reader ${n} <reader.${n}@b.example>`)
  const json = JSON.stringify({ a: 'x'.repeat(1500) })
  const table: [field: string, value: string][] = [
    ['To', people.join(', ')],
    ['Cc', people.join(',')],
    ['References', ids.join(' ')],
    ['References', ids.join('')],
    ['X-SMTPAPI', JSON.stringify({ a: ids }).replaceAll(',', ', ')],
    ['X-SMTPAPI', json],
    ['Subject', 'many words '.repeat(120).trim()],
    [
      'List-Unsubscribe',
      ids
        .slice(0, 20)
        .map((id) => `<https://a.example/${id.slice(1, 30)}${'x'.repeat(50)}>`)
        .join(','),
    ],
    ['Autocrypt', `addr=a@b.example; keydata=${'QUJD'.repeat(600)}`],
    ['Content-Disposition', `attachment; filename="${'x'.repeat(1_200)}.pdf"`],
  ]
  for (const [name, value] of table) {
    const result = mended(`From: app@example.test\r\n${name}: ${value}\r\n\r\nbody\r\n`)
    assert.ok(Buffer.isBuffer(result), `${name}: ${result}`)
    assert.equal(longLineIn(result), -1)
    const raw = parseRawMessage(result)
    assert.ok(isRawMessage(raw))
    const [field] = raw.byName().get(name.toLowerCase()) ?? []
    const plain = (text: string): string => text.replace(/\s+/g, '')
    if (name === 'Content-Disposition') assert.match(field!.value, /filename\*0\*=utf-8''x+; filename\*1\*=x/)
    else if (value === json) assert.match(field!.value, /^=\?utf-8\?Q\?/)
    else assert.equal(plain(field!.value), plain(value), name)
  }
  assert.match(
    String(mended(`From: app@example.test\r\nList-Help: <https://a.example/${'x'.repeat(1_000)}>\r\n\r\n`)),
    /^The List-Help field has more than 900/,
  )
})

test('headers of parts that are not UTF-8 are written in ASCII, those in UTF-8 stay', () => {
  const latin = 'Content-Type: text/csv;\r\n name="\xdcbersicht.csv"\r\nContent-Description: \xdc\r\n'
  const result = mended(mixed(part(latin, 'a\xfc'), part('Content-Type: a/b; name="\xc3\xbc"\r\n', 'b')))
  assert.equal(
    result.toString('latin1').slice(mixed().indexOf('--b--')),
    `--b\r\nContent-Type: text/csv;\r\n name*=utf-8''%C3%9Cbersicht.csv\r\nContent-Description: =?utf-8?B?w5w=?=\r\n\r\na\xfc\r\n--b\r\nContent-Type: a/b; name="\xc3\xbc"\r\n\r\nb\r\n--b--\r\n`,
  )
})

test('large and hostile bodies cost time in proportion', () => {
  const size = 300_000
  const bodies: [name: string, body: Buffer][] = [
    ['one line', Buffer.alloc(size, 'a')],
    ['blanks', Buffer.alloc(size, ' ')],
    ['bytes', Buffer.alloc(size, 0xe4)],
    ['equals signs', Buffer.alloc(size, '=')],
  ]
  for (const type of [
    'text/plain',
    'application/x',
    'multipart/mixed; boundary=q',
    'message/rfc822',
    'text/plain\r\nContent-Transfer-Encoding: quoted-printable',
    'text/plain\r\nContent-Transfer-Encoding: base64',
  ]) {
    for (const [name, body] of bodies) {
      const used = cpuWatch()
      mended(Buffer.concat([Buffer.from(`${HEAD}MIME-Version: 1.0\r\nContent-Type: ${type}\r\n\r\n`), body]))
      assert.ok(used() < 400, `${type}, ${name}`)
    }
  }
})
