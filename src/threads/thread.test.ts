import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startThread } from './thread.ts'

/** Program that creates garbage and keeps the newest objects, until the young generation has its maximum size. */
const PROGRAM = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { parentPort } from 'node:worker_threads'
  const kept = new Array(20_000)
  for (let i = 0; i < 2_000_000; i++) kept[i % kept.length] = { a: i, b: [i, i, i] }
  parentPort.postMessage(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size)
`

test('a thread has a young generation of its own size, not that of the event loop', async () => {
  const thread = startThread(new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`), { youngMb: 12 })
  const [bytes] = await once(thread, 'message')
  assert.ok(bytes <= 8 * 1024 * 1024, `${bytes} bytes`)
})

test('every thread is started with such limits', () => {
  const files = globSync('src/**/*.ts', { exclude: ['**/*.test.ts'] })
  const starting = files.filter((file) =>
    /^import \{[^}]*(?<!type )\bWorker\b[^}]*} from 'node:worker_threads'/m.test(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(starting, ['src/threads/thread.ts'])
})
