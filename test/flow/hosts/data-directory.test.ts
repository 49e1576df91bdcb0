// Every file in the data directory survives a power cut: the file is written atomically, or follows a documented rule.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import type { PlaygroundFile } from '../../../src/playground/setup.ts'
import { runPowerCuts } from '../../support/crash/power-cut-run.ts'
import { MAIN } from '../../support/program.ts'
import { until } from '../../support/test-clock.ts'
import { thorough } from '../../support/thorough.ts'

const OPERATIONS = join(import.meta.dirname, '../../support/file-operations.ts')

/** Files that are not written atomically, with the rule that each file follows (docs/backup.md). */
const OWN_RULES: Readonly<Record<string, string>> = {
  'postrider.db': 'SQLite syncs it at each checkpoint',
  'postrider.db-wal': 'SQLite syncs it at each commit (synchronous=FULL)',
  'postrider.db-shm': 'made anew from the log',
  'serving.lock': 'nothing is ever written into it',
  'handed-over.jsonl': 'a power cut may empty it: then deliveries of the last moment are repeated',
}

describe('the data directory', () => {
  let directory: string
  let dataDir: string
  let log: string
  let node: ChildProcess
  let playground: PlaygroundFile

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-files-'))
    dataDir = join(directory, 'data')
    log = join(directory, 'operations')
    node = spawn(process.execPath, ['--import', OPERATIONS, MAIN, 'serve', '--json'], {
      env: {
        ...process.env,
        TEST_FILE_OPERATIONS: log,
        POSTRIDER_DATA_DIR: dataDir,
        POSTRIDER_HTTP_PORT: '0',
        POSTRIDER_SMTP_PORT: '0',
        POSTRIDER_LOG_LEVEL: 'silent',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(node.stdout as NodeJS.ReadableStream, 'data')
    playground = JSON.parse(await readFile(join(dataDir, 'playground.json'), 'utf8'))
    await use()
  })
  after(async () => {
    node.kill('SIGKILL')
    if (node.exitCode === null && node.signalCode === null) await once(node, 'exit')
    await rm(directory, { recursive: true })
  })

  /** Sends messages over every port, and waits until all of them are delivered. */
  async function use(): Promise<void> {
    const { base_url, sending_key, verification_key, domain, smtp } = playground
    const call = (path: string, key: string, body?: object): Promise<Response> =>
      fetch(`${base_url}/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    const mail = { from: `a@${domain}`, subject: 'Hello', text: 'Hello.' }
    assert.equal(
      (await call('messages', sending_key, { ...mail, to: [{ email: `b@${domain}` }] })).status,
      202,
    )
    assert.equal((await call('verifyEmail?email=a%40b.test', verification_key)).status, 200)
    const transport = createTransport({
      ...{ host: smtp.host, port: smtp.port, requireTLS: true, tls: { rejectUnauthorized: false } },
      auth: { user: smtp.username, pass: smtp.password },
    })
    await transport.sendMail({ ...mail, to: `c@${domain}` })
    transport.close()
    assert.equal((await fetch(new URL('/readyz', base_url))).status, 200)
    await until('both messages are delivered', async () => {
      const { data } = (await (await call('messages', sending_key)).json()) as { data: { status: string }[] }
      return data.length === 2 && data.every(({ status }) => status === 'delivered')
    })
  }

  test('has files that were synced, renamed, and their directory synced, and files with a rule of their own', async () => {
    const operations = (await readFile(log, 'utf8')).split('\n').map((line) => line.split('\t'))
    const names = await readdir(dataDir)
    const whole = names.filter((name) => !(name in OWN_RULES))
    assert.deepEqual(whole.sort(), ['playground.json', 'smtp-cert.pem', 'smtp-key.pem'])
    for (const name of whole) {
      const path = join(dataDir, name)
      const renamed = operations.findLastIndex(([what, , to]) => what === 'rename' && to === path)
      assert.ok(renamed >= 0, `${name} was not renamed into place`)
      const from = operations[renamed]?.[1]
      const synced = operations.findIndex(([what, at]) => what === 'sync' && at === from)
      assert.ok(synced >= 0 && synced < renamed, `${name} was not synced before`)
      const after = operations.slice(renamed).some(([what, at]) => what === 'sync' && at === dataDir)
      assert.ok(after, `the directory was not synced after ${name}`)
    }
  })

  test('is readable by its owner only, except for the certificate', async () => {
    assert.equal((await stat(dataDir)).mode & 0o777, 0o700)
    for (const name of await readdir(dataDir)) {
      const { mode } = await stat(join(dataDir, name))
      if (name !== 'smtp-cert.pem') assert.equal(mode & 0o077, 0, `${name} ${mode.toString(8)}`)
    }
  })

  test(
    'keeps accepted messages at a power cut in the first moments, and all ports work afterwards',
    thorough('5 CPU s: cuts a start at many moments'),
    async (context) => {
      const figures = await runPowerCuts(1, [0, 500])
      if (typeof figures === 'string') return context.skip(figures)
      context.diagnostic(JSON.stringify(figures))
      const { lost, started, http, smtp } = figures
      assert.deepEqual({ lost, started, http, smtp }, { lost: 0, started: 1, http: 1, smtp: 1 })
    },
  )
})
