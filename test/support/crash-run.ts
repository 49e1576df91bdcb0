// Kills a loaded node again and again, and counts what became of every message that it had accepted.

import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { PlaygroundFile } from '../../src/playground/setup.ts'
import { DnsHost } from './dns-host.ts'
import { MailHost } from './mail-host.ts'
import { freePort } from './postgres.ts'
import { type DatabaseName, testStorage } from './store.ts'

/** What a run showed. `lost` is the one that must be zero. */
export interface CrashFigures {
  readonly kills: number
  /** Messages whose 202 or 250 was seen. */
  readonly accepted: number
  readonly acceptedOverSmtp: number
  /** Distinct messages that reached the receiving host. */
  readonly delivered: number
  /** Accepted, and neither delivered nor still in the queue at the end. */
  readonly lost: number
  /** Deliveries beyond the first of a message. */
  readonly duplicates: number
  /** Delivered though no answer was seen: the node died between its commit and the answer. */
  readonly unacknowledged: number
  /** The longest time from a start to the first answer, in milliseconds. */
  readonly slowestStartMs: number
}

const LOAD_CLIENTS = 8

/** Runs it: each round starts the node, loads it over HTTP and SMTP, and kills its whole process group. */
export async function runCrashes(kills: number, database: DatabaseName): Promise<CrashFigures> {
  const host = await MailHost.start()
  const dns = await DnsHost.start({ '*.example': { MX: ['10 mx.test'] }, 'mx.test': { A: ['127.0.0.1'] } })
  const storage = await testStorage(database)
  const ports = { http: await freePort(), smtp: await freePort() }
  const env = {
    ...process.env,
    POSTRIDER_DATA_DIR: storage.dataDir,
    POSTRIDER_DATABASE_URL: storage.databaseUrl ?? '',
    POSTRIDER_HTTP_PORT: String(ports.http),
    POSTRIDER_SMTP_PORT: String(ports.smtp),
    POSTRIDER_HOSTNAME: 'sender.test',
    POSTRIDER_DNS_SERVERS: dns.server,
    POSTRIDER_MX_PORT: String(host.port),
    POSTRIDER_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
    POSTRIDER_LOG_LEVEL: 'error',
    // A message that was under way at the kill is tried again by whoever starts next, not after a minute.
    POSTRIDER_RETRY_SCHEDULE: '1s,1s,2s,5s,5s,5s,5s,5s,5s',
  }
  const accepted = new Map<string, 'http' | 'smtp'>()
  let slowestStartMs = 0
  try {
    for (let round = 0; round < kills; round++) {
      const node = startNode(env)
      slowestStartMs = Math.max(slowestStartMs, await untilListening(ports.http, node))
      const playground = await readPlayground(storage.dataDir)
      const load = new Load(playground, accepted)
      load.start()
      await new Promise((resolve) => setTimeout(resolve, 600 + Math.random() * 1_900))
      await killGroup(node)
      await load.stop()
    }
    const node = startNode(env)
    await untilListening(ports.http, node)
    const queued = await waitForDelivery(host, accepted, await readPlayground(storage.dataDir))
    await killGroup(node)
    return figures(kills, accepted, host, queued, slowestStartMs)
  } finally {
    await Promise.all([host.stop(), dns.stop()])
    await storage.remove()
  }
}

function startNode(env: NodeJS.ProcessEnv): ChildProcess {
  const main = join(import.meta.dirname, '../../src/cli/main.ts')
  return spawn(process.execPath, [main, 'serve'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  })
}

/** SIGKILL to the whole process group, and until it is gone. */
async function killGroup(node: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => node.once('exit', resolve))
  process.kill(-(node.pid as number), 'SIGKILL')
  await ended
}

async function untilListening(port: number, node: ChildProcess): Promise<number> {
  const started = Date.now()
  while (Date.now() - started < 30_000) {
    if (node.exitCode !== null) throw new Error(`the node ended with ${node.exitCode}`)
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      (response) => response.ok,
      () => false,
    )
    if (ready) return Date.now() - started
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('the node does not start')
}

