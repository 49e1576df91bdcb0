// Texts that name an address, and those that have its characters in a longer one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonNamesAddress, mailNamesAddress, namesAddress, spellingsOf } from './address-mentions.ts'

const JO = spellingsOf('jo@x.example')

test('an address is spelt with its domain in A-labels and in Unicode', () => {
  assert.deepEqual(spellingsOf('jo@x.example'), ['jo@x.example'])
  assert.deepEqual(spellingsOf('jo@xn--bcher-kva.example'), ['jo@xn--bcher-kva.example', 'jo@bücher.example'])
  assert.deepEqual(spellingsOf('Änn@x.example'), ['Änn@x.example', 'änn@x.example'])
})

for (const text of [
  'jo@x.example',
  'JO@X.Example',
  '<jo@x.example>',
  'to jo@x.example.',
  'mailto:jo@x.example?subject=x',
  'rcpt=jo@x.example',
  "'jo@x.example'",
  '550-jo@x.example is unknown',
  'mojo@x.example, jo@x.example',
  '-jo@x.example-',
]) {
  test(`named: ${text}`, () => assert.equal(namesAddress(text, JO), true))
}

for (const text of [
  'mojo@x.example',
  'mo.jo@x.example',
  'mo+jo@x.example',
  'mo-jo@x.example',
  'ñjo@x.example',
  "o'jo@x.example",
  'jo@x.example.net',
  'jo@x.examples',
  'jo@x.example-shop.net',
  'jo at x.example',
  '',
]) {
  test(`not named: ${text}`, () => assert.equal(namesAddress(text, JO), false))
}

test('in JSON a string may begin with an escaped line break, and quotes are escaped', () => {
  assert.equal(jsonNamesAddress(JSON.stringify([{ answer: 'no\njo@x.example' }]), JO), true)
  assert.equal(jsonNamesAddress(JSON.stringify({ 'jo@x.example': 1 }), JO), true)
  assert.equal(jsonNamesAddress(JSON.stringify([{ answer: 'no\nmojo@x.example' }]), JO), false)
  const quoted = spellingsOf('"jo e"@x.example')
  assert.equal(jsonNamesAddress(JSON.stringify({ to: '"Jo E"@x.example' }), quoted), true)
  assert.equal(jsonNamesAddress('jo@x.example', JO), true)
})

test('an answer in JSON may be JSON, or a URL, in which what stands before an address is escaped', () => {
  const answers = [
    String.raw`{"error":"no user \u003cjo@x.example\u003e"}`,
    String.raw`{"error":"no user\njo@x.example"}`,
    'https://x.example/?to=%3Cjo@x.example%3E',
  ]
  for (const answer of answers) {
    assert.equal(jsonNamesAddress(JSON.stringify([{ answer }]), JO), true, answer)
    assert.equal(jsonNamesAddress(answer, JO), true, answer)
    const longer = answer.replace('jo@', 'mojo@')
    assert.equal(jsonNamesAddress(JSON.stringify([{ answer: longer }]), JO), false, longer)
  }
})

test('in a mail what stands before an address may be encoded', () => {
  for (const text of [
    'To: jo@x.example\r\n',
    'href=3Djo@x.example',
    'a=\r\njo@x.example',
    '%3Cjo@x.example%3E',
    'Subject: =?utf-8?Q?f=C3=BCr_jo@x.example?=',
  ])
    assert.equal(mailNamesAddress(Buffer.from(text), JO), true, text)
  for (const text of ['To: mojo@x.example\r\n', 'Subject: =?utf-8?Q?f=C3=BCr_mojo@x.example?='])
    assert.equal(mailNamesAddress(Buffer.from(text), JO), false, text)
})
