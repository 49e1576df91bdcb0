import assert from 'node:assert/strict'
import { test } from 'node:test'
import { siteOf, siteOfRelay } from './site.ts'

const SITES: [readonly string[], string][] = [
  [['gmail-smtp-in.l.google.com', 'alt1.gmail-smtp-in.l.google.com'], 'google.com'],
  [['aspmx.l.google.com', 'alt1.aspmx.l.google.com', 'aspmx2.googlemail.com'], 'google.com+googlemail.com'],
  [['example-com.mail.protection.outlook.com'], 'outlook.com'],
  [['mx1.example.co.uk', 'mx2.example.co.uk'], 'example.co.uk'],
  [['b.test', 'a.example.org'], 'b.test+example.org'],
  [['customer.github.io'], 'github.io'],
  [['localhost'], 'localhost'],
  [['192.0.2.1'], '192.0.2.1'],
  [['example.com'], 'example.com'],
]

for (const [hosts, site] of SITES) {
  test(`${hosts.join(', ')} are ${site}`, () => {
    assert.equal(siteOf(hosts), site)
    assert.equal(siteOf([...hosts].reverse()), site)
  })
}

test('is bounded for deliberately confusing records', () => {
  const hosts = Array.from({ length: 50 }, (_, i) => `mx.${'a'.repeat(60)}${i}.example`)
  assert.equal(siteOf(hosts).length, 255)
})

test('a relay is a site of its own, and another one with other credentials', () => {
  const relay = { host: 'smtp.example.com', port: 587, auth: undefined }
  assert.equal(siteOfRelay(relay), 'relay:smtp.example.com:587')
  const siteOfLogin = (user: string, password: string) => siteOfRelay({ ...relay, auth: { user, password } })
  assert.match(siteOfLogin('u', 'secret'), /^relay:smtp\.example\.com:587:[0-9a-f]{16}$/)
  assert.equal(siteOfLogin('u', 'secret'), siteOfLogin('u', 'secret'))
  assert.equal(new Set([siteOfLogin('u', 'a'), siteOfLogin('u', 'b'), siteOfLogin('v', 'a')]).size, 3)
})
