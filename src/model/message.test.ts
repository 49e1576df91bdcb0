// Tests that the state of a message follows from its recipients.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MessageStatus, messageStatus } from './message.ts'
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
