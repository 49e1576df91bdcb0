// Tests SMTP logins in the form of other services.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { vendorOfLogin } from './vendor-logins.ts'

test('a user name tells the service', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['resend', 'Resend'],
    ['send_abc', 'Postmark'],
    ['ApiKey', 'SendGrid'],
    ['postmaster@example.com', 'Mailgun'],
    ['acme/shop', 'Postal'],
    ['usesend', 'useSend'],
    ['someone', undefined],
  ]
  for (const [username, title] of cases) {
    assert.equal(vendorOfLogin({ username, password: 'send_abc' })?.title, title, username)
  }
})

test('the fields of Postmark become our service fields', () => {
  const read = (name: string, value: string) =>
    vendorOfLogin({ username: 'send_abc', password: 'send_abc' })
      ?.readFields([{ name, value, raw: `${name}: ${value}\r\n` }], 0)
      .fields.map((field) => field.raw)
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['X-PM-Tag', ' welcome', ['X-Tag: welcome\r\n']],
    ['x-pm-metadata-Order', '7', ['X-Metadata-Order: 7\r\n']],
    ['X-PM-Message-Stream', 'outbound', ['X-Stream: transactional\r\n']],
    ['X-PM-Message-Stream', 'broadcast', ['X-Stream: broadcast\r\n']],
    ['X-PM-TrackOpens', 'true', ['X-Track-Opens: true\r\n']],
    ['X-PM-Track-Links', 'HtmlAndText', ['X-Track-Links: true\r\n']],
    ['X-PM-TrackLinks', 'None', ['X-Track-Links: false\r\n']],
    ['X-PM-TrackLinks', 'Sometimes', ['X-Track-Links: Sometimes\r\n']],
    ['X-PM-KeepID', 'true', []],
    ['Subject', 'Hello', ['Subject: Hello\r\n']],
    ['__proto__', 'x', ['__proto__: x\r\n']],
  ]
  for (const [name, value, expected] of cases) assert.deepEqual(read(name, value), expected, name)
})
