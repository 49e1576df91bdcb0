// A receiver of a webhook that fails three requests of ten while nodes are killed, and all that it accepted.

import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { WebhookReceiver } from '../webhook-receiver.ts'
import type { LoadedNode } from './loaded-node.ts'

const FAILING_SHARE = 0.3
/** Time in which all is to arrive at the end. */
const ARRIVAL_MS = 120_000

/** Figures of what came by webhook. */
export interface Hooked {
  readonly missed: number
  /** Events that came under more than one ID, or under another one than their own. */
  readonly otherIds: number
  /** From the time of an event to the first request about it, kills included. */
  readonly firstP50Ms: number
  readonly firstP95Ms: number
}

export class WebhookFollower {
  readonly #node: LoadedNode
  readonly #receiver: WebhookReceiver
  readonly #id: string
  readonly #accepted = new Set<string>()
  readonly #lags = new Map<string, number>()
  #otherIds = 0

  private constructor(node: LoadedNode, receiver: WebhookReceiver, id: string) {
    this.#node = node
    this.#receiver = receiver
    this.#id = id
  }

  /** Creates the webhook at a node, for all events of its domain. */
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
      if (!follower.#lags.has(data.id)) follower.#lags.set(data.id, at - Date.parse(data.at))
      if (Math.random() < FAILING_SHARE) return 500
      follower.#accepted.add(data.id)
      return 204
    }
    return follower
  }

  /** Waits until all of these have come; what is to be tried later is tried at once. */
  async end(stored: ReadonlySet<string>): Promise<Hooked> {
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
    const lags = [...this.#lags.values()].sort((one, other) => one - other)
    return {
      missed: missing().length,
      otherIds: this.#otherIds,
      firstP50Ms: lags[Math.floor(lags.length * 0.5)] ?? 0,
      firstP95Ms: lags[Math.floor(lags.length * 0.95)] ?? 0,
    }
  }

  stop(): Promise<void> {
    return this.#receiver.stop()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the API
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
