// Tests of unsubscribe tokens, which are constant, bound to their subject and not forgeable, and of placeholders in
// bodies.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  hasUnsubscribeMark,
  putUnsubscribeUrl,
  readUnsubscribeToken,
  tokenOfAddress,
  UNSUBSCRIBE_MARK,
  unsubscribeAddress,
  unsubscribeToken,
  unsubscribeUrl,
} from './unsubscribe-link.ts'

const subject = { domainId: 'dom_1', stream: 'news', email: 'a@b.example' }
const token = unsubscribeToken('secret', subject)

test('a token is short, always the same, and different for every other subject', () => {
  assert.match(token, /^[a-z2-7]{26}$/)
  assert.equal(unsubscribeToken('secret', { ...subject }), token)
  const others = [
    unsubscribeToken('other', subject),
    unsubscribeToken('secret', { ...subject, domainId: 'dom_2' }),
    unsubscribeToken('secret', { ...subject, stream: 'news2' }),
    unsubscribeToken('secret', { ...subject, email: 'a@b.example2' }),
    unsubscribeToken('secret', { domainId: 'dom_1', stream: 'news","a', email: 'b.example' }),
  ]
  assert.equal(new Set([token, ...others]).size, others.length + 1)
})

test('a token is accepted in upper case too, and others are refused', () => {
  assert.equal(readUnsubscribeToken('secret', token), token)
  assert.equal(readUnsubscribeToken('secret', token.toUpperCase()), token)
  assert.equal(readUnsubscribeToken('other', token), undefined)
  for (let at = 0; at < token.length; at++) {
    for (const letter of 'a7') {
      const changed = token.slice(0, at) + letter + token.slice(at + 1)
      if (changed !== token) assert.equal(readUnsubscribeToken('secret', changed), undefined)
    }
  }
  for (const text of ['', token.slice(1), `${token}a`, `${token}\n`, '1'.repeat(26), 'ſ'.repeat(26)]) {
    assert.equal(readUnsubscribeToken('secret', text), undefined)
  }
})

test('a token is in a URL and in an address, both short', () => {
  const url = unsubscribeUrl('https://mail.example.com', token)
  assert.equal(url, `https://mail.example.com/u/${token}`)
  const address = unsubscribeAddress(token, 'example.com')
  assert.equal(address, `unsubscribe+${token}@bounces.example.com`)
  // Some Microsoft systems do not accept a longer List-Unsubscribe field.
  assert.ok(`<${url}>, <mailto:${address}?subject=unsubscribe>`.length < 255)
  assert.equal(tokenOfAddress('secret', address.split('@')[0] as string), token)
  assert.equal(tokenOfAddress('secret', `UNSUBSCRIBE+${token.toUpperCase()}`), token)
  for (const local of ['unsubscribe', 'unsubscribe+', `bounces+${token}`, `unsubscribe+${token}a`]) {
    assert.equal(tokenOfAddress('secret', local), undefined)
  }
})

test('the link replaces the mark in a body, with any spacing', () => {
  for (const mark of [
    UNSUBSCRIBE_MARK,
    '{{{@unsubscribe_url}}}',
    '{{ @unsubscribe_url }}',
    '{{&@unsubscribe_url}}',
  ]) {
    assert.ok(hasUnsubscribeMark(`a${mark}b`))
    assert.equal(putUnsubscribeUrl(`${mark} ${mark}`, 'https://x/$&'), 'https://x/$& https://x/$&')
  }
  for (const none of ['', '@unsubscribe_url', '{ @unsubscribe_url }', '{{unsubscribe_url}}']) {
    assert.equal(hasUnsubscribeMark(none), false)
    assert.equal(putUnsubscribeUrl(none, 'x'), none)
  }
})
