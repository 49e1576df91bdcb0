// The relaxed forms of body and header.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { relaxedBodyHash } from './relaxed-body.ts'
import { signedFields } from './signed-fields.ts'

const sha256 = (text: string): string => createHash('sha256').update(text, 'latin1').digest('base64')

/** Returns the relaxed body by a literal implementation of RFC 6376 §3.4.4. */
function relaxedBody(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''))
  while (lines.length > 0 && lines.at(-1) === '') lines.pop()
  return lines.map((line) => `${line}\r\n`).join('')
}

test('hashes the relaxed body, case by case', () => {
  const table: [body: string, relaxed: string][] = [
    ['', ''],
    ['\r\n', ''],
    [' \t\r\n \r\n\r\n', ''],
    [' C \r\nD \t E\r\n\r\n\r\n', ' C\r\nD E\r\n'], // RFC 6376 §3.4.5
    ['a', 'a\r\n'],
    ['a ', 'a\r\n'],
    ['a\r\n', 'a\r\n'],
    ['a\r\n\t\r\nb\t\tc\r\n \r\n', 'a\r\n\r\nb c\r\n'],
    ['\r\n\r\na\r\n', '\r\n\r\na\r\n'],
    ['\ta\tb\t\r\n', ' a b\r\n'],
    ['a b c\r\n', 'a b c\r\n'],
    ['\xa0 \xa0\r\n', '\xa0 \xa0\r\n'],
  ]
  for (const [body, relaxed] of table) {
    assert.equal(relaxedBody(body), relaxed)
    assert.equal(relaxedBodyHash(Buffer.from(body, 'latin1')), sha256(relaxed), JSON.stringify(body))
  }
  // RFC 6376 §3.4.4 states this hash of the empty body.
  assert.equal(relaxedBodyHash(Buffer.alloc(0)), '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=')
})

test('hashes the relaxed form of any body', () => {
  const piece = fc.constantFrom(' ', '\t', '\r\n', 'a', 'bc', '\xff', '  ', '\r\n\r\n')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const body = pieces.join('')
      assert.equal(relaxedBodyHash(Buffer.from(body, 'latin1')), sha256(relaxedBody(body)))
    }),
    { numRuns: 3000 },
  )
})

test('hashes long bodies, with lines of any length', () => {
  const lines = [
    'x'.repeat(76),
    ' a  b \t',
    '',
    'y'.repeat(300_000),
    ' '.repeat(300_000),
    `${' '.repeat(300_000)}z`,
  ]
  for (const times of [1, 3, 20_000]) {
    for (const line of lines) {
      if (times * line.length > 4_000_000) continue
      for (const end of ['', 'end', ' \r\n']) {
        const body = `${line}\r\n`.repeat(times) + end
        assert.equal(relaxedBodyHash(Buffer.from(body)), sha256(relaxedBody(body)))
      }
    }
  }
})

test('covers each field as often as it occurs, important ones once more, the last of several first', () => {
  const { names, relaxed } = signedFields([
    { name: 'X-Other', raw: 'X-Other: a\r\n' },
    { name: 'FROM', raw: 'FROM:  a\t\tb\r\n \r\n c\t \r\n' },
    { name: 'References', raw: 'References: 1\r\n' },
    { name: 'Subject', raw: 'Subject: first\r\n' },
    { name: 'references', raw: 'references:2\r\n' },
    { name: 'Subject', raw: 'Subject:\r\n\tsecond\xa0\r\n' },
    { name: 'To', raw: 'To: \r\n' },
  ])
  assert.deepEqual(names, [
    ...['From', 'From', 'To', 'To', 'Cc', 'Subject', 'Subject', 'Subject', 'Date', 'Reply-To', 'Message-ID'],
    ...[
      'MIME-Version',
      'Content-Type',
      'List-Unsubscribe',
      'List-Unsubscribe-Post',
      'References',
      'References',
    ],
  ])
  assert.equal(
    relaxed,
    'from:a b c\r\nto:\r\nsubject:second\xa0\r\nsubject:first\r\nreferences:2\r\nreferences:1\r\n',
  )
})
