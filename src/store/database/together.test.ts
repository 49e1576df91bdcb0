// Tests of waiting for several statements together.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { together } from './together.ts'

test('together returns each result in its place', async () => {
  assert.deepEqual(await together(Promise.resolve(1), Promise.resolve('two'), Promise.resolve(undefined)), [
    1,
    'two',
    undefined,
  ])
  assert.deepEqual(await together(), [])
})

test('together rejects after all have ended, with the first error', async () => {
  const [early, late, slow] = [0, 1, 2].map(() => Promise.withResolvers<string>())
  const ended: string[] = []
  const all = together(late!.promise, early!.promise, slow!.promise).catch((error) =>
    ended.push(error.message),
  )
  early!.reject(new Error('first'))
  late!.reject(new Error('second'))
  await Promise.allSettled([early!.promise, late!.promise])
  assert.deepEqual(ended, [])
  slow!.resolve('done')
  await all
  assert.deepEqual(ended, ['first'])
})
