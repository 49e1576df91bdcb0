// The whole service for a flow test: a playground node that sends to a scripted mail host through a scripted DNS
// server.

import { loadConfig } from '../../src/config/load.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { type Log, silentLog } from '../../src/lib/log.ts'
import { PLAYGROUND_INBOX } from '../../src/model/test-inbox.ts'
import { type App, startApp } from '../../src/node/node.ts'
import type { PlaygroundFile } from '../../src/playground/setup.ts'
import type { Store } from '../../src/store/database/store.ts'
import { DnsHost, type DnsZone } from './dns-host.ts'
import { MailHost } from './mail-host/mail-host.ts'
import type { MailHostOptions } from './mail-host/script.ts'
import { mayBeReadyMade } from './ready-made.ts'
import { type DatabaseName, lookInto, type TestStorage, testStorage, usualDatabase } from './store.ts'
import { sleep, TestClock, until } from './test-clock.ts'
import { UNSAFE_DATABASE, USUAL_SETTINGS } from './usual-settings.ts'

/** Source folder of the queue, and the maximum wait of the queue manager between two checks. */
const QUEUE = 'queue/'
const QUEUE_WAIT_MS = 1_000
/** Number of consecutive checks, over at least five seconds, in which a node must be idle before its clock moves. */
const CHECKS_AT_REST = 100

/** Zone in which every domain has the scripted mail host; the zone of a test overrides these records. */
const USUAL_ZONE: DnsZone = {
  '*.test': { MX: ['10 mx.test'] },
  '*.example': { MX: ['10 mx.test'] },
  'mx.test': { A: ['127.0.0.1'] },
}

export interface TestAppOptions {
  readonly database?: DatabaseName
  /** Returns the database URL for the node, if it differs from the real URL. */
  readonly databaseUrl?: (url: string) => Promise<string>
  readonly clock?: Clock
  readonly log?: Log
  readonly zone?: DnsZone
  readonly host?: MailHostOptions
  /** Settings that override or extend the settings of all tests. */
  readonly env?: Readonly<Record<string, string>>
  /** An existing store; the app removes this store when it stops. */
  readonly storage?: TestStorage
}

/** A response of the API. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The parsed JSON body; the text if the body is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any body
  readonly body: any
}

/** A mail in the mailbox of the playground, as the API of Mailpit lists it. */
interface MailboxMail {
  readonly ID: string
  readonly Subject: string
  readonly To: readonly { readonly Address: string }[]
}

/** Path of the mailbox of the playground, which needs no login. */
const MAILBOX = `/inboxes/${PLAYGROUND_INBOX}/api/v1`

/** A running node with its store, DNS server and mail host. */
export class TestApp {
  readonly host: MailHost
  readonly dns: DnsHost
  readonly storage: TestStorage
  readonly #options: TestAppOptions
  #store: Store | undefined
  /** Database URL that the node uses. */
  #databaseUrl: string | undefined
  #app: App | undefined
  /** True if the node runs a queue, which waits by the test clock. */
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

  /** A second connection to the database, with which the test reads the store. */
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

  /** Starts the node, also after `stopNode`; `env` adds settings that were not known when the test began. */
  startNode(env: Readonly<Record<string, string>> = {}): Promise<void> {
    return this.startNodeWith({ ...this.#options.env, ...env })
  }

  /** Starts the node with `env` instead of the settings of the test. */
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
    this.#app = await startApp(config, this.#options.log ?? silentLog, this.#options.clock)
  }

  /** Stops the node as SIGTERM does; the store, the DNS server and the mail host stay. */
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

  /** Calls the API with the Sending key. An object is sent as JSON; strings and bytes are sent unchanged. */
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

  /** Calls the API with exactly these headers. */
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
    // An event stream does not end by itself.
    if (type.startsWith('text/event-stream')) await response.body?.cancel()
    const text = response.bodyUsed ? '' : await response.text()
    let parsed: unknown = text
    if (type.includes('json')) parsed = JSON.parse(text)
    return { status: response.status, headers: response.headers, body: parsed }
  }

