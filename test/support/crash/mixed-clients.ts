// The clients of the mixed run: they send single messages, batches, bulks and SMTP messages, and use each recipient
// address only once.

import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { SINK_HOSTS } from './mixed-sink.ts'

export type MixedDoor = 'single' | 'batch' | 'bulk' | 'smtp'

/** Base URL, SMTP port and credentials of the node. */
export interface MixedAccess {
  readonly baseUrl: string
  readonly key: string
  readonly domain: string
  readonly smtp: {
    readonly host: string
    readonly port: number
    readonly username: string
    readonly password: string
  }
}

const DOMAINS = Object.keys(SINK_HOSTS)
const BATCH = 12
const BULK_ROWS = 60
const RETRY_MS = 100
const BULK_EVERY_MS = 400

/**
 * Clients that send until they are stopped; an HTTP client repeats a request under its idempotency key until there is a
 * response.
 */
export class MixedClients {
  /** Way of submission for each recipient of an accepted message. */
  readonly accepted = new Map<string, MixedDoor>()
  /** Number of requests whose idempotency key is refused permanently because a kill interrupted the first request. */
  cut = 0
  readonly #access: MixedAccess
  readonly #random: () => number
  #made = 0
  #stopped = false
  readonly #running: Promise<void>[] = []

  constructor(access: MixedAccess, random: () => number) {
    this.#access = access
    this.#random = random
  }

  /**
   * Starts `clients` HTTP clients and `clients` SMTP clients for single messages, one client for batches, and one for
   * bulks.
   */
  start(clients: number): void {
    this.#stopped = false
    for (let client = 0; client < clients; client++)
      this.#running.push(
        this.#repeat(() => this.#single()),
        this.#smtpClient(),
      )
    this.#running.push(
      this.#repeat(() => this.#batch()),
      this.#repeat(() => this.#bulk()),
    )
  }

  /** Resolves when the node has accepted this many more recipients. */
  async grown(by: number): Promise<void> {
    for (const count = this.accepted.size + by; this.accepted.size < count; ) await sleep(20)
  }

  /** Resolves when every client has a response to its last request; the node must be running. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#running.splice(0))
  }

  async #repeat(send: () => Promise<void>): Promise<void> {
    while (!this.#stopped) await send()
  }

  #addresses(most: number): string[] {
    const count = 1 + Math.floor(this.#random() * most)
    return Array.from({ length: count }, () => this.#address())
  }

  #address(): string {
    const number = this.#made++
    return `r${number}@${DOMAINS[Math.floor(this.#random() * DOMAINS.length)]}`
  }

  #accept(door: MixedDoor, addresses: readonly string[]): void {
    for (const address of addresses) this.accepted.set(address, door)
  }

  #message(addresses: readonly string[]): object {
    const { domain } = this.#access
    const to = addresses.map((email) => ({ email }))
    return { from: `a@${domain}`, to, subject: 'Mixed', text: 'x'.repeat(1_500) }
  }

  /**
   * Repeats a POST request under one idempotency key until the request is accepted; returns undefined if the key was
   * refused.
   */
  async #post(path: string, body: string, type: string): Promise<unknown> {
    const { baseUrl, key } = this.#access
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': type,
      'idempotency-key': `mixed-${this.#made++}-${Math.random()}`,
    }
    for (let refused = 0; ; await sleep(RETRY_MS)) {
      const answer = await fetch(`${baseUrl}${path}`, {
        ...{ method: 'POST', headers, body },
        signal: AbortSignal.timeout(15_000),
      })
        .then(async (response) => ({ status: response.status, json: await response.json() }))
        .catch(() => undefined)
      if (answer !== undefined && answer.status < 300) return answer.json
      if (answer?.status === 409 && ++refused > 20) {
        this.cut++
        return undefined
      }
      if (answer !== undefined && [400, 401, 403, 422].includes(answer.status))
        throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.json)}`)
    }
  }

  async #single(): Promise<void> {
    const addresses = this.#addresses(3)
    const body = JSON.stringify(this.#message(addresses))
    if ((await this.#post('/messages', body, 'application/json')) !== undefined)
      this.#accept('single', addresses)
  }

  async #batch(): Promise<void> {
    const all = Array.from({ length: BATCH }, () => this.#addresses(2))
    const body = JSON.stringify(all.map((addresses) => this.#message(addresses)))
    const answer = (await this.#post('/messages/batch', body, 'application/json')) as
      | { data: { message_id?: string }[] }
      | undefined
    for (const [index, one] of (answer?.data ?? []).entries())
      if (one.message_id !== undefined) this.#accept('batch', all[index] ?? [])
    await sleep(30)
  }

  async #bulk(): Promise<void> {
    const { domain } = this.#access
    const addresses = Array.from({ length: BULK_ROWS }, () => this.#address())
    const message = { from: `a@${domain}`, subject: 'Mixed', text: 'y'.repeat(500) }
    const rows = [message, ...addresses.map((to) => ({ to }))]
    const body = rows.map((row) => JSON.stringify(row)).join('\n')
    if ((await this.#post('/bulk', body, 'application/x-ndjson')) !== undefined)
      this.#accept('bulk', addresses)
    await sleep(BULK_EVERY_MS)
  }

  async #smtpClient(): Promise<void> {
    const { smtp, domain } = this.#access
    const transport = createTransport({
      ...{ host: smtp.host, port: smtp.port, requireTLS: true, tls: { rejectUnauthorized: false } },
      ...{ auth: { user: smtp.username, pass: smtp.password }, pool: true, maxConnections: 1 },
    })
    await this.#repeat(async () => {
      const addresses = this.#addresses(3)
      const message = { from: `a@${domain}`, to: addresses, subject: 'Mixed', text: 'z'.repeat(1_500) }
      // A missing reply leaves the acceptance unknown, so the client does not send the message again.
      const sent = await transport.sendMail(message).catch(() => sleep(RETRY_MS))
      if (sent !== undefined) this.#accept('smtp', addresses)
    })
    transport.close()
  }
}
