// Tests password hashing: the hashes do not depend on the platform, and under load known devices go first, and strangers
// beyond the limit are refused.

import assert from 'node:assert/strict'
import { argon2Sync, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { TestClock } from '../../test/support/test-clock.ts'
import { thorough } from '../../test/support/thorough.ts'
import { Problem } from '../model/problem.ts'
import { HashQueue, NEW_STRANGER } from './hash-queue.ts'
import { hashPassword, isPassword } from './secrets.ts'

test(
  'a known device passes a crowd of strangers, of which only a bounded number waits',
  thorough('2 CPU s: hundreds of real password hashes'),
  async () => {
    const kept = await hashPassword('a long password')
    // The clock stands still, so that no stranger waits too long on a slow machine.
    const queue = new HashQueue(new TestClock())
    const order: string[] = []
    const strangers = Array.from({ length: 100 }, () =>
      queue
        .do(NEW_STRANGER, () => isPassword('a guess', kept))
        .then(
          (right) => order.push(`stranger ${right}`),
          (error: unknown) => order.push(error instanceof Problem ? error.code : 'other'),
        ),
    )
    const known = queue
      .do('known', () => isPassword('a long password', kept))
      .then((right) => order.push(`known ${right}`))
    await Promise.all([...strangers, known])
    const count = (what: string): number => order.filter((one) => one === what).length
    // One hash was running, and 64 hashes were waiting.
    assert.deepEqual([count('stranger false'), count('rate_limit_exceeded')], [65, 35])
    const before = order
      .slice(0, order.indexOf('known true'))
      .filter((one) => one === 'stranger false').length
    // One hash of a stranger was running; on a busy machine the threads of strangers may overtake the known device.
    assert.ok(before <= 8, `${before} strangers went before`)
  },
)

test('the package and Node.js compute the same hash, so that a store may move to another platform', async () => {
  const ofNode = (message: string, nonce: Buffer, cost: string): string => {
    const [memory = 0, passes = 0, parallelism = 0] = cost.split(',').map(Number)
    const tag = argon2Sync('argon2id', { message, nonce, memory, passes, parallelism, tagLength: 32 })
    return `argon2id$${cost}$${nonce.toString('base64url')}$${tag.toString('base64url')}`
  }
  for (const password of ['', 'a long password', 'Grüße \u0000 🔑', '\ud800 alone', 'x'.repeat(5_000)]) {
    const kept = ofNode(password, randomBytes(16), '64,2,3')
    assert.deepEqual(
      [await isPassword(password, kept), await isPassword(`${password}x`, kept)],
      [true, false],
    )
  }
  const [, cost = '', salt = ''] = (await hashPassword('a long password')).split('$')
  assert.equal(
    await isPassword('a long password', ofNode('a long password', Buffer.from(salt, 'base64url'), cost)),
    true,
  )
})

test('the package has a binary for this platform', async () => {
  const { hashRaw } = await import('@node-rs/argon2')
  assert.equal((await hashRaw('a long password')).length, 32)
})
