// Connections do not use up the open files of a process on a system with a low limit.

// thorough: takes 2 CPU seconds for a program with few open files and many connections

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { PlaygroundFile } from '../../../src/playground/setup.ts'
import { freePort } from '../../support/postgres.ts'
import { MAIN } from '../../support/program.ts'
import { until } from '../../support/test-clock.ts'

const FILES = 256

let dataDir: string
let url: URL
let node: ChildProcess
let stderr = ''
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'postrider-files-'))
  url = new URL(`http://127.0.0.1:${await freePort()}`)
  node = spawn('sh', ['-c', `ulimit -n ${FILES}; exec "$0" "$@"`, process.execPath, MAIN, 'serve'], {
    env: {
      ...process.env,
      POSTRIDER_DATA_DIR: dataDir,
      POSTRIDER_HTTP_PORT: url.port,
      POSTRIDER_SMTP_PORT: '0',
      POSTRIDER_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  node.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
})
after(async () => {
  node.kill('SIGKILL')
  if (node.exitCode === null && node.signalCode === null) await once(node, 'exit')
  await rm(dataDir, { recursive: true, force: true })
})

test('connections use up at most half of the files, so that mail is still sent; the log says so', async (context) => {
  // The server closes an idle connection in favour of a new connection.
  const call = (path: string, options: RequestInit = {}) =>
    fetch(new URL(path, url), { ...options, headers: { ...options.headers, connection: 'close' } })
  await until('the node is ready', () =>
    call('/readyz').then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  assert.match(stderr, /"files":256.*ulimit -n/)
  const sockets: Socket[] = []
  context.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (const port of [Number(url.port), playground().smtp.port]) {
    for (let count = 0; count < FILES; count++) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {}).resume()
      sockets.push(socket)
    }
  }
  await until('the node has closed the other connections', () => {
    const open = sockets.filter(({ connecting, destroyed }) => connecting || !destroyed)
    return open.length < FILES / 2
  })

  const { sending_key, domain } = playground()
  const headers = { authorization: `Bearer ${sending_key}`, 'content-type': 'application/json' }
  const request = { from: `a@${domain}`, to: [{ email: `b@${domain}` }], subject: 'Hello', text: 'Hello' }
  const sent = await call('/v1/messages', { method: 'POST', headers, body: JSON.stringify(request) })
  assert.equal(sent.status, 202)
  const { message_id: id } = (await sent.json()) as { message_id: string }
  await until('the message is delivered', async () => {
    const shown = (await (await call(`/v1/messages/${id}`, { headers })).json()) as { status: string }
    return shown.status === 'delivered'
  })
})

function playground(): PlaygroundFile {
  return JSON.parse(readFileSync(join(dataDir, 'playground.json'), 'utf8')) as PlaygroundFile
}
