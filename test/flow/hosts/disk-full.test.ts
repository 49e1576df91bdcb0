// A node on a full disk reports the disk with its path, is not ready, writes few log lines, and accepts mail again when
// there is free space.

// thorough: takes 4 CPU seconds for programs on a full disk; the tests in src/store/database cover the behaviour of the
// store

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { PlaygroundFile } from '../../../src/playground/setup.ts'
import { freePort } from '../../support/postgres.ts'
import { MAIN } from '../../support/program.ts'
import { NO_SMALL_DISK, SmallDisk } from '../../support/small-disk.ts'
import { until } from '../../support/test-clock.ts'

const SIZE_MIB = 48

describe('a full disk', () => {
  let small: SmallDisk | undefined
  let disk: string
  let url: string
  let node: ChildProcess | undefined
  let stderr = ''
  before(async () => {
    small = await SmallDisk.mount(SIZE_MIB)
    disk = small?.path ?? ''
    url = `http://127.0.0.1:${await freePort()}`
  })
  after(async () => {
    if (small === undefined) return
    node?.kill('SIGKILL')
    if (node?.exitCode === null && node.signalCode === null) await once(node, 'exit')
    await small.unmount()
  })

  function start(): void {
    stderr = ''
    node = spawn(process.execPath, [MAIN, 'serve'], {
      env: {
        ...process.env,
        POSTRIDER_DATA_DIR: join(disk, 'data'),
        POSTRIDER_HTTP_PORT: new URL(url).port,
        POSTRIDER_SMTP_PORT: '0',
        POSTRIDER_LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    node.stderr?.on('data', (chunk) => {
      stderr += chunk
    })
  }
  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const ended = once(node as ChildProcess, 'exit')
    node?.kill(signal)
    return (await ended)[0]
  }
  const ready = (): Promise<boolean> =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  async function send(): Promise<number> {
    const file = readFileSync(join(disk, 'data', 'playground.json'), 'utf8')
    const { base_url, sending_key, domain } = JSON.parse(file) as PlaygroundFile
    const response = await fetch(`${base_url}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sending_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        from: `a@${domain}`,
        to: [{ email: `b@${domain}` }],
        subject: 'Full',
        text: 'x'.repeat(100_000),
      }),
    })
    await response.arrayBuffer()
    return response.status
  }
  const sentence = (): RegExp =>
    new RegExp(
      `The disk postrider-full \\(mounted at ${disk}\\) is full: nothing can be written into ${disk}/data\\.`,
    )

  test('under a running node: the node is not ready, says why, and refuses with few log lines', async (context) => {
    if (small === undefined) return context.skip(NO_SMALL_DISK)
    start()
    await until('the node is ready', ready)
    small.fill()
    const refused: number[] = []
    for (let tries = 0; tries < 200; tries++) refused.push(await send())
    const codes = new Set(refused.slice(-100))
    assert.deepEqual([...codes], [503])
    // The node checks the free space once per second.
    await until('the node is not ready', async () => !(await ready()))
    const answer = await fetch(`${url}/readyz`)
    assert.equal(answer.status, 503)
    assert.match(((await answer.json()) as { detail: string }).detail, sentence())
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
    assert.ok(stderr.split('\n').length < 20, stderr)
    small.empty()
    await until('the node is ready again', ready)
    assert.equal(await send(), 202)
  })

  test('at the start: the log reports the disk, and the start continues once there is room', async (context) => {
    if (small === undefined) return context.skip(NO_SMALL_DISK)
    await send()
    await end('SIGKILL')
    small.fill()
    start()
    await until('the log reports the full disk', () => sentence().test(stderr))
    assert.match(stderr, /The start waits until there is free space/)
    assert.equal(await ready(), false)
    small.empty()
    await until('the node is ready', ready)
    assert.equal(await send(), 202)
    assert.ok(stderr.split('\n').length < 20, stderr)
  })

  test('a start with too little room waits as well', async (context) => {
    if (small === undefined) return context.skip(NO_SMALL_DISK)
    assert.equal(await end('SIGTERM'), 0)
    rmSync(join(disk, 'data'), { recursive: true })
    small.fill(100)
    start()
    await until('the log reports the full disk', () =>
      stderr.includes('The start waits until there is free space'),
    )
    assert.match(stderr, /lacks the free space that a start needs/)
    small.empty()
    await until('the node is ready', ready)
    assert.equal(await send(), 202)
  })

  test('a start that waits for room stops on request', async (context) => {
    if (small === undefined) return context.skip(NO_SMALL_DISK)
    assert.equal(await end('SIGTERM'), 0)
    small.fill()
    start()
    await until('the log reports the full disk', () => sentence().test(stderr))
    assert.equal(await end('SIGTERM'), 0)
    small.empty()
  })
})
