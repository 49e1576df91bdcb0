// Tests that messages of a thread arrive in order, and leave turns of the event loop to other work even if the thread
// is fast.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { inBatches } from './message-batching.ts'

const ECHO = `const { parentPort: p } = require('node:worker_threads'); p.on('message', (m) => p.postMessage(m))`
const ANSWERS = 300

/**
 * Blocks the event loop for wall-clock time, so that a loaded machine makes turns longer but never puts more work into
 * a turn.
 */
function workFor(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

test('a thread that answers at once, and gets the next order on each answer, leaves turns to others', async () => {
  const worker = new Worker(ECHO, { eval: true })
  let answers = 0
  let fullest = 0
  const done = new Promise<void>((resolve) => {
    const hear = async (): Promise<void> => {
      // The code runs after a settled promise, as for a caller that awaits the thread.
      await undefined
      workFor(1)
      if (++answers < ANSWERS) worker.postMessage(answers)
      else resolve()
    }
    worker.on('message', inBatches(hear))
  })
  worker.postMessage(0)
  let before = 0
  const count = (): void => {
    fullest = Math.max(fullest, answers - before)
    before = answers
    if (answers < ANSWERS) setImmediate(count)
  }
  count()
  await done
  await worker.terminate()
  assert.ok(fullest <= 10, `${fullest} answers in one turn`)
})

test('many answers at once arrive in order', async () => {
  const heard: number[] = []
  await new Promise<void>((resolve) => {
    const hear = inBatches((answer: number) => {
      workFor(0.1)
      if (heard.push(answer) === 200) resolve()
    })
    for (let answer = 0; answer < 200; answer++) hear(answer)
  })
  assert.deepEqual(
    heard,
    Array.from({ length: 200 }, (_, answer) => answer),
  )
})
