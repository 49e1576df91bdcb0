// The account and the tag of an address, as the mail provider interprets the local part.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Address, parseAddress } from '../model/address.ts'
import { accountOf } from './local-part.ts'

test('what stands before and behind the separator', () => {
  const rows: [string, string, string?][] = [
    ['user@example.com', 'user'],
    ['user+news@example.com', 'user', 'news'],
    ['John.Smith+News@gmail.com', 'John.Smith', 'News'],
    ['user+a+b@example.com', 'user', 'a+b'],
    ['user+@example.com', 'user'],
    ['+user@example.com', '+user'],
    ['user-news@example.com', 'user-news'],
    ['nick-shop@yahoo.com', 'nick', 'shop'],
    ['nick-shop@yahoo.co.uk', 'nick', 'shop'],
    ['nick+shop@ymail.com', 'nick', 'shop'],
    ['nick-shop@yahoo-inc.com', 'nick-shop'],
    ['"a+b c"@example.com', '"a+b c"'],
    ['жалоба+тест@example.com', 'жалоба', 'тест'],
    ['bounces+user=example.org@example.com', 'bounces', 'user=example.org'],
  ]
  for (const [email, account, tag] of rows) {
    const found = accountOf(parseAddress(email) as Address)
    assert.deepEqual(found, { account, ...(tag === undefined ? {} : { tag }) }, email)
  }
})
