// Tests reading the addresses of a message.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMailboxes } from './mailboxes.ts'

test('reads addresses with and without names, and lists of them', () => {
  assert.deepEqual(readMailboxes(' ann@example.net '), [{ email: 'ann@example.net' }])
  assert.deepEqual(readMailboxes('Ann <ann@example.net>, bob@example.net'), [
    { email: 'ann@example.net', name: 'Ann' },
    { email: 'bob@example.net' },
  ])
  assert.deepEqual(readMailboxes('"Kurz, Olga" <olga@example.net>'), [
    { email: 'olga@example.net', name: 'Kurz, Olga' },
  ])
  assert.deepEqual(readMailboxes('=?utf-8?q?J=C3=BCrgen?= <j@example.net>'), [
    { email: 'j@example.net', name: 'Jürgen' },
  ])
  assert.deepEqual(readMailboxes('  '), [])
})

test('keeps an entry without an address, so that the check of addresses names it', () => {
  assert.deepEqual(readMailboxes('nobody'), [{ email: 'nobody' }])
  assert.deepEqual(
    readMailboxes('ann@example.net, nobody').map(({ email }) => email),
    ['ann@example.net', 'nobody'],
  )
})
