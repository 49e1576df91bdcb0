// Several worker processes of one node: they share its ports, a dead worker is replaced, and all workers stop together.

// thorough: takes 17 CPU seconds because workers run as processes, and are killed and stopped

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { PlaygroundFile } from '../../src/playground/setup.ts'
import { freePort } from '../support/postgres.ts'
import { MAIN } from '../support/program.ts'
import { type TestStorage, testStorage } from '../support/store.ts'
import { until } from '../support/test-clock.ts'

const WORKERS = 2
const isShared = process.platform === 'linux' || process.platform === 'freebsd'

describe('workers', { skip: isShared ? false : 'ports cannot be shared here', concurrency: 1 }, () => {
  let storage: TestStorage
  let node: ChildProcess
  let ready: { readonly url: string; readonly playground: PlaygroundFile }
  before(async () => {
    storage = await testStorage('postgres', 'tables')
    node = spawn(process.execPath, [MAIN, 'serve', '--json', '--workers', String(WORKERS)], {
      env: {
        ...process.env,
        POSTRIDER_DATA_DIR: storage.dataDir,
        POSTRIDER_DATABASE_URL: storage.databaseUrl,
        POSTRIDER_HTTP_PORT: String(await freePort()),
        POSTRIDER_SMTP_PORT: String(await freePort()),
        POSTRIDER_LOG_LEVEL: 'silent',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    for await (const chunk of node.stdout as NodeJS.ReadableStream) {
      text += chunk
      if (text.endsWith('}\n')) break
    }
    ready = JSON.parse(text)
  })
  after(async () => {
    if (node.exitCode === null && node.signalCode === null) {
      const ended = once(node, 'exit')
      node.kill('SIGTERM')
      await ended
    }
    await storage.remove()
  })

  const send = (): Promise<Response> =>
    fetch(`${ready.playground.base_url}/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ready.playground.sending_key}`,
        'content-type': 'application/json',
        connection: 'close',
      },
      body: JSON.stringify({ from: 'a@example.test', to: [{ email: 'b@c.test' }], subject: 's', text: 't' }),
    })

  /** Returns the start time of each worker that responds, by the worker label in its metrics. */
  async function answering(): Promise<ReadonlyMap<string, number>> {
    const pids = new Map<string, number>()
    for (let asked = 0; asked < 40 && pids.size < WORKERS; asked++) {
      // A worker that is being killed resets its connections.
      const text = await fetch(`${ready.url}/metrics`, { headers: { connection: 'close' } }).then(
        (response) => response.text(),
        () => '',
      )
      const worker = /^process_start_time_seconds\{worker="(\d+)"\} ([\d.e+]+)/m.exec(text)
      if (worker?.[1] !== undefined) pids.set(worker[1], Number(worker[2]))
    }
    return pids
  }

  const children = (): Promise<number[]> => childrenOf(node)

  test('each of them answers at the shared port, and labels its metrics with its number', async () => {
    assert.deepEqual(
      [...(await until('both workers respond', async () => both(await answering()))).keys()].sort(),
      ['1', '2'],
    )
    assert.ok((await readdir(storage.dataDir)).includes('worker-2'), 'the second worker has its own journal')
    for (let sent = 0; sent < 20; sent++) assert.equal((await send()).status, 202)
  })

  test('one that dies is restarted, and the others continue', async () => {
    const before = await answering()
    const [, victim] = await children()
    process.kill(victim as number, 'SIGKILL')
    await until('another worker has replaced the killed worker', async () => {
      const now = await answering()
      return both(now) && [...now].some(([worker, startedAt]) => before.get(worker) !== startedAt)
    })
    assert.equal((await send()).status, 202)
  })

  test('all that die within the pause before a restart are restarted, and the service is back', async () => {
    for (let round = 0; round < 3; round++) {
      const victims = await children()
      assert.equal(victims.length, WORKERS)
      for (const victim of victims) process.kill(victim, 'SIGKILL')
      await until('the killed workers have ended', async () =>
        (await children()).every((pid) => !victims.includes(pid)),
      )
      await until('a worker responds again', async () => {
        const starting = await children()
        if ((await answering()).size > 0) return true
        assert.ok(starting.length <= 1, 'the first worker starts alone, so that the service is back sooner')
        return false
      })
      await until('all workers respond again', async () => both(await answering()))
      assert.deepEqual([node.exitCode, node.signalCode], [null, null], 'the supervisor lives')
    }
    assert.equal((await send()).status, 202)
  })

  test('all stop together, with exit code 0', async () => {
    const ids = await children()
    assert.equal(ids.length, WORKERS)
    const ended = once(node, 'exit')
    node.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    for (const pid of ids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  })
})

const both = <T>(found: ReadonlyMap<string, T>): ReadonlyMap<string, T> | undefined =>
  found.size === WORKERS ? found : undefined

test('whose supervisor is killed stop by themselves, even while they start, and the next node has all their work', {
  skip: isShared ? false : 'ports cannot be shared here',
}, async () => {
  const storage = await testStorage('postgres', 'tables')
  after(() => storage.remove())
  const env = {
    ...process.env,
    POSTRIDER_DATA_DIR: storage.dataDir,
    POSTRIDER_DATABASE_URL: storage.databaseUrl,
    POSTRIDER_HTTP_PORT: String(await freePort()),
    POSTRIDER_SMTP_PORT: String(await freePort()),
    POSTRIDER_LOG_LEVEL: 'silent',
  }
  for (const started of [1, WORKERS]) {
    const words = ['serve', '--json', '--workers', String(WORKERS)]
    const node = spawn(process.execPath, [MAIN, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let told = ''
    for (const stream of [node.stdout, node.stderr])
      stream?.on('data', (chunk) => {
        told += chunk
      })
    await until(`${started} workers have started`, async () => {
      assert.equal(node.exitCode, null, told)
      return (await childrenOf(node)).length >= started
    })
    if (started === WORKERS) await until('the workers accept requests', () => told.endsWith('}\n'))
    const beforeTheKill = told
    const ended = once(node, 'close')
    node.kill('SIGKILL')
    // The last worker closes the pipes that it has inherited.
    await ended
    assert.equal(told, beforeTheKill)
  }
})

const childrenOf = async ({ pid }: ChildProcess): Promise<number[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').filter(Boolean).map(Number)

test('are refused where the store or the ports allow one process only', async () => {
  const refused = spawn(process.execPath, [MAIN, 'serve', '--workers', 'auto'], {
    env: {
      ...process.env,
      POSTRIDER_DATA_DIR: 'nowhere',
      POSTRIDER_HTTP_PORT: '0',
      POSTRIDER_DATABASE_URL: '',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  refused.stderr?.on('data', (chunk) => {
    text += chunk
  })
  const [code] = await once(refused, 'close')
  assert.notEqual(code, 0)
  assert.match(text, /POSTRIDER_WORKERS is auto, and SQLite is for one process: set POSTRIDER_DATABASE_URL/)
  assert.match(text, /POSTRIDER_HTTP_PORT is 0: set the port/)
})
