// Tests of fields with a grammar: IDs, links and addresses stay unencoded, and all other text reads back unchanged.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeWords } from 'postal-mime'
import { compose } from './compose.ts'

const field = (name: string, value: string): string => {
  const { headers } = compose({
    from: { email: 'shop@example.com' },
    to: [{ email: 'reader@example.net' }],
    subject: 's',
    messageId: '01J@example.com',
    date: 0,
    text: 'x',
    headers: [[name, value]],
  })
  const found = headers.find((one) => one.name === name)?.raw ?? ''
  assert.ok(found.split('\r\n').every((line) => line.length <= 998 && !/[^\0-\x7f]/.test(line)))
  return found
    .slice(name.length + 2)
    .replace(/\r\n(?=[ \t])/g, '')
    .replace('\r\n', '')
}

const PLAIN: readonly (readonly [name: string, value: string, expected?: string])[] = [
  ['List-ID', 'Grüße aus dem Laden <news.example.test>', '«Grüße aus dem Laden» <news.example.test>'],
  ['List-Id', '"Neues, Grüße" <news.example.test>', '«"Neues, Grüße"» <news.example.test>'],
  ['List-ID', '=?utf-8?Q?Gr=C3=BC=C3=9Fe?= <news.example.test>', '«Grüße» <news.example.test>'],
  ['List-ID', `${'Laden '.repeat(30)}<news.example.test>`],
  [
    'List-Post',
    '<mailto:list@example.test> (nur für Mitglieder)',
    '<mailto:list@example.test> («nur für Mitglieder»)',
  ],
  ['List-Help', '<https://example.test/hilfe/für?a=ü>', '<https://example.test/hilfe/f%C3%BCr?a=%C3%BC>'],
  [
    'List-Help',
    '<mailto:hilfe@example.test?subject=Grüße>',
    '<mailto:hilfe@example.test?subject=Gr%C3%BC%C3%9Fe>',
  ],
  ['List-Archive', '<https://bücher.example/>', '<https://xn--bcher-kva.example/>'],
  ['References', `<a@x> <${'b'.repeat(200)}@x> <c@x>`],
  ['In-Reply-To', 'Grüße <a@x>', '«Grüße» <a@x>'],
  ['Supersedes', '<=?x?=@example.com>'],
  [
    'Disposition-Notification-To',
    'Jürgen <j@example.com>, k@example.com',
    '«Jürgen» <j@example.com>, k@example.com',
  ],
  ['Disposition-Notification-To', '=?utf-8?Q?J=C3=BCrgen?= <j@example.com>', '«Jürgen» <j@example.com>'],
  ['Errors-To', 'Grüße an alle <e@example.com>', '«Grüße an alle» <e@example.com>'],
  ['X-Campaign', 'Frühling <spring-1>', '«Frühling» <spring-1>'],
  ['X-Reply-Chain', '<a@x>, <b@x> für <c@x>', '<a@x>, <b@x> «für» <c@x>'],
  ['Keywords', 'Tee, Grüße, Kaffee', 'Tee, «Grüße», Kaffee'],
  ['X-Text', 'a <b>ü</b> c', '«a <b>ü</b> c»'],
  ['X-Comparison', 'ü < 5 > 3', '«ü < 5 > 3»'],
]
const ENCODED = /=\?utf-8\?[BQ]\?[^?]*\?=(?:[ \t]+=\?utf-8\?[BQ]\?[^?]*\?=)*/g

for (const [name, value, expected = value] of PLAIN) {
  test(`${name}: ${value.slice(0, 60)}`, () => {
    const written = field(name, value)
    assert.equal(
      written.replace(ENCODED, (words) => `«${decodeWords(words)}»`),
      expected,
    )
    // Parsers read a custom field back unchanged, except for links, which are written as URIs.
    if (!/%C3|xn--|\(«/.test(expected)) assert.equal(decodeWords(written), decodeWords(value))
  })
}

test('long words in ASCII are folded where the grammar has a place for it', () => {
  const link = `<https://example.test/${'a'.repeat(2_000)}>`
  assert.equal(
    field('List-Unsubscribe', `${link},<mailto:a@example.test>`).replace(/ /g, ''),
    `${link},<mailto:a@example.test>`,
  )
  const ids = Array.from({ length: 80 }, (_, index) => `<${index}-${'i'.repeat(30)}@x>`)
  assert.equal(field('References', ids.join('')), ids.join(' '))
  const json = JSON.stringify({ list: Array.from({ length: 300 }, (_, index) => index), text: 'a, "b",c' })
  const written = field('X-SMTPAPI', json)
  assert.doesNotMatch(written, /=\?/)
  assert.deepEqual(JSON.parse(written), JSON.parse(json))
})

test('a word that nothing can fold is encoded', () => {
  const word = 'x'.repeat(2_000)
  assert.equal(decodeWords(field('X-Token', word)), word)
})
