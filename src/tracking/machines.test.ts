// Distinction between hits by machines and hits by people, by the client in the request.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Machines } from './machines.ts'

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0 Safari/537.36'
const machines = new Machines(['192.0.2.0/24', '2001:db8::/32'])

const reason = (
  headers: Record<string, string>,
  { isOpen = false, method = 'GET', address = '198.51.100.7' } = {},
): string => machines.reason({ method, headers, address }, isOpen) ?? 'a person'

describe('a hit', () => {
  test('of a browser or a mail program, by a proxy of a mail service too, is a person', () => {
    for (const userAgent of [
      CHROME,
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148',
      'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
      'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
      'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Microsoft Outlook 16.0.4266; ms-office; MSOffice 16)',
      'Thunderbird/140.0',
      'Outlook-iOS/709.2226530.prod.iphone (3.24.1)',
    ]) {
      for (const isOpen of [true, false]) {
        assert.equal(reason({ 'user-agent': userAgent }, { isOpen }), 'a person', userAgent)
      }
    }
    assert.equal(reason({ 'user-agent': CHROME, purpose: 'navigate' }), 'a person')
  })

  test('of a program is a machine', () => {
    for (const userAgent of [
      ...['', ' ', 'curl/8.9', 'python-requests/2.32', 'Go-http-client/1.1', 'BarracudaCentral'],
      ...['Mozilla/5.0 (compatible; BingPreview/1.0b)', 'Slackbot-LinkExpanding 1.0', 'WhatsApp/2.23'],
      ...['Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/149.0 Safari/537.36'],
    ]) {
      assert.equal(reason({ 'user-agent': userAgent }), 'user_agent', userAgent)
    }
    assert.equal(reason({}), 'user_agent')
  })

  test('that prefetches, or asks only for the header, is a machine', () => {
    const agent = { 'user-agent': CHROME }
    assert.equal(reason({ ...agent, 'sec-purpose': 'prefetch;prerender' }), 'prefetch')
    assert.equal(reason({ ...agent, purpose: 'prefetch' }), 'prefetch')
    assert.equal(reason({ ...agent, 'x-purpose': 'preview' }), 'prefetch')
    assert.equal(reason({ ...agent, 'x-moz': 'prefetch' }), 'prefetch')
    assert.equal(reason(agent, { method: 'HEAD' }), 'head')
  })

  test('of the privacy proxy of Apple is a machine, only for images', () => {
    assert.equal(reason({ 'user-agent': 'Mozilla/5.0' }, { isOpen: true }), 'privacy_proxy')
    assert.equal(reason({ 'user-agent': 'Mozilla/5.0' }), 'user_agent')
  })

  test('from a network of mail filters is a machine, known or configured', () => {
    const from = (address: string) => reason({ 'user-agent': CHROME }, { address })
    for (const address of ['17.58.1.2', '::ffff:17.58.1.2', '67.231.149.1', '192.0.2.9', '2001:db8::9']) {
      assert.equal(from(address), 'scanner_network', address)
    }
    assert.equal(from('18.0.0.1'), 'a person')
    assert.equal(from('not an address'), 'a person')
  })
})
