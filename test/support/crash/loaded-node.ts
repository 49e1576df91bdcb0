// A node in a separate process, and clients that load the node over HTTP and SMTP and record every response.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import type { PlaygroundFile } from '../../../src/playground/setup.ts'
import type { DnsHost } from '../dns-host.ts'
import { freePort } from '../postgres.ts'
import { MAIN } from '../program.ts'
import type { TestStorage } from '../store.ts'
import type { Receiver } from './receiver.ts'

const ROOT = join(import.meta.dirname, '../../..')
const SERVE = [process.execPath, MAIN, 'serve']
const CLIENTS = 4
const START_MS = 60_000
/** Maximum time in which accepted messages must arrive at the end of a run, in milliseconds. */
const ARRIVAL_MS = 90_000
const LISTS = ['messages', 'templates', 'layouts', 'streams', 'suppressions']

const DOORS = ['http', 'smtp'] as const

export type Door = (typeof DOORS)[number]

/** Responses that the clients received. */
export class Answers {
  /** Protocol and time (in milliseconds since 1970) of each acceptance (202 or 250), by message ID. */
  readonly accepted = new Map<string, { readonly door: Door; readonly at: number }>()
  /** Number of refusals for each protocol and code, such as `http 503`. */
  readonly refused = new Map<string, number>()
  readonly #acceptedBy: Record<Door, number> = { http: 0, smtp: 0 }

  accept(door: Door, id: string): void {
    this.accepted.set(id, { door, at: Date.now() })
    this.#acceptedBy[door]++
  }

  refuse(door: Door, code: number): void {
    const name = `${door} ${code}`
    this.refused.set(name, (this.refused.get(name) ?? 0) + 1)
  }

  acceptedBy(door: Door): number {
    return this.#acceptedBy[door]
  }

  /** Returns the number of messages that were accepted in the last `ms` milliseconds. */
  acceptedWithin(ms: number): number {
    const since = Date.now() - ms
    let count = 0
    for (const { at } of this.accepted.values()) if (at >= since) count++
    return count
  }

  /** Returns the milliseconds from a moment to the next acceptance over this protocol; infinite if there was none. */
  firstAfter(door: Door, moment: number): number {
    const after = [...this.accepted.values()].find((one) => one.door === door && one.at >= moment)
    return after === undefined ? Number.POSITIVE_INFINITY : after.at - moment
  }
}

/** Starts and kills nodes that use one store and the same ports, one node after another. */
export class LoadedNode {
  readonly #env: NodeJS.ProcessEnv
  /** The HTTP port and the SMTP port. */
  readonly ports: readonly [number, number]
  readonly #dataDir: string
  #process: ChildProcess | undefined

  private constructor(env: NodeJS.ProcessEnv, ports: readonly [number, number], dataDir: string) {
    this.#env = env
    this.ports = ports
    this.#dataDir = dataDir
  }

