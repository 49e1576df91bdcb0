import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRelay, shownRelay } from './route-settings.ts'

test('a URL names host, port, TLS and credentials', () => {
  const auth = { user: 'me@example.com', password: 'p:w/d' }
  assert.deepEqual(parseRelay('smtp://me%40example.com:p%3Aw%2Fd@Relay.example.com'), {
    host: 'relay.example.com',
    port: 587,
    implicitTls: false,
    verify: true,
    auth,
  })
  assert.deepEqual(parseRelay('smtps://10.0.0.1/?verify=no'), {
    host: '10.0.0.1',
    port: 465,
    implicitTls: true,
    verify: false,
    auth: undefined,
  })
  assert.equal(parseRelay('smtp://[2001:db8::1]:25').host, '2001:db8::1')
})

test('is shown without its password', () => {
  const shown = (url: string) => shownRelay(parseRelay(url))
  assert.equal(shown('smtp://u%40x:secret@host:2525'), 'smtp://u%40x:********@host:2525')
  assert.equal(shown('smtps://[2001:db8::1]'), 'smtps://[2001:db8::1]:465')
})

for (const url of [
  '',
  'relay.example.com',
  'http://relay.example.com',
  'smtp://',
  'smtp://host/path',
  'smtp://host?verify=maybe',
  'smtp://host?x=y',
  'smtp://host#x',
  'smtp://us%er:p@host',
  'smtp://u%00:p@host',
]) {
  test(`is not ${JSON.stringify(url)}`, () => {
    assert.throws(() => parseRelay(url), /^Error: (must be|contains|has)/)
  })
}
