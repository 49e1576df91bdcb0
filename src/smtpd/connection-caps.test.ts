// Connections are counted in and out, for all and for each client network.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionCaps } from './connection-caps.ts'

test('one client network takes its share, all together take no more than all', () => {
  const caps = new ConnectionCaps({ connections: 3, connectionsPerNetwork: 2 })
  const leave = caps.enter('192.0.2.1')
  assert.ok(caps.enter('::ffff:192.0.2.1'))
  assert.equal(caps.enter('192.0.2.1'), undefined)
  assert.ok(caps.enter('192.0.2.2'))
  assert.equal(caps.enter('192.0.2.3'), undefined)
  leave?.()
  assert.ok(caps.enter('192.0.2.3'))
})
