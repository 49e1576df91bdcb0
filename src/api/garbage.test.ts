// Requests leave no garbage that only a collection of the whole heap frees (bench/README.md tells the way it came about).
//
// SQLite only: the bounds of the heap are those of its statements, and the driver of PostgreSQL has garbage of its own.
// thorough: 8 CPU s: thousands of requests in a process of their own, whose heap is measured

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const PROCESS = fileURLToPath(new URL('../../test/support/garbage-held.ts', import.meta.url))
/** Bytes for each request. Requests that held one another left 5,700 to 10,000; what timers and polls of the node leave is in it. */
const MAX_HELD = 4_500

test('what a request leaves is free without a collection of the whole heap', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', PROCESS])
  const held = JSON.parse(stdout) as Record<string, number>
  assert.deepEqual(Object.keys(held), ['accepted', 'refused', 'read', 'accepted by SMTP'])
  for (const [kind, octets] of Object.entries(held)) {
    assert.ok(octets < MAX_HELD, `${kind}: ${octets.toFixed()} octets a request`)
  }
})
