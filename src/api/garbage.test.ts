// Tests that requests leave no garbage that only a full garbage collection frees (bench/README.md describes the cause).
//
// thorough: 8 CPU s: thousands of requests in a process of their own, whose heap is measured

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const PROCESS = fileURLToPath(new URL('../../test/support/garbage-held.ts', import.meta.url))
/**
 * Maximum number of bytes that one request may leave behind. When requests referenced one another, each left 5,700 to
 * 10,000 bytes. The limit includes the garbage of timers and polls of the node.
 */
const MAX_HELD = 4_500

test('the garbage of a request is freed without a full collection', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', PROCESS])
  const held = JSON.parse(stdout) as Record<string, number>
  assert.deepEqual(Object.keys(held), ['accepted', 'refused', 'read', 'accepted by SMTP'])
  for (const [kind, bytes] of Object.entries(held)) {
    assert.ok(bytes < MAX_HELD, `${kind}: ${bytes.toFixed()} bytes a request`)
  }
})
