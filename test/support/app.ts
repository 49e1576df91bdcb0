// The whole service for a flow test: a node in the playground whose mail goes to a scripted host, by scripted DNS.

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

/** The folder of the queue, and the longest time for which its manager waits before it looks again. */
const QUEUE = 'queue/'
const QUEUE_WAIT_MS = 1_000
/** Looks in a row, five seconds at least, that must find a node at rest before its clock is moved on. */
const LOOKS_AT_REST = 100

/** Every domain has the scripted mail host, unless the test's zone says otherwise. */
const USUAL_ZONE: DnsZone = {
  '*.test': { MX: ['10 mx.test'] },
  '*.example': { MX: ['10 mx.test'] },
  'mx.test': { A: ['127.0.0.1'] },
}

export interface TestAppOptions {
  readonly database?: DatabaseName
  /** The URL under which the node reaches the database, when it is not the database's own. */
  readonly databaseUrl?: (url: string) => Promise<string>
  readonly clock?: Clock
  readonly zone?: DnsZone
  readonly host?: MailHostOptions
  /** Further settings, or others. */
  readonly env?: Readonly<Record<string, string>>
  /** A store that is there already; removed at the end as well. */
  readonly storage?: TestStorage
}

/** An answer of the API. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The parsed JSON; the text where it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any body
  readonly body: any
}

/** A running node and the world around it. */
export class TestApp {
  readonly host: MailHost
  readonly dns: DnsHost
  readonly storage: TestStorage
  readonly #options: TestAppOptions
  #store: Store | undefined
  /** Address of the node's database. */
  #databaseUrl: string | undefined
  #app: App | undefined
  /** The node has a queue, which waits by the test's clock. */
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

  /** A second connection, to look at what is stored. */
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

  /** Starts the node, again after `stopNode`, with settings that may need to be known late. */
  startNode(env: Readonly<Record<string, string>> = {}): Promise<void> {
    return this.startNodeWith({ ...this.#options.env, ...env })
  }

  /** Starts the node with these settings instead of the test's own. */
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

  /** Stops the node as SIGTERM does; everything else stays. */
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

  /** A call of the API with the Sending key; `body` is sent as JSON, text and bytes as they are. */
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

  /** A call with these headers and no others. */
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

  /** Sends a message and answers its ID; fields given replace the usual ones. */
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
   * Resolves when the node writes nothing, and its queue waits for the clock. An attempt that a host holds up is not
   * waited for.
   */
  async settled(): Promise<void> {
    for (let isCalm = false; !isCalm; ) {
      isCalm = this.#isSettled
      await this.#app?.commits.settled()
      if (this.#delivers) await this.#clock.armed(QUEUE_WAIT_MS, QUEUE)
      // A commit's answer is followed by what it leads to.
      await new Promise(setImmediate)
    }
  }

  /** Moves the clock once the node has settled: it moves past no wait that is about to begin. */
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

  /** The message as the API shows it, once it is in one of these states. */
  messageIn(id: string, ...statuses: string[]): Promise<Answer['body']> {
    let rests = 0
    return until(`${id} is ${statuses.join(' or ')}`, async () => {
      const { body } = await this.call('GET', `/v1/messages/${id}`)
      const recipients = [...body.to, ...body.cc, ...body.bcc].map((recipient) => recipient.status)
      if (statuses.includes(body.status) || recipients.every((status) => statuses.includes(status)))
        return body
      // On a slow machine the database may have refused the queue, which then waits for a clock that stands still.
      rests = this.#isAtRest ? rests + 1 : 0
      if (rests > LOOKS_AT_REST) this.#clock.advance(QUEUE_WAIT_MS)
      return undefined
    })
  }

  /** True when nothing but the clock can bring the mail on. */
  get #isAtRest(): boolean {
    if (!(this.#options.clock instanceof TestClock)) return false
    return this.#app?.attemptsUnderWay === 0 && this.#isSettled
  }
}
