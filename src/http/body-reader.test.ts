// Tests the thread that reads large bodies, which starts with a body and ends after some time without a body.

import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { until } from '../../test/support/test-clock.ts'
import { ContentMemory } from '../lib/content-memory.ts'
import { BodyReader } from './body-reader.ts'
import { BodyMemory } from './body-upload.ts'

test('the thread for large bodies ends after a time without a body, and a new one starts with the next body', async () => {
  const threads: Worker[] = []
  const note = (message: unknown): void => void threads.push((message as { worker: Worker }).worker)
  subscribe('worker_threads', note)
  const reader = new BodyReader(1)
  const memory = new ContentMemory(1 << 20)
  const read = async (): Promise<unknown> => {
    const held = new BodyMemory(memory, 'acc_one')
    try {
      const expected = { takesArray: false, contentEncoding: undefined }
      return (await reader.read(Buffer.from('{"subject":"Hello"}'), expected, held)).value
    } finally {
      held.release()
    }
  }
  try {
    for (const count of [1, 2]) {
      assert.deepEqual(await read(), { subject: 'Hello' })
      assert.equal(threads.length, count)
      // The ID of a thread that has ended is -1.
      await until('the thread has ended', () => threads.at(-1)?.threadId === -1)
    }
  } finally {
    unsubscribe('worker_threads', note)
    await reader.stop()
  }
})