  /**
   * Returns the mails in the mailbox of the playground that match a query in the language of Mailpit, or all, newest
   * first.
   */
  async mailbox(query = ''): Promise<MailboxMail[]> {
    const path = query === '' ? 'messages?limit=200' : `search?limit=200&query=${encodeURIComponent(query)}`
    for (;;) {
      const { status, body } = await this.callWith('GET', `${MAILBOX}/${path}`, undefined, {})
      if (status === 200) return body.messages
      if (status !== 429) throw new Error(`the mailbox answers ${status}: ${JSON.stringify(body)}`)
      await sleep(200, 'the limit of requests to an inbox')
    }
  }

  /** Returns a part of a mail in the mailbox: the whole mail, or its `/raw` and so on. */
  async mailInMailbox(id: string, part = ''): Promise<Answer> {
    return this.callWith('GET', `${MAILBOX}/message/${id}${part}`, undefined, {})
  }

  /** Returns the dashboard path of the newest mail in the mailbox of the playground that matches a query. */
  async pathInMailbox(query = ''): Promise<string> {
    const [mail] = await this.mailbox(query)
    if (mail === undefined) throw new Error(`the mailbox has no mail for "${query}"`)
    return `/inboxes/${PLAYGROUND_INBOX}/mbx_${mail.ID}`
  }

  /** Sends a message and returns its ID; `fields` replace default fields. */
  async send(fields: object = {}): Promise<string> {
    const answer = await this.call('POST', '/v1/messages', {
      from: 'hello@example.test',
      to: [{ email: 'you@receiver.example' }],
      subject: 'Hello',
      text: 'Hello.\n',
      ...fields,
    })
    if (answer.status !== 202) throw new Error(`the message was refused: ${JSON.stringify(answer.body)}`)
    return answer.body.message_id
  }

  /**
   * Resolves when the node writes nothing and its queue waits for the clock. An attempt that a mail host delays may
   * still be in progress.
   */
  async settled(): Promise<void> {
    for (let isCalm = false; !isCalm; ) {
      isCalm = this.#isSettled
      await this.#app?.commits.settled()
      if (this.#delivers) await this.#clock.armed(QUEUE_WAIT_MS, QUEUE)
      // Lets follow-up work of a commit begin.
      await new Promise(setImmediate)
    }
  }

  /**
   * Moves the clock after the node has settled, so that the clock does not pass a timer that the node is about to set.
   */
  async advance(ms: number): Promise<void> {
    await this.settled()
    this.#clock.advance(ms)
  }

  get #clock(): TestClock {
    const { clock } = this.#options
    if (clock instanceof TestClock) return clock
    throw new Error('the test has no clock of its own')
  }

  get #isSettled(): boolean {
    if (this.#app === undefined) return true
    return this.#app.commits.underWay === 0 && (!this.#delivers || this.#clock.isArmed(QUEUE_WAIT_MS, QUEUE))
  }

  /** Returns the message as the API shows it, once the message or all of its recipients have one of these statuses. */
  messageIn(id: string, ...statuses: string[]): Promise<Answer['body']> {
    let rests = 0
    return until(`${id} is ${statuses.join(' or ')}`, async () => {
      const { body } = await this.call('GET', `/v1/messages/${id}`)
      const recipients = [...body.to, ...body.cc, ...body.bcc].map((recipient) => recipient.status)
      if (statuses.includes(body.status) || recipients.every((status) => statuses.includes(status)))
        return body
      // The database may refuse a query of the queue on a slow machine; the queue then waits for the clock to move.
      rests = this.#isAtRest ? rests + 1 : 0
      if (rests > CHECKS_AT_REST) this.#clock.advance(QUEUE_WAIT_MS)
      return undefined
    })
  }

  /** True if the message makes progress only when the clock moves. */
  get #isAtRest(): boolean {
    if (!(this.#options.clock instanceof TestClock)) return false
    return this.#app?.attemptsUnderWay === 0 && this.#isSettled
  }
}
