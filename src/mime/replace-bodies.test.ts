// Tests of replacing bodies: the bytes between the bodies stay, and the parts are split as before.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bodiesOf } from './bodies.ts'
import { editedText, readBodyText, withCrlf } from './body-text.ts'
import { leafText, splitParts } from './parts.ts'
import { encoded, safeEncoding, withBodies } from './replace-bodies.ts'

/** Puts a text before each body of the message. */
function edited(message: string, by = 'PUT IN ') {
  const whole = Buffer.from(message, 'latin1')
  const bodies = bodiesOf(whole)
  assert.ok(typeof bodies !== 'string')
  const replaced = bodies.map(({ leaf }) => {
    const body = withCrlf(editedText(readBodyText(leaf)!, { start: 0, end: 0, by }))
    return { leaf, body, encoding: safeEncoding(leaf, body.bytes) }
  })
  return { ...withBodies(whole, replaced), replaced }
}

const HEAD = 'Subject: x\r\nMIME-Version: 1.0\r\n'
const CASES: Readonly<Record<string, string>> = {
  'a text without fields': `Subject: x\r\n\r\nHello\r\n`,
  'an 8-bit text without a label': `Subject: x\r\n\r\nGr\xc3\xbc\xc3\x9fe\r\n`,
  'fields that are folded, doubled and odd': `content-type:\r\n text/html;\r\n\tCHARSET="us-ascii"; x=y\r\nContent-transfer-encoding :  7bit\r\nContent-Transfer-Encoding: 7bit\r\nContent-MD5:\r\n Q2hlY2sgSW50ZWdyaXR5IQ==\r\nSubject: x\r\n\r\n<p>Gr\xfc\xdfe</p>`,
  base64: `${HEAD}Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\nR3LDvMOfZQo=\r\n`,
  'parts with a preamble and an epilogue': `${HEAD}Content-Type: multipart/mixed; boundary="a b"\r\n\r\npreamble\r\n--a b  \r\n\r\none\r\n\r\n--a b\r\nContent-Type: text/html\r\n\r\n<p>two</p>\r\n--a b--\r\nepilogue\r\n--a b\r\n`,
  'parts that look like delimiters once they are decoded': `${HEAD}Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=2D-b\r\n=2D-b--\r\nx\r\n--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from('--b--\r\n--b\r\n').toString('base64')}\r\n--b--\r\n`,
  'lines that are broken where a delimiter would begin': `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${Array.from({ length: 90 }, (_, length) => `${'x'.repeat(length + 1)}--b`).join('\r\n')}\r\n--b\r\nContent-Type: text/plain; name=f\r\n\r\nfile\r\n--b--\r\n`,
  'encodings with more than their name': `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Transfer-Encoding: quoted-printable;\r\n\r\n=3Dx\r\n--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64 (of old)\r\nContent-Transfer-Encoding: base64\r\n\r\nR3LDvMOfZQo=\r\n--b--\r\n`,
  'empty parts': `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\nx\r\n--b--`,
}

describe('replaced bodies', () => {
  for (const [what, message] of Object.entries(CASES)) {
    test(`in ${what} read as what was put in, all else as before`, () => {
      const whole = Buffer.from(message, 'latin1')
      const before = splitParts(whole).leaves
      const { message: made, places, replaced } = edited(message)
      const after = splitParts(made).leaves
      assert.equal(after.length, before.length)
      const isEdited = (index: number) => replaced.some(({ leaf }) => leaf.body.equals(before[index]!.body))
      for (const [index, leaf] of after.entries()) {
        if (!isEdited(index))
          assert.deepEqual([leaf.head, leaf.body], [before[index]!.head, before[index]!.body])
        else assert.equal(leafText(leaf, 1e6), `PUT IN ${withCrlf(readBodyText(before[index]!)!).text}`)
      }
      // Nothing outside of the parts changes.
      const outside = (whole: Buffer, leaves: typeof before) => {
        let rest = ''
        let from = 0
        for (const { head, body } of leaves) {
          rest += `${whole.toString('latin1', from, head.byteOffset - whole.byteOffset)}\0`
          from = body.byteOffset - whole.byteOffset + body.length
        }
        return rest + whole.toString('latin1', from)
      }
      assert.equal(outside(made, after), outside(whole, before))
      const start = made.indexOf('\r\n\r\n') + 4
      for (const [index, [from, to]] of places.entries()) {
        const { body, encoding } = replaced[index]!
        assert.deepEqual(made.subarray(start + from, start + to), encoded(body.bytes, encoding))
      }
      assert.ok(
        made
          .toString('latin1')
          .split('\r\n')
          .every((line) => line.length <= 998),
      )
    })
  }

  test('have encodings that every reader knows', () => {
    const { message } = edited(CASES['encodings with more than their name']!)
    const given = message.toString('latin1').match(/content-transfer-encoding.*/gi)
    assert.deepEqual(given, [
      'Content-Transfer-Encoding: quoted-printable',
      'Content-Transfer-Encoding: base64',
    ])
  })

  test('have fields that say so once, and a message of them is MIME', () => {
    const { message } = edited(CASES['fields that are folded, doubled and odd']!)
    const text = message.toString('latin1')
    assert.match(text, /^content-type:\r\n text\/html; x=y;\r\n charset=windows-1252\r\nSubject: x\r\n/i)
    assert.equal(text.match(/content-transfer-encoding/gi)?.length, 1)
    assert.match(text, /\r\nMIME-Version: 1\.0\r\n/)
  })
})
