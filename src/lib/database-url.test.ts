// Tests of database URLs with one host and with several hosts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostOf, hostUrls } from './database-url.ts'

test('each host has its own URL', () => {
  const rest = '/name?target_session_attrs=read-write&sslmode=require'
  assert.deepEqual(hostUrls(`postgres://u:p%40w@one:5432,[::1]:5433,three${rest}`), [
    `postgres://u:p%40w@one:5432${rest}`,
    `postgres://u:p%40w@[::1]:5433${rest}`,
    `postgres://u:p%40w@three${rest}`,
  ])
  assert.deepEqual(hostUrls('postgresql://one/name'), ['postgresql://one/name'])
  assert.deepEqual(hostUrls('postgres://u:a,b@one,two/n').map(hostOf), ['one', 'two'])
  const socket = 'postgres:///name?host=/run/postgresql'
  assert.deepEqual(hostUrls(socket), [socket])
  assert.equal(hostOf(socket), '/run/postgresql')
})

for (const [url, sentence] of [
  ['mysql://one/name', /begins with postgres:\/\//],
  ['one:5432', /begins with postgres:\/\//],
  ['postgres://u:secret@one:5432,/name', /must name its hosts/],
  ['postgres://u:secret@,one/name', /must name its hosts/],
  ['postgres://u:secret@one:99999/name', /must name its hosts/],
  ['postgres://u:secret@one,two/name?target_session_attrs=any', /every node writes/],
  ['postgres://u:secret@one/name?target_session_attrs=standby', /every node writes/],
] as const) {
  test(`${url} is refused with a sentence without its password`, () => {
    assert.throws(
      () => hostUrls(url),
      ({ message }: Error) => sentence.test(message) && !message.includes('secret'),
    )
  })
}
