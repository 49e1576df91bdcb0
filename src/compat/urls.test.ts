// Tests which requests have the form of another service.

import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, test } from 'node:test'
import type { Vendor, VendorCall } from './declaration.ts'
import { CompatibleUrls, type Places } from './urls.ts'

const call = (path: string): VendorCall => ({
  ...{ method: 'GET', path, noun: 'x', summary: 'x', scope: 'messages:read', state: 'served' },
})
const vendor = (more: Partial<Vendor>): Vendor => ({
  ...{ name: 'postmark', title: 'Postmark', secretOf: () => undefined, calls: [] },
  refusal: () => ({ status: 400, body: '' }),
  ...more,
})
const CALLS = [
  ...['/email', '/email/withTemplate', '/bounces/:id', '/bounces/tags', '/bounces/:id/dump'],
].map(call)
const NOWHERE: Places = { hosts: new Map(), isAtRoot: false }

const rewriting = (places: Partial<Places>, vendors = [vendor({ calls: CALLS })]) => {
  const { rewrite } = new CompatibleUrls(vendors, { ...NOWHERE, ...places })
  return (url: string, headers: Record<string, string> = {}): string =>
    rewrite({ url, headers } as unknown as IncomingMessage)
}

describe('the URLs of other services', () => {
  test('are below /compat, in any case of letters and with slashes at the end', () => {
    const rewrite = rewriting({})
    const cases = {
      '/compat/postmark/email': '/compat/postmark/email',
      '/compat/Postmark/Email/withtemplate/?a=B': '/compat/postmark/email/withTemplate?a=B',
      '/compat/postmark//bounces//AbC/': '/compat/postmark/bounces/AbC',
      '/compat/postmark/BOUNCES/tags': '/compat/postmark/bounces/tags',
      '/compat/postmark/bounces/TAGS/dump': '/compat/postmark/bounces/TAGS/dump',
      '/compat/postmark/nothing/': '/compat/postmark/nothing',
      '/compat/postmark': '/compat/postmark/',
      '/compat/postmark?x=/': '/compat/postmark/?x=/',
    }
    for (const [url, expected] of Object.entries(cases)) assert.equal(rewrite(url), expected, url)
  })

  test('of the installation itself and of unknown services stay as they are', () => {
    const rewrite = rewriting({})
    for (const url of ['/', '/v1/messages/', '/email', '/compat', '/compat/other/email', '/compat/', '*'])
      assert.equal(rewrite(url), url)
  })

  test('are at the root of a named host, except for challenges of a certificate authority', () => {
    const rewrite = rewriting({ hosts: new Map([['pm.example.com', 'postmark']]) })
    const host = 'PM.example.com:8443'
    assert.equal(rewrite('/Email', { host }), '/compat/postmark/email')
    assert.equal(rewrite('/v1/messages', { host }), '/compat/postmark/v1/messages')
    assert.equal(rewrite('/.well-known/acme-challenge/x', { host }), '/.well-known/acme-challenge/x')
    assert.equal(rewrite('/email', { host: 'mail.example.com' }), '/email')
    assert.equal(rewrite('/email'), '/email')
  })

  test('with a version are at every root; the credential tells services with the same path apart', () => {
    const calls = ['/v3/templates', '/v3/mail/send'].map(call)
    const vendors = [
      vendor({ calls, atRoot: { paths: ['/v3/'], scheme: 'bearer' } }),
      vendor({ name: 'other' as 'postmark', calls, atRoot: { paths: ['/v3/', '/v4/'], scheme: 'basic' } }),
    ]
    const rewrite = rewriting({ isAtRoot: true }, vendors)
    assert.equal(rewrite('/v3/templates', { authorization: 'Bearer x' }), '/compat/postmark/v3/templates')
    assert.equal(rewrite('/v3/templates', { authorization: 'basic x' }), '/compat/other/v3/templates')
    assert.equal(rewrite('/v3/templates'), '/compat/postmark/v3/templates')
    assert.equal(rewrite('/v4/x'), '/compat/other/v4/x')
    assert.equal(rewrite('/v1/messages'), '/v1/messages')
    assert.equal(rewriting({}, vendors)('/v3/templates'), '/v3/templates')
  })

  test('of hostile length are not looked up', () => {
    const parts = '/a'.repeat(5_000)
    assert.equal(rewriting({})(`/compat/postmark${parts}`), `/compat/postmark${parts}`)
  })
})
