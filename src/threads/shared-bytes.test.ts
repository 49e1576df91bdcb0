// Tests that unreferenced shared memory is collected like the memory of a single thread.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { thorough } from '../../test/support/thorough.ts'
import { inSharedMemory } from './shared-bytes.ts'

/**
 * Program that allocates and drops 1,000 MiB, and reports the maximum of uncollected memory in MiB; nothing else
 * triggers a collection. The memory is held as long as during a delivery, so that the memory leaves the young
 * generation. The program runs in a separate thread, because V8's decision to collect garbage depends on all objects of
 * the heap.
 */
const program = (make: string): string => `
  import { setImmediate as nextTurn } from 'node:timers/promises'
  import { setFlagsFromString } from 'node:v8'
  import { runInNewContext } from 'node:vm'
  import { parentPort, Worker } from 'node:worker_threads'
  import { inSharedMemory, sharedMemory, weigh } from '${new URL('./shared-bytes.ts', import.meta.url)}'
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  const MIB = 1024 * 1024
  const bytes = new Uint8Array(MIB)
  const maker = new Worker(
    "const { parentPort: p } = require('node:worker_threads'); p.on('message', (n) => p.postMessage(new SharedArrayBuffer(n)))",
    { eval: true },
  )
  const coming = () => new Promise((resolve) => {
    maker.once('message', resolve)
    maker.postMessage(MIB)
  })
  const make = ${make}
  let collected = 0
  let most = 0
  const registry = new FinalizationRegistry(() => collected++)
  const held = []
  for (let made = 1; made <= 1_000; made++) {
    const memory = await make()
    registry.register(memory, undefined)
    held.push(memory)
    if (held.length < 20) continue
    for (let times = 0; times < 2; times++) gc({ type: 'minor' })
    held.length = 0
    await nextTurn()
    most = Math.max(most, made - collected)
  }
  parentPort.postMessage(most)
  await maker.terminate()`

async function leftOver(make: string): Promise<number> {
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program(make))}`))
  const [most] = await once(worker, 'message')
  await worker.terminate()
  return most
}

describe('memory that threads share', () => {
  // Maximum of uncollected memory in MiB: about 80 to 240 MiB with `weigh`, and 700 MiB or more without `weigh`.
  const MAX_LEFT = 400

  test(
    'is collected in the thread that made it',
    thorough('0.8 CPU s: collections of a whole heap'),
    async () => {
      assert.ok((await leftOver('() => sharedMemory(MIB)')) < MAX_LEFT)
      assert.ok((await leftOver('() => inSharedMemory(bytes).buffer')) < MAX_LEFT)
    },
  )

  test('is collected in the thread that received it', async () => {
    const weighed = '() => coming().then((memory) => (weigh(memory), memory))'
    assert.ok((await leftOver(weighed)) < MAX_LEFT)
  })

  test('is not copied once more', () => {
    const shared = inSharedMemory(Buffer.from('bytes'))
    assert.equal(inSharedMemory(shared).buffer, shared.buffer)
    assert.equal(Buffer.from(shared).toString(), 'bytes')
  })
})
