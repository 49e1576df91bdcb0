// The whole service for a flow test: a playground node whose mail goes to a scripted host through a scripted DNS.

import { loadConfig } from '../../src/config/load.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { type App, startApp } from '../../src/node/node.ts'
import type { PlaygroundFile } from '../../src/playground/setup.ts'
import type { Store } from '../../src/store/database/store.ts'
import { DnsHost, type DnsZone } from './dns-host.ts'
import { MailHost } from './mail-host/mail-host.ts'
import type { MailHostOptions } from './mail-host/script.ts'
import { mayBeReadyMade } from './ready-made.ts'
import { type DatabaseName, lookInto, type TestStorage, testStorage, usualDatabase } from './store.ts'
import { TestClock, until } from './test-clock.ts'
import { UNSAFE_DATABASE, USUAL_SETTINGS } from './usual-settings.ts'

/** Folder of the queue, and the longest wait of its manager between two checks. */
const QUEUE = 'queue/'
const QUEUE_WAIT_MS = 1_000
/** Number of consecutive checks, over at least five seconds, that must find a node at rest before its clock moves. */
const CHECKS_AT_REST = 100

/** Every domain has the scripted mail host, unless the zone of the test says otherwise. */
const USUAL_ZONE: DnsZone = {
  '*.test': { MX: ['10 mx.test'] },
  '*.example': { MX: ['10 mx.test'] },
  'mx.test': { A: ['127.0.0.1'] },
}

export interface TestAppOptions {
  readonly database?: DatabaseName
  /** Returns the URL that the node uses for the database, if it differs from the real one. */
  readonly databaseUrl?: (url: string) => Promise<string>
  readonly clock?: Clock
  readonly zone?: DnsZone
  readonly host?: MailHostOptions
  /** Additional or different settings. */
  readonly env?: Readonly<Record<string, string>>
  /** An existing store; it is removed at the end as well. */
  readonly storage?: TestStorage
}

/** An answer of the API. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The parsed JSON, or the text. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any body
  readonly body: any
}

/** A running node and its environment. */
export class TestApp {
  readonly host: MailHost
  readonly dns: DnsHost
  readonly storage: TestStorage
  readonly #options: TestAppOptions
  #store: Store | undefined
  /** Address of the database of the node. */
  #databaseUrl: string | undefined
  #app: App | undefined
  /** True if the node has a queue, which waits by the test clock. */
  #delivers = false

  private constructor(host: MailHost, dns: DnsHost, storage: TestStorage, options: TestAppOptions) {
    this.host = host
    this.dns = dns
    this.storage = storage
    this.#options = options
  }

  static async start(options: TestAppOptions = {}): Promise<TestApp> {
    const host = await MailHost.start(options.host)
    const dns = await DnsHost.start({ ...USUAL_ZONE, ...options.zone })
    const kind = mayBeReadyMade(options.env ?? {}) ? 'playground' : 'tables'
    const storage = options.storage ?? (await testStorage(options.database ?? usualDatabase(), kind))
    const test = new TestApp(host, dns, storage, options)
    const url = storage.databaseUrl
    test.#databaseUrl = url === undefined ? undefined : ((await options.databaseUrl?.(url)) ?? url)
    await test.startNode()
    test.#store = await lookInto(storage)
    return test
  }

