// A node is killed after the reply 250 and before the processing of a message: each inbound message still exists once,
// is processed once, and has one event.

// thorough: takes 3 CPU seconds to kill a node right after it has accepted mail; test/flow/inbound.test.ts covers
// inbound mail without a kill

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { mailOf } from '../support/inbound-mail.ts'
import { freePort } from '../support/postgres.ts'
import { MAIN } from '../support/program.ts'
import { RawSmtpClient } from '../support/raw-smtp-client.ts'
import { untilReached } from '../support/reached.ts'
import { lookInto, type TestStorage, testStorage, usualDatabase } from '../support/store.ts'
import { until } from '../support/test-clock.ts'

const MAILS = 12
const KILLS = 3

let storage: TestStorage
let node: ChildProcess | undefined
let env: NodeJS.ProcessEnv
let url: string

before(async () => {
  storage = await testStorage(usualDatabase(), 'tables')
  const [http, inbound] = [await freePort(), await freePort()]
  url = `http://127.0.0.1:${http}`
  env = {
    ...process.env,
    POSTRIDER_DATA_DIR: storage.dataDir,
    POSTRIDER_DATABASE_URL: storage.databaseUrl ?? '',
    POSTRIDER_HTTP_PORT: String(http),
    POSTRIDER_SMTP_PORT: '0',
    POSTRIDER_INBOUND_PORT: String(inbound),
    POSTRIDER_LOG_LEVEL: 'error',
  }
})
after(async () => {
  await kill()
  await storage.remove()
})

async function start(): Promise<string> {
  node = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: 'ignore' })
  await until('the node is ready', async () => {
    const ready = await fetch(`${url}/readyz`).catch(() => undefined)
    // The node writes this file when all ports are open, a moment after the first port accepts requests.
    return ready?.ok && existsSync(join(storage.dataDir, 'playground.json'))
  })
  return JSON.parse(await readFile(join(storage.dataDir, 'playground.json'), 'utf8')).sending_key
}

async function kill(): Promise<void> {
  if (node === undefined || node.exitCode !== null || node.signalCode !== null) return
  const ended = once(node, 'exit')
  node.kill('SIGKILL')
  await ended
}

/** Returns the number of inbound messages that a killed node has accepted but not processed. */
async function unread(): Promise<number> {
  const store = await lookInto(storage)
  const rows = await store.read
    .selectFrom('inbound_messages')
    .select('id')
    .where('state', '=', 'received')
    .execute()
  await store.close()
  return rows.length
}

/** Sends a message and resolves with the reply 250. */
async function bring(subject: string): Promise<string> {
  const client = await RawSmtpClient.connect(Number(env.POSTRIDER_INBOUND_PORT))
  await client.reply()
  for (const line of [
    'EHLO mx.author.example',
    'MAIL FROM:<jo@author.example>',
    'RCPT TO:<x@inbound.example.test>',
    'DATA',
  ])
    await client.ask(line)
  client.send(mailOf({ Subject: subject }, 'Hello.'))
  const reply = await client.ask('\r\n.')
  client.vanish()
  return reply
}

test('kills right after the 250 lose and double nothing', { timeout: 180_000 }, async () => {
  const subjects: string[] = []
  let key = ''
  await untilReached('a kill while mails are unread', KILLS, async (round) => {
    key = await start()
    const brought = Array.from({ length: MAILS }, (_, index) => `${round}-${index}`)
    const replies = await Promise.all(brought.map(bring))
    await kill()
    for (const reply of replies) assert.match(reply, /^250 /)
    subjects.push(...brought)
    return (await unread()) > 0
  })
  await start()
  const list = async (path: string) =>
    (
      (await (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })).json()) as {
        data: []
      }
    ).data
  let done: { subject: string; status: string; authentication: object | null }[] = []
  await until('all messages are processed', async () => {
    done = await list('/v1/inbound?limit=200')
    return done.every(({ status }) => status === 'processed')
  })
  // A message whose processing has failed would have no subject.
  assert.deepEqual(done.map(({ subject }) => subject).sort(), subjects.sort())
  for (const { authentication } of done) assert.notEqual(authentication, null)
  const store = await lookInto(storage)
  const events = await store.read
    .selectFrom('events')
    .select('message_id')
    .where('type', '=', 'received')
    .execute()
  await store.close()
  assert.equal(events.length, done.length)
  assert.equal(new Set(events.map(({ message_id }) => message_id)).size, events.length)
})
