// Tests that the state of a message follows from its recipients, and which metadata a search finds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasMetadata, type MessageStatus, messageStatus, SEARCHABLE_KEYS } from './message.ts'
import type { RecipientStatus } from './recipient.ts'

const TABLE: [RecipientStatus[], MessageStatus][] = [
  [['queued'], 'queued'],
  [['scheduled', 'scheduled'], 'scheduled'],
  [['queued', 'suppressed'], 'queued'],
  [['scheduled', 'cancelled'], 'scheduled'],
  [['sending'], 'sending'],
  [['deferred'], 'sending'],
  [['queued', 'delivered'], 'sending'],
  [['queued', 'bounced'], 'sending'],
  [['delivered', 'deferred'], 'sending'],
  [['delivered', 'delivered'], 'delivered'],
  [['delivered', 'bounced'], 'partially_delivered'],
  [['delivered', 'suppressed', 'failed'], 'partially_delivered'],
  [['bounced', 'failed', 'failed'], 'failed'],
  [['bounced', 'failed'], 'bounced'],
  [['failed', 'suppressed'], 'suppressed'],
  [['cancelled', 'failed'], 'failed'],
  [['cancelled'], 'cancelled'],
]

for (const [recipients, expected] of TABLE) {
  test(`${recipients.join(', ')}: ${expected}`, () => assert.equal(messageStatus(recipients), expected))
}

test('a search finds all wanted values of the first keys, and no others', () => {
  const keys = Array.from({ length: SEARCHABLE_KEYS + 1 }, (_, index) => [`k${index}`, 'v'])
  const metadata = Object.fromEntries(keys)
  assert.ok(hasMetadata(metadata, []))
  assert.ok(
    hasMetadata(metadata, [
      ['k0', 'v'],
      [`k${SEARCHABLE_KEYS - 1}`, 'v'],
    ]),
  )
  assert.ok(!hasMetadata(metadata, [[`k${SEARCHABLE_KEYS}`, 'v']]))
  for (const other of [
    ['k0', 'V'],
    ['k0', 'v '],
    ['K0', 'v'],
    ['toString', 'v'],
  ] as const)
    assert.ok(!hasMetadata(metadata, [['k1', 'v'], other]), other.join('='))
  assert.ok(hasMetadata(JSON.parse('{"__proto__":"x"}'), [['__proto__', 'x']]))
})
