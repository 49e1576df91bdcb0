// Tests the thread that reads large bodies: its start and end, the parts of long arrays, and the order of bodies.

import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, describe, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { stays, until } from '../../test/support/test-clock.ts'
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

describe('a body reader', () => {
  const reader = new BodyReader()
  const memory = new ContentMemory(64 << 20)
  after(() => reader.stop())
  const OBJECT = { takesArray: false, contentEncoding: undefined }
  const heldBy = (account: string): BodyMemory => new BodyMemory(memory, account)

  test('returns all values of a long array in their order, with the bytes of the body', async () => {
    // The thread sends about 512 KiB at a time.
    const sent = Array.from({ length: 3_000 }, (_, index) => ({
      subject: `Message ${index}`,
      text: 'x'.repeat(1_000),
    }))
    const text = JSON.stringify(sent)
    const held = heldBy('acc_one')
    const { value, bytes } = await reader.read(Buffer.from(text), { ...OBJECT, takesArray: true }, held)
    assert.deepEqual(value, sent)
    assert.equal(bytes.toString(), text)
    held.release()
    assert.equal(bytes.length, 0)
  })

  test('keeps the written form of numbers in the template models of every part', async () => {
    const model = '{"template_model":{"price":12.50,"filler":"'
    const body = `[${Array.from({ length: 1_000 }, () => `${model}${'x'.repeat(1_000)}"}}`).join()}]`
    const held = heldBy('acc_one')
    const { value } = await reader.read(Buffer.from(body), { ...OBJECT, takesArray: true }, held)
    const prices = (value as { template_model: { price: unknown } }[]).map(({ template_model }) =>
      JSON.stringify(template_model.price),
    )
    assert.deepEqual(new Set(prices), new Set(['12.50']))
    assert.equal(prices.length, 1_000)
    held.release()
  })

  test('parses the next body when the memory of the previous body is released', async () => {
    const first = heldBy('acc_one')
    await reader.read(Buffer.from('{"first":1}'), OBJECT, first)
    let isRead = false
    const second = heldBy('acc_two')
    const next = reader.read(Buffer.from('{"second":2}'), OBJECT, second).then(({ value }) => {
      isRead = true
      return value
    })
    await stays('the second body waits', () => !isRead, 300)
    first.release()
    assert.deepEqual(await next, { second: 2 })
    second.release()
  })

  test('refuses a body that is not JSON, and a body whose client has gone while it waited', async () => {
    const first = heldBy('acc_one')
    const gone = heldBy('acc_two')
    await reader.read(Buffer.from('{}'), OBJECT, first)
    const refused = assert.rejects(reader.read(Buffer.from('{}'), OBJECT, gone), /The client closed/)
    gone.release()
    first.release()
    await refused
    const held = heldBy('acc_one')
    await assert.rejects(reader.read(Buffer.from('{"a":'), OBJECT, held), /The body is not JSON/)
    held.release()
  })
})
