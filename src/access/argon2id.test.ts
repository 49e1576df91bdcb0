// Tests that the package computes the same hashes as Node.js.

import assert from 'node:assert/strict'
import { argon2Sync, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { argon2id } from './argon2id.ts'

test('both implementations compute the same tag, so that a store may move to another platform', async () => {
  const costs = [
    { memory: 64, passes: 2, parallelism: 1, tagLength: 32 },
    { memory: 96, passes: 1, parallelism: 3, tagLength: 64 },
  ]
  for (const message of ['', 'a long password', 'Grüße \u0000 🔑', '\ud800 alone', 'x'.repeat(5_000)]) {
    for (const cost of costs) {
      const nonce = randomBytes(16)
      const tag = await argon2id(message, nonce, cost)
      assert.deepEqual(
        tag,
        argon2Sync('argon2id', { message, nonce, ...cost }),
        JSON.stringify(message.slice(0, 20)),
      )
    }
  }
})

test('the package has a binary for this platform', async () => {
  const { hashRaw } = await import('@node-rs/argon2')
  assert.equal((await hashRaw('a long password')).length, 32)
})
