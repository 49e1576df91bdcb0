import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guardEnvelope, guardName } from './wire-guard.ts'

const good = ['a@b.test', '"a b"@c.test', '"a\\"b<>"@c.test', 'jøe@grå.test', 'a@[192.0.2.1]', "o'x+y@z.test"]
const bad = [
  '',
  'a@b.test\r\nRCPT TO:<x@y.test>',
  'a@b.test\n',
  'a\0@b.test',
  'a b@c.test',
  'a@b.test> SIZE=1 <',
  '"a"b c"@d.test',
  '"a\r\n"@b.test',
  '"a\\\r"@b.test',
  '"a"@b c.test',
  'a@b.test\x7f',
]
for (const address of good) {
  test(`${JSON.stringify(address)} passes`, () => guardEnvelope({ from: address, recipients: [address] }))
}
for (const address of bad) {
  test(`${JSON.stringify(address)} does not`, () => {
    assert.throws(() => guardEnvelope({ from: '', recipients: [address] }), TypeError)
    if (address !== '')
      assert.throws(() => guardEnvelope({ from: address, recipients: ['a@b.test'] }), TypeError)
  })
}

test('an envelope needs a recipient', () => {
  assert.throws(() => guardEnvelope({ from: '', recipients: [] }), TypeError)
})

test('a HELO name is one word', () => {
  guardName('mx.test')
  guardName('[192.0.2.1]')
  for (const name of ['', 'a b', 'a\r\nb', 'é.test']) assert.throws(() => guardName(name), TypeError)
})
