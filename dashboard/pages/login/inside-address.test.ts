// The target of a login is always a page of the dashboard, in whatever form the URL is written.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insideAddress } from './inside-address.ts'

const ORIGIN = 'https://mail.example.com'

test('a login goes on to the page that was asked for', () => {
  for (const to of ['/account/profile', '/domains/a/messages?status=deferred', '/addresses/a%40b.example']) {
    assert.equal(insideAddress(to, ORIGIN), `${ORIGIN}${to}`)
  }
})

test('a login leads to no other site, and not back to itself', () => {
  const elsewhere = [
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r\n\\evil.example',
  ]
  const others = [
    'https://evil.example',
    'javascript:alert(1)',
    'evil.example',
    '',
    '/login?to=/x',
    '/\tlogin',
  ]
  for (const to of [...elsewhere, ...others]) assert.equal(insideAddress(to, ORIGIN), '/', JSON.stringify(to))
  // A path that begins with two slashes stays a path on the same host.
  for (const to of ['/.//evil.example', '/..//evil.example']) {
    assert.equal(new URL(insideAddress(to, ORIGIN), ORIGIN).origin, ORIGIN, to)
  }
})
