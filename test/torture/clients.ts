// Clients of the torture runs. Each message has its own recipient address, and a client tries one node after another
// until a node accepts the message.

import { setTimeout as sleep } from 'node:timers/promises'
import type { TortureNode } from './node.ts'

const RETRY_MS = 200
const MAX_TRIES = 1_000
const ANSWER_MS = 15_000

/** Sends messages, and records the accepted messages. */
export class Clients {
  readonly #name = Math.random().toString(36).slice(2, 8)
  readonly #nodes: readonly TortureNode[]
  /**
   * Recipient addresses of the accepted messages (status 202), with the time before which the message must not arrive
   * at the sink.
   */
  readonly accepted = new Map<string, number>()
  #made = 0
  #refused = 0
  readonly #underWay = new Set<Promise<void>>()

  /** @param nodes nodes to which the clients send messages in turn */
  constructor(nodes: readonly TortureNode[]) {
    this.#nodes = nodes
  }

  /** Number of responses with a status other than 202, and of missing responses. */
  get refused(): number {
    return this.#refused
  }

  /** Sends messages at this rate for this time; resolves when the last request has begun. */
  async send(perSecond: number, ms: number): Promise<void> {
    const began = performance.now()
    const total = Math.round((perSecond * ms) / 1_000)
    for (let sent = 0; sent < total; sent++) {
      this.sendOne()
      await sleep(Math.max(0, began + ((sent + 1) * 1_000) / perSecond - performance.now()))
    }
  }

  /** Sends one message, optionally with a scheduled time, and optionally to a given node first. */
  sendOne(notBefore?: number, first?: TortureNode): void {
    const sending = this.#sendOne(notBefore, first)
    this.#underWay.add(sending)
    void sending.then(() => this.#underWay.delete(sending))
  }

  /** Resolves when every message was accepted or its client has given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  async #sendOne(notBefore: number | undefined, first: TortureNode | undefined): Promise<void> {
    const number = this.#made++
    const address = `r${number}.${this.#name}@d${number % 8}.example`
    const scheduled = notBefore === undefined ? {} : { send_at: new Date(notBefore).toISOString() }
    const body = JSON.stringify({
      ...{ from: 'a@example.test', to: [{ email: address }], subject: 'Torture', text: 'x'.repeat(1_000) },
      ...scheduled,
    })
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const node =
        tries === 0 && first !== undefined ? first : this.#nodes[(number + tries) % this.#nodes.length]
      const status = await node!
        .post('/messages', body, { 'idempotency-key': address }, ANSWER_MS)
        .catch(() => undefined)
      if (status === 202) {
        this.accepted.set(address, notBefore ?? 0)
        return
      }
      this.#refused++
      await sleep(RETRY_MS)
    }
  }
}
