// Shared memory that nobody holds is collected, as if it were a thread's own.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { inSharedMemory, sharedMemory, weigh } from './shared-octets.ts'

const MIB = 1024 * 1024
setFlagsFromString('--expose-gc')
const collectYoung = (): void => (runInNewContext('gc') as NodeJS.GCFunction)({ type: 'minor' })

/** In MiB: several times what V8 lets gather outside of the heap. */
const MAX_MADE = 1_000
/** Held for as long as a delivery takes: they are no young objects any more when they are let go of. */
const AT_ONCE = 20
/** In MiB; what is not weighed gathers to twice as much and more. */
const MAX_LEFT = 220

/** The most memory that was left over while it was made and let go of, and nothing else asked for a collection; in MiB. */
async function leftOver(make: () => SharedArrayBuffer | Promise<SharedArrayBuffer>): Promise<number> {
  let collected = 0
  let most = 0
  const registry = new FinalizationRegistry(() => collected++)
  const held: SharedArrayBuffer[] = []
  for (let made = 1; made <= MAX_MADE; made++) {
    const memory = await make()
    registry.register(memory, undefined)
    held.push(memory)
    if (held.length < AT_ONCE) continue
    for (let times = 0; times < 2; times++) collectYoung()
    held.length = 0
    await nextTurn()
    most = Math.max(most, made - collected)
  }
  return most
}

test('memory that a thread made', async () => {
  assert.ok((await leftOver(() => sharedMemory(MIB))) < MAX_LEFT)
  const octets = new Uint8Array(MIB)
  assert.ok((await leftOver(() => inSharedMemory(octets).buffer)) < MAX_LEFT)
})

test('memory that came from another thread', async () => {
  const program = `const { parentPort: p } = require('node:worker_threads')
    p.on('message', (bytes) => p.postMessage(new SharedArrayBuffer(bytes)))`
  const worker = new Worker(program, { eval: true })
  const come = (): Promise<SharedArrayBuffer> =>
    new Promise((resolve) => {
      worker.once('message', (memory: SharedArrayBuffer) => {
        weigh(memory)
        resolve(memory)
      })
      worker.postMessage(MIB)
    })
  assert.ok((await leftOver(come)) < MAX_LEFT)
  await worker.terminate()
})

test('octets that are in shared memory stay where they are', () => {
  const shared = inSharedMemory(Buffer.from('octets'))
  assert.equal(inSharedMemory(shared).buffer, shared.buffer)
  assert.equal(Buffer.from(shared).toString(), 'octets')
})
