// The line of facts of an event has every fact that the event gives, and nothing else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aboutOf } from './event-details.ts'

test('an event names its object, its domain, its figures and its reasons', () => {
  const suppressed = { email: 'ann@example.net', stream: 'news', reason: 'hard_bounce', count: 1 }
  assert.equal(
    aboutOf({ domain: 'example.com', detail: suppressed }),
    'ann@example.net · example.com · news · Hard bounce',
  )
  const many = { stream: '*', reason: 'manual', count: 250, message_id: null }
  assert.equal(aboutOf({ domain: 'example.com', detail: many }), 'example.com · 250 addresses · Manual')
  const list = { name: 'Customers', status: 'done', total: 1 }
  assert.equal(aboutOf({ domain: null, detail: list }), 'Customers · 1 address · Done')
  assert.equal(aboutOf({ domain: null, detail: { used_percent: 80, left: 0 } }), '80 % used · 0 left')
  const rate = { status: 'begun', share: 0.062, limit: 0.05, bounced: 62, finished: 1_000 }
  assert.equal(aboutOf({ domain: 'example.com', detail: rate }), 'example.com · 6.2% · Begun')
  assert.equal(aboutOf({ domain: null, detail: {} }), '')
})