const readPlayground = async (dataDir: string): Promise<PlaygroundFile> =>
  JSON.parse(await readFile(join(dataDir, 'playground.json'), 'utf8'))

/** Clients that send until the node is gone. */
class Load {
  readonly #playground: PlaygroundFile
  readonly #accepted: Map<string, 'http' | 'smtp'>
  #stopped = false
  #running: Promise<void>[] = []

  constructor(playground: PlaygroundFile, accepted: Map<string, 'http' | 'smtp'>) {
    this.#playground = playground
    this.#accepted = accepted
  }

  start(): void {
    for (let client = 0; client < LOAD_CLIENTS; client++) {
      this.#running.push(this.#repeat(() => this.#sendOverHttp()))
      this.#running.push(this.#smtpClient())
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#running)
  }

  async #repeat(send: () => Promise<void>): Promise<void> {
    while (!this.#stopped) await send().catch(() => new Promise((resolve) => setTimeout(resolve, 20)))
  }

  async #sendOverHttp(): Promise<void> {
    const response = await fetch(`${this.#playground.base_url}/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#playground.sending_key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        from: `a@${this.#playground.domain}`,
        to: [{ email: 'b@receiver.example' }],
        subject: 'Crash test',
        text: 'x'.repeat(2_000),
      }),
    })
    const { message_id } = (await response.json()) as { message_id?: string }
    if (response.status === 202 && message_id !== undefined) this.#accepted.set(message_id, 'http')
  }

  async #smtpClient(): Promise<void> {
    const { smtp, domain } = this.#playground
    const transport = createTransport({
      host: smtp.host,
      port: smtp.port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      auth: { user: smtp.username, pass: smtp.password },
      pool: true,
      maxConnections: 1,
    })
    await this.#repeat(async () => {
      const sent = await transport.sendMail({
        from: `a@${domain}`,
        to: 'b@receiver.example',
        subject: 'Crash test',
        text: 'x'.repeat(2_000),
      })
      const id = /msg_[0-9A-Z]{26}/.exec(sent.response)?.[0]
      if (id !== undefined) this.#accepted.set(id, 'smtp')
    })
    transport.close()
  }
}

/** Waits until what was accepted has arrived; answers those that the API shows as not final after a minute. */
async function waitForDelivery(
  host: MailHost,
  accepted: ReadonlyMap<string, unknown>,
  playground: PlaygroundFile,
): Promise<ReadonlySet<string>> {
  const started = Date.now()
  let missing: string[] = []
  while (Date.now() - started < 90_000) {
    const arrived = new Set(arrivals(host))
    missing = [...accepted.keys()].filter((id) => !arrived.has(id))
    if (missing.length === 0) break
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  const queued = new Set<string>()
  for (const id of missing) {
    const response = await fetch(`${playground.base_url}/messages/${id}`, {
      headers: { authorization: `Bearer ${playground.sending_key}` },
    })
    const { status } = (await response.json()) as { status?: string }
    if (status === 'queued' || status === 'sending') queued.add(id)
  }
  return queued
}

/** The message of each delivery, by the token in its return path. */
const arrivals = (host: MailHost): string[] =>
  host.mails.map((mail) => `msg_${mail.from.slice('bounces+'.length, 'bounces+'.length + 26).toUpperCase()}`)

function figures(
  kills: number,
  accepted: ReadonlyMap<string, 'http' | 'smtp'>,
  host: MailHost,
  queued: ReadonlySet<string>,
  slowestStartMs: number,
): CrashFigures {
  const arrived = arrivals(host)
  const distinct = new Set(arrived)
  const lost = [...accepted.keys()].filter((id) => !distinct.has(id) && !queued.has(id))
  return {
    kills,
    accepted: accepted.size,
    acceptedOverSmtp: [...accepted.values()].filter((door) => door === 'smtp').length,
    delivered: distinct.size,
    lost: lost.length,
    duplicates: arrived.length - distinct.size,
    unacknowledged: [...distinct].filter((id) => !accepted.has(id)).length,
    slowestStartMs,
  }
}
