// Tests of Mailgun's header fields.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMailgunFields } from './mailgun-fields.ts'
import { ownField } from './vendor-fields.ts'

const NOW = Date.UTC(2026, 10, 30)
const read = (...fields: readonly (readonly [name: string, value: string])[]) =>
  readMailgunFields(
    fields.map(([name, value]) => ownField(name, value)),
    NOW,
  )

test('options are read, and the fields removed', () => {
  const { fields, options } = read(
    ['Subject', 'Hello'],
    ...([
      ['X-Mailgun-Tag', 'one'],
      ['x-mailgun-tag', '=?utf-8?Q?zw=C3=B6lf?='],
      ['X-Mailgun-Variables', '{"order":7,"name":"Ann"}'],
      ['X-Mailgun-Track-Opens', 'no'],
      ['X-Mailgun-Track-Clicks', 'htmlonly'],
      ['X-Mailgun-Deliver-By', 'Mon, 30 Nov 2026 12:00:00 +0000'],
      ['X-Mailgun-Drop-Message', 'no'],
      ['X-Mailgun-Skip-Verification', 'yes'],
    ] as const),
  )
  assert.deepEqual(
    fields.map(({ name }) => name),
    ['Subject'],
  )
  assert.deepEqual(options, {
    ...{ tags: ['one', 'zwölf'], metadata: { order: '7', name: 'Ann' } },
    ...{ tracking: { track_opens: false, track_links: true }, sendAt: NOW + 43_200_000 },
  })
})

test('fields with the same meaning as ours are renamed', () => {
  const { fields } = read(['X-Mailgun-Require-TLS', 'yes'], ['X-Mailgun-Template-Name', 'Welcome'])
  assert.deepEqual(
    fields.map(({ raw }) => raw),
    ['X-Require-TLS: yes\r\n', 'X-Template-Alias: welcome\r\n'],
  )
})

test('wishes that cannot be fulfilled are refused', () => {
  for (const [name, value] of [
    ['X-Mailgun-Drop-Message', 'yes'],
    ['X-Mailgun-Recipient-Variables', '{}'],
    ['X-Mailgun-Sending-Ip', '192.0.2.1'],
    ['X-Mailgun-Dkim', 'no'],
    ['X-Mailgun-Variables', '['],
    ['X-Mailgun-Variables', JSON.stringify({ a: 'x'.repeat(20_000) })],
    ['X-Mailgun-Deliver-By', 'soon'],
    ['X-Mailgun-Deliver-By', 'Mon, 30 Nov 2027 12:00:00 +0000'],
    ['X-Mailgun-Track', 'maybe'],
    ['X-Mailgun-Tag', 'x'.repeat(300)],
  ] as const) {
    assert.throws(() => read([name, value]), /X-Mailgun-/i, `${name}: ${value.slice(0, 30)}`)
  }
})