  /** A second connection, for reading the store. */
  get store(): Store {
    if (this.#store === undefined) throw new Error('the test has not started')
    return this.#store
  }

  get app(): App {
    if (this.#app === undefined) throw new Error('the node is not running')
    return this.#app
  }

  get playground(): PlaygroundFile {
    return this.app.playground as PlaygroundFile
  }

  /** Starts the node, also after `stopNode`, with settings that are only known late. */
  startNode(env: Readonly<Record<string, string>> = {}): Promise<void> {
    return this.startNodeWith({ ...this.#options.env, ...env })
  }

  /** Starts the node with these settings instead of those of the test. */
  async startNodeWith(env: Readonly<Record<string, string>>): Promise<void> {
    const config = loadConfig({
      POSTRIDER_DATA_DIR: this.storage.dataDir,
      POSTRIDER_DATABASE_URL: this.#databaseUrl,
      POSTRIDER_HTTP_PORT: '0',
      POSTRIDER_SMTP_PORT: '0',
      ...USUAL_SETTINGS,
      POSTRIDER_DNS_SERVERS: this.dns.server,
      POSTRIDER_MX_PORT: String(this.host.port),
      POSTRIDER_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
      ...(env.POSTRIDER_MODE === 'production' ? { POSTRIDER_ADMIN_PORT: '0', ...UNSAFE_DATABASE } : {}),
      ...env,
    })
    this.#delivers = config.roles.includes('delivery')
    this.#app = await startApp(config, silentLog, this.#options.clock)
  }

  /** Stops the node like SIGTERM; everything else stays. */
  async stopNode(): Promise<void> {
    await this.#app?.stop()
    this.#app = undefined
    this.#delivers = false
  }

  async stop(): Promise<void> {
    await this.stopNode()
    await this.#store?.close()
    await Promise.all([this.host.stop(), this.dns.stop()])
    await this.storage.remove()
  }

  /** Calls the API with the Sending key; sends `body` as JSON, text and bytes unchanged. */
  async call(
    method: string,
    path: string,
    body?: object | string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.callWith(method, path, body, {
      authorization: `Bearer ${this.playground.sending_key}`,
      ...headers,
    })
  }

  /** Calls with exactly these headers. */
  async callWith(
    method: string,
    path: string,
    body: object | string | Buffer | undefined,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const json = typeof body === 'object' && !Buffer.isBuffer(body)
    const response = await fetch(new URL(path, this.app.url), {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: json ? JSON.stringify(body) : (body as string | Buffer<ArrayBuffer>) }),
    })
    const type = response.headers.get('content-type') ?? ''
    // A stream of events does not end by itself.
    if (type.startsWith('text/event-stream')) await response.body?.cancel()
    const text = response.bodyUsed ? '' : await response.text()
    let parsed: unknown = text
    if (type.includes('json')) parsed = JSON.parse(text)
    return { status: response.status, headers: response.headers, body: parsed }
  }

  /** Sends a message and returns its ID; given fields replace the defaults. */
  async send(fields: object = {}): Promise<string> {
    const answer = await this.call('POST', '/v1/messages', {
      from: 'hello@example.test',
      to: [{ email: 'you@receiver.example' }],
      subject: 'Hello',
      text: 'Hello.\n',
      ...fields,
    })
    if (answer.status !== 202) throw new Error(`refused: ${JSON.stringify(answer.body)}`)
    return answer.body.message_id
  }

  /**
   * Resolves when the node writes nothing, and its queue waits for the clock. Does not wait for an attempt that a
   * host delays.
   */
  async settled(): Promise<void> {
    for (let isCalm = false; !isCalm; ) {
      isCalm = this.#isSettled
      await this.#app?.commits.settled()
      if (this.#delivers) await this.#clock.armed(QUEUE_WAIT_MS, QUEUE)
      // Lets the consequences of a commit begin.
      await new Promise(setImmediate)
    }
  }

  /** Moves the clock after the node has settled, so that it skips no wait that is about to begin. */
  async advance(ms: number): Promise<void> {
    await this.settled()
    this.#clock.advance(ms)
  }

  get #clock(): TestClock {
    const { clock } = this.#options
    if (clock instanceof TestClock) return clock
    throw new Error('the clock of this test is not its own')
  }

  get #isSettled(): boolean {
    if (this.#app === undefined) return true
    return this.#app.commits.underWay === 0 && (!this.#delivers || this.#clock.isArmed(QUEUE_WAIT_MS, QUEUE))
  }

  /** Returns the message as in the API, once it is in one of these states. */
  messageIn(id: string, ...statuses: string[]): Promise<Answer['body']> {
    let rests = 0
    return until(`${id} is ${statuses.join(' or ')}`, async () => {
      const { body } = await this.call('GET', `/v1/messages/${id}`)
      const recipients = [...body.to, ...body.cc, ...body.bcc].map((recipient) => recipient.status)
      if (statuses.includes(body.status) || recipients.every((status) => statuses.includes(status)))
        return body
      // On a slow machine the database may have refused the queue, which then waits for a clock that does not move.
      rests = this.#isAtRest ? rests + 1 : 0
      if (rests > CHECKS_AT_REST) this.#clock.advance(QUEUE_WAIT_MS)
      return undefined
    })
  }

  /** True when only the clock can advance the mail. */
  get #isAtRest(): boolean {
    if (!(this.#options.clock instanceof TestClock)) return false
    return this.#app?.attemptsUnderWay === 0 && this.#isSettled
  }
}
