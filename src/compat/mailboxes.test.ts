// Tests reading the addresses of a message.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMailboxList } from '../mime/read-mailboxes.ts'
import { plainMailbox, readMailboxes } from './mailboxes.ts'

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

test('a plain mailbox is what the parser reads', () => {
  for (const text of ['ann@example.net', 'Ann <ann@example.net>', 'Ann B 2 <a.b+c@example.net>', 'x <y@z>']) {
    const [found] = parseMailboxList(text)
    const { email, name = '' } = plainMailbox(text) ?? { email: '' }
    assert.deepEqual({ address: email, name }, { address: found?.address, name: found?.name })
  }
  for (const text of [
    'Ann  B <a@b>',
    'A, B <a@b>',
    '"A" <a@b>',
    'Ann <a@b>, c@d',
    '=?x?= <a@b>',
    'Zoë <a@b>',
    'group: a@b;',
  ])
    assert.equal(plainMailbox(text), undefined, text)
})