  static async in(
    { dataDir, databaseUrl }: Pick<TestStorage, 'dataDir' | 'databaseUrl'>,
    host: Pick<Receiver, 'port'>,
    dns: DnsHost,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<LoadedNode> {
    const [port, smtpPort] = [await freePort(), await freePort()]
    const env = {
      ...process.env,
      POSTRIDER_DATA_DIR: dataDir,
      POSTRIDER_DATABASE_URL: databaseUrl ?? '',
      POSTRIDER_HTTP_PORT: String(port),
      POSTRIDER_SMTP_PORT: String(smtpPort),
      POSTRIDER_HOSTNAME: 'sender.test',
      POSTRIDER_DNS_SERVERS: dns.server,
      POSTRIDER_MX_PORT: String(host.port),
      POSTRIDER_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
      POSTRIDER_LOG_LEVEL: 'error',
      // The next start retries interrupted messages at once instead of after a minute.
      POSTRIDER_RETRY_SCHEDULE: '1s,1s,2s,5s,5s,5s,5s,5s,5s',
      ...settings,
    }
    return new LoadedNode(env, [port, smtpPort], dataDir)
  }

  get running(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null
  }

  /** Starts a node; returns the time until the node was ready, in milliseconds. */
  async start([program, ...words]: readonly string[] = SERVE): Promise<number> {
    this.#process = spawn(program as string, words, {
      cwd: ROOT,
      env: this.#env,
      stdio: ['ignore', 'ignore', 'inherit'],
      detached: true,
    })
    const started = Date.now()
    while (Date.now() - started < START_MS) {
      if (!this.running) throw new Error(`the node ended with ${this.#process.exitCode}`)
      const ready = await fetch(`http://127.0.0.1:${this.ports[0]}/readyz`).then(
        (response) => response.ok,
        () => false,
      )
      if (ready) return Date.now() - started
      await sleep(20)
    }
    throw new Error('the node does not start')
  }

  /** Suspends the node (SIGSTOP), so that only a kill can end the node. */
  freeze(): void {
    process.kill(-(this.#process?.pid as number), 'SIGSTOP')
  }

  /** Sends SIGKILL to the process group of the node, and waits until all processes are gone. */
  async kill(): Promise<void> {
    if (this.running) await this.killAfter(0)
  }

  /**
   * Makes another process kill the node after this many milliseconds, because a timer in this process would always fire
   * between two responses. Resolves with the time of the signal, in milliseconds since 1970.
   */
  async killAfter(ms: number): Promise<number> {
    const node = this.#process as ChildProcess
    const ended = once(node, 'exit')
    const program = `setTimeout(() => { process.kill(-${node.pid}, 'SIGKILL'); process.send(Date.now()) }, ${ms})`
    const killer = spawn(process.execPath, ['-e', program], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const [[at]] = await Promise.all([once(killer, 'message'), ended])
    return at as number
  }

  /** Sends SIGTERM to the started process and waits for its end; returns the exit code and the time until the end. */
  async terminate(): Promise<{ readonly code: number | null; readonly ms: number }> {
    const node = this.#process as ChildProcess
    const ended = once(node, 'exit')
    const asked = Date.now()
    node.kill('SIGTERM')
    const [code] = await ended
    return { code, ms: Date.now() - asked }
  }

  /** Returns the IDs of the messages in the delivery journal of the node. */
  async noted(): Promise<ReadonlySet<string>> {
    const journal = await readFile(join(this.#dataDir, 'handed-over.jsonl'), 'utf8')
    return new Set(journal.match(/msg_[0-9A-Z]{26}/g))
  }

  /** Returns the recipients in the delivery journals of all workers of the node. */
  async notedRecipients(workers: number): Promise<ReadonlySet<string>> {
    const folders = ['', ...Array.from({ length: workers - 1 }, (_, index) => `worker-${index + 2}`)]
    const journals = await Promise.all(
      // A worker has no journal before its first start.
      folders.map((folder) =>
        readFile(join(this.#dataDir, folder, 'handed-over.jsonl'), 'utf8').catch(() => ''),
      ),
    )
    return new Set(
      journals.flatMap((text) => [...text.matchAll(/"email":"([^"]+)"/g)].map(([, email]) => email ?? '')),
    )
  }

  /**
   * Loads the node until `stop`, with the same number of clients over HTTP and over SMTP. Resolves when the node has
   * accepted messages over both protocols.
   */
  async load(answers: Answers, shape: Partial<LoadShape> = {}): Promise<Load> {
    const before = DOORS.map((door) => answers.acceptedBy(door))
    const load = new Load(await this.#playground(), answers, { clients: CLIENTS, ...shape })
    const until = Date.now() + START_MS
    while (DOORS.some((door, index) => answers.acceptedBy(door) === before[index])) {
      if (Date.now() > until) {
        await load.stop()
        throw new Error(
          `a protocol accepts no messages: http ${answers.acceptedBy('http')}, smtp ${answers.acceptedBy('smtp')}`,
        )
      }
      await sleep(5)
    }
    return load
  }

  /**
   * Waits until accepted messages have arrived; returns the IDs of missing messages that the API shows as queued or
   * sending.
   */
  async settle(host: Receiver, accepted: ReadonlyMap<string, unknown>): Promise<ReadonlySet<string>> {
    let missing: string[] = []
    for (const until = Date.now() + ARRIVAL_MS; Date.now() < until; await sleep(250)) {
      const arrived = new Set(host.arrivals.map(({ id }) => id))
      missing = [...accepted.keys()].filter((id) => !arrived.has(id))
      if (missing.length === 0) break
    }
    const { base_url, sending_key } = await this.#playground()
    const underWay = new Set<string>()
    for (const id of missing) {
      const headers = { authorization: `Bearer ${sending_key}` }
      const response = await fetch(`${base_url}/messages/${id}`, { headers })
      const { status } = (await response.json()) as { status?: string }
      if (status === 'queued' || status === 'sending') underWay.add(id)
    }
    return underWay
  }

  /** Returns API lists that return an internal error, such as `messages 500`. */
  async failingLists(): Promise<string[]> {
    const { base_url, sending_key } = await this.#playground()
    const headers = { authorization: `Bearer ${sending_key}` }
    const failing: string[] = []
    for (const list of LISTS) {
      const { status } = await fetch(`${base_url}/${list}`, { headers })
      if (status >= 500) failing.push(`${list} ${status}`)
    }
    return failing
  }

  /** Returns the base URL and a key of the API, the SMTP port with credentials, and the sending domain. */
  async access(): Promise<
    { readonly baseUrl: string; readonly key: string } & Pick<PlaygroundFile, 'domain' | 'smtp'>
  > {
    const { base_url, sending_key, domain, smtp } = await this.#playground()
    return { baseUrl: base_url, key: sending_key, domain, smtp }
  }

  /**
   * Returns the playground file, which the first start writes when all listeners are open, possibly after the node is
   * ready.
   */
  async #playground(): Promise<PlaygroundFile> {
    const path = join(this.#dataDir, 'playground.json')
    for (let tries = 0; tries < 250 && !existsSync(path); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const file = JSON.parse(await readFile(path, 'utf8')) as PlaygroundFile
    // A copied playground file contains the ports of another node.
    const [port, smtpPort] = this.ports
    return { ...file, base_url: `http://127.0.0.1:${port}/v1`, smtp: { ...file.smtp, port: smtpPort } }
  }
}

/** Number and rate of the clients of a load. */
export interface LoadShape {
  /** Number of HTTP clients, which is also the number of SMTP clients. */
  readonly clients: number
  /**
   * Messages per second that all clients offer together; by default, each client sends as soon as it has a response.
   */
  readonly perSecond?: number
}

/** Clients that send until they are stopped, whatever the responses are. */
class Load {
  readonly #playground: PlaygroundFile
  readonly #answers: Answers
  /** Time from one message of a client to its next message, in milliseconds. */
  readonly #intervalMs: number
  #stopped = false
  readonly #running: Promise<void>[] = []

  constructor(playground: PlaygroundFile, answers: Answers, { clients, perSecond }: LoadShape) {
    this.#playground = playground
    this.#answers = answers
    this.#intervalMs = perSecond === undefined ? 0 : (2_000 * clients) / perSecond
    for (let client = 0; client < clients; client++) {
      this.#running.push(this.#repeat(() => this.#sendOverHttp()))
      this.#running.push(this.#smtpClient())
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#running)
  }

  async #repeat(send: () => Promise<void>): Promise<void> {
    // Clients start at different times.
    let due = performance.now() + this.#intervalMs * Math.random()
    while (!this.#stopped) {
      const early = due - performance.now()
      if (early > 0) await sleep(early)
      await send().catch(() => sleep(20))
      // A late client sends one message without a pause, but does not make up for all missed messages.
      due = Math.max(due + this.#intervalMs, performance.now() - this.#intervalMs)
    }
  }

  async #sendOverHttp(): Promise<void> {
    const { base_url, sending_key, domain } = this.#playground
    const response = await fetch(`${base_url}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sending_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        from: `a@${domain}`,
        to: [{ email: 'b@receiver.example' }],
        subject: 'Crash test',
        text: 'x'.repeat(2_000),
      }),
    })
    const { message_id } = (await response.json()) as { message_id?: string }
    if (response.status === 202 && message_id !== undefined) this.#answers.accept('http', message_id)
    else {
      this.#answers.refuse('http', response.status)
      await sleep(20)
    }
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
      const message = { from: `a@${domain}`, to: 'b@receiver.example', subject: 'Crash test' }
      const sent = await transport
        .sendMail({ ...message, text: 'x'.repeat(2_000) })
        .catch((error: { responseCode?: number }) => {
          if (error.responseCode !== undefined) this.#answers.refuse('smtp', error.responseCode)
          throw error
        })
      const id = /msg_[0-9A-Z]{26}/.exec(sent.response)?.[0]
      if (id !== undefined) this.#answers.accept('smtp', id)
    })
    transport.close()
  }
}
