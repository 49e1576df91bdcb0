// The witness, an honest tenant during an attack: sends messages, reads messages and requests `/healthz`, each on a new
// connection, and measures the response times.

import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Receiver } from '../support/crash/receiver.ts'
import type { Tenant } from '../support/tenant.ts'

/** Client address of the witness, in a network that no attacker uses. */
const LOCAL_ADDRESS = '127.99.0.1'
const EVERY_MS = 60
const TIMEOUT_MS = 20_000
const WARM_UPS = 50
/** Maximum time to wait for the arrival of messages after the last send request. */
const ARRIVAL_MS = 10_000

/** Times that the witness measured, in milliseconds; infinite for a missing or wrong response. */
export interface Testimony {
  readonly sends: readonly number[]
  readonly deliveries: readonly number[]
  readonly reads: readonly number[]
  readonly health: readonly number[]
}

/** Activities of a witness: sending a message, reading the newest messages, and requesting `/healthz`. */
type Activity = 'sends' | 'reads' | 'health'

/** Witness of an attack; sends requests at a fixed interval from `start` to `stop`. */
export class Witness {
  readonly #url: string
  readonly #tenant: Tenant
  readonly #sink: Receiver
  readonly #activities: readonly Activity[]
  /** Time of the send request of each accepted message, by message ID. */
  readonly #sent = new Map<string, number>()
  readonly #sends: number[] = []
  readonly #reads: number[] = []
  readonly #health: number[] = []
  readonly #underWay: Promise<void>[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(
    url: string,
    tenant: Tenant,
    sink: Receiver,
    activities: readonly Activity[] = ['sends', 'reads', 'health'],
  ) {
    this.#url = url
    this.#tenant = tenant
    this.#sink = sink
    this.#activities = activities
  }

  /** Sends fifty requests of each kind, which are not measured. */
  async warmUp(): Promise<void> {
    for (let i = 0; i < WARM_UPS; i++) {
      await Promise.all(this.#act())
    }
    await this.#arrived()
    this.#sent.clear()
    this.#sends.length = this.#reads.length = this.#health.length = 0
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#underWay.push(...this.#act())
    }, EVERY_MS)
  }

  async stop(): Promise<Testimony> {
    clearInterval(this.#timer)
    await Promise.all(this.#underWay)
    await this.#arrived()
    const arrivals = new Map(this.#sink.arrivals.map(({ id, at }) => [id, at]))
    const deliveries = [...this.#sent].map(([id, at]) => (arrivals.get(id) ?? Infinity) - at)
    return { sends: this.#sends, deliveries, reads: this.#reads, health: this.#health }
  }

  #act(): Promise<void>[] {
    return this.#activities.map((one) => {
      if (one === 'sends') return this.#send()
      return one === 'reads'
        ? this.#ask('/v1/messages?limit=5', this.#reads)
        : this.#ask('/healthz', this.#health)
    })
  }

  async #send(): Promise<void> {
    const at = Date.now()
    const from = performance.now()
    const { status, body } = await this.#call('POST', '/v1/messages', {
      from: `hello@${this.#tenant.domain.name}`,
      to: [{ email: 'you@receiver.test' }],
      subject: 'Hello',
      text: 'Hello.\n',
    })
    if (status === 202) this.#sent.set(JSON.parse(body).message_id, at)
    this.#sends.push(status === 202 ? performance.now() - from : Infinity)
  }

  async #ask(path: string, times: number[]): Promise<void> {
    const from = performance.now()
    const { status } = await this.#call('GET', path)
    times.push(status === 200 ? performance.now() - from : Infinity)
  }

  async #arrived(): Promise<void> {
    for (const until = Date.now() + ARRIVAL_MS; Date.now() < until; await sleep(20)) {
      const arrived = new Set(this.#sink.arrivals.map(({ id }) => id))
      if ([...this.#sent.keys()].every((id) => arrived.has(id))) return
    }
  }

  /** Sends a request on a new connection; returns status 0 if no response arrives in time. */
  #call(method: string, path: string, body?: object): Promise<{ status: number; body: string }> {
    const text = body === undefined ? '' : JSON.stringify(body)
    return new Promise((resolve) => {
      const failed = (): void => resolve({ status: 0, body: '' })
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      const headers = {
        authorization: `Bearer ${this.#tenant.sendingKey}`,
        ...(text === '' ? {} : { 'content-type': 'application/json', 'content-length': text.length }),
      }
      const options = { method, agent: false, localAddress: LOCAL_ADDRESS, headers, signal }
      const asked = request(new URL(path, this.#url), options, async (response) => {
        let answer = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          answer += part
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: answer }))
        response.on('error', failed)
      })
      asked.on('error', failed).end(text)
    })
  }
}
