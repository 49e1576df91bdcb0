// Tests of decoding the text of a part.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leafText, splitParts } from './parts.ts'

function textOf(message: string | Buffer, most = 10_000): string {
  const [leaf] = splitParts(typeof message === 'string' ? Buffer.from(message, 'latin1') : message).leaves
  return leafText(leaf!, most)
}

test('transfer encodings and charsets', () => {
  const table: [head: string, body: string, text: string][] = [
    ['', 'plain', 'plain'],
    ['Content-Transfer-Encoding: 8bit\n', 'na\xc3\xafve', 'naïve'],
    ['', 'na\xefve', 'naïve'],
    ['Content-Type: text/plain; charset=utf-8\n', '\xff\xfe', 'ÿþ'],
    ['Content-Type: text/plain;\n charset="iso-8859-2"\n', 'b\xb3\xb1d', 'błąd'],
    ['Content-Type: text/plain; charset=koi8-r\n', '\xd1\xdd\xc9\xcb', 'ящик'],
    ['Content-Type: text/plain; charset=x-nobody-knows\n', 'na\xc3\xafve', 'naïve'],
    ['Content-Type: text/plain; charset=cp20127\n', 'na\xc3\xafve', 'naïve'],
    ['Content-Type: text/plain; charset=ibm367\n', 'na\xc3\xafve', 'naïve'],
    ['Content-Transfer-Encoding: QUOTED-PRINTABLE\n', 'a=C3=A4=\n b=3D=  \r\nc =ZZ', 'aä b=c =ZZ'],
    ['Content-Transfer-Encoding: base64\n', 'w6TD\ntsO8*', 'äöü'],
    [
      'Content-Transfer-Encoding: base64\nContent-Type: text/plain; charset=iso-2022-jp\n',
      'GyRCMDgwOBsoQg==',
      '宛宛',
    ],
  ]
  for (const [head, body, text] of table) assert.equal(textOf(`${head}\n${body}`), text, head)
})

test('only the first bytes are read', () => {
  assert.equal(textOf(`\n${'x'.repeat(100)}`, 10), 'x'.repeat(10))
})
