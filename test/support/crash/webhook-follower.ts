// A webhook receiver that fails three of ten requests while nodes are killed, and records the events that it accepts.

import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { WebhookReceiver } from '../webhook-receiver.ts'
import type { LoadedNode } from './loaded-node.ts'

const FAILING_SHARE = 0.3
/** Maximum time in which all events must arrive at the end of a run, in milliseconds. */
const ARRIVAL_MS = 120_000

/** Milliseconds from an event to the first webhook request about the event. */
export interface FirstRequests {
  readonly events: number
  readonly p50Ms: number
  readonly p95Ms: number
}

/** Figures about events that arrived by webhook. */
export interface Hooked {
  readonly missed: number
  /** Number of requests whose `webhook-id` differs from the ID of the event. */
  readonly otherIds: number
  /** Latencies of all events, including events that waited for a killed node. */
  readonly first: FirstRequests
  /** Latencies of the events after the last kill, when no earlier event was waiting any more. */
  readonly calm: FirstRequests
}

export class WebhookFollower {
  readonly #node: LoadedNode
  readonly #receiver: WebhookReceiver
  readonly #id: string
  readonly #accepted = new Set<string>()
  /** Times of the event and of its first request by event ID, in milliseconds since 1970. */
  readonly #first = new Map<string, { readonly eventAt: number; readonly requestAt: number }>()
  #otherIds = 0

  private constructor(node: LoadedNode, receiver: WebhookReceiver, id: string) {
    this.#node = node
    this.#receiver = receiver
    this.#id = id
  }

  /** Creates a webhook for all events of the domain of a node. */
  static async start(node: LoadedNode): Promise<WebhookFollower> {
    const receiver = await WebhookReceiver.start(() => 500)
    const { webhook_id, secret } = await call(node, 'POST', '/webhooks', { url: receiver.url })
    const follower = new WebhookFollower(node, receiver, webhook_id)
    const webhook = new Webhook(secret)
    receiver.script = ({ headers, body, at }) => {
      const { data } = webhook.verify(body, headers as Record<string, string>) as {
        data: { id: string; at: string }
      }
      if (data.id !== headers['webhook-id']) follower.#otherIds++
      if (!follower.#first.has(data.id))
        follower.#first.set(data.id, { eventAt: Date.parse(data.at), requestAt: at })
      if (Math.random() < FAILING_SHARE) return 500
      follower.#accepted.add(data.id)
      return 204
    }
    return follower
  }

  /** Waits until there was a request about each of this many events. */
  async caughtUp(count: () => Promise<number>): Promise<void> {
    const until = Date.now() + ARRIVAL_MS
    while (this.#first.size < (await count()) && Date.now() < until) await sleep(200)
  }

  /**
   * Waits until all stored events have arrived, and makes scheduled retries at once.
   * @param calmFrom time since which no node was killed, in milliseconds since 1970
   */
  async end(stored: ReadonlySet<string>, calmFrom: number): Promise<Hooked> {
    const missing = (): string[] => [...stored].filter((id) => !this.#accepted.has(id))
    for (
      const until = Date.now() + ARRIVAL_MS;
      missing().length > 0 && Date.now() < until;
      await sleep(200)
    ) {
      const path = `/webhooks/${this.#id}/deliveries`
      const { data } = await call(this.#node, 'GET', `${path}?status=pending&limit=200`)
      for (const { delivery_id } of data) await call(this.#node, 'POST', `${path}/${delivery_id}/retry`)
    }
    return {
      missed: missing().length,
      otherIds: this.#otherIds,
      first: this.#firstRequests(0),
      calm: this.#firstRequests(calmFrom),
    }
  }

  #firstRequests(from: number): FirstRequests {
    const lags = [...this.#first.values()]
      .filter(({ eventAt }) => eventAt >= from)
      .map(({ eventAt, requestAt }) => requestAt - eventAt)
      .sort((one, other) => one - other)
    return {
      events: lags.length,
      p50Ms: lags[Math.floor(lags.length * 0.5)] ?? 0,
      p95Ms: lags[Math.floor(lags.length * 0.95)] ?? 0,
    }
  }

  stop(): Promise<void> {
    return this.#receiver.stop()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: responses of the API
async function call(node: LoadedNode, method: string, path: string, body?: object): Promise<any> {
  const { baseUrl, key } = await node.access()
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}
