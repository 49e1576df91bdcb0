// Delivers events to webhooks: claims webhooks with events to deliver, and holds each webhook while more events wait.

import type { Figure } from '../lib/figures.ts'
import { timeOfId } from '../lib/ids.ts'
import { type Claimed, LeasedRuns, type LeaseTime } from '../lib/leased-runs.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import type { Trace } from '../lib/traces.ts'
import { reading, type Store } from '../store/database/store.ts'
import type { FeedWatch } from '../store/events/feed-watch.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { countPending } from '../store/webhooks/deliveries.ts'
import { disableWebhook } from '../store/webhooks/disabling.ts'
import {
  type Claimable,
  claimWebhooks,
  hasClaimable,
  releaseWebhooks,
  renewWebhooks,
} from '../store/webhooks/leases.ts'
import type { Webhook } from '../store/webhooks/webhooks.ts'
import { DeliverySlots } from './delivery-slots.ts'
import { givesWay, largeHolders } from './held-places.ts'
import type { AttemptOutcome } from './outcome.ts'
import { openWebhook, type RequestParts } from './request.ts'
import { keyOf, WebhookRun, type WebhookRunEnd } from './webhook-run.ts'

/** Maximum number of concurrent requests on a node. */
const MAX_REQUESTS = 256
/** Maximum number of webhooks that a node holds at the same time. */
const MAX_HELD = 200
/** Maximum number of webhooks in one claim. */
const MAX_CLAIMED = 100
/** Length of a lease in milliseconds: the webhooks of a killed node wait for this time, or until the node restarts. */
const LEASE_MS = 6_000
/** Maximum time in milliseconds for active requests when the node stops; no request may take this long. */
const STOP_MS = 20_000
/** Pause in milliseconds between two checks for deliveries that are due again; new events are reported immediately. */
const CLAIM_EVERY_MS = 500

const OUTCOMES = ['delivered', 'refused', 'unreachable'] as const

export interface WebhookDeliveryOptions extends RequestParts {
  readonly store: Store
  readonly log: Log
  readonly feedWatch: FeedWatch
  readonly node: NodeName
  readonly trace?: Trace | undefined
}

export class WebhookDelivery implements Part {
  readonly name = 'webhooks'
  readonly #options: WebhookDeliveryOptions
  readonly #slots = new DeliverySlots(MAX_REQUESTS)
  readonly #runs: LeasedRuns<Webhook, WebhookRunEnd, WebhookRun>
  readonly #attempts = new Map<(typeof OUTCOMES)[number], number>(OUTCOMES.map((one) => [one, 0]))
  #grown = new Set<string>()
  #gaveWayAt = Number.NEGATIVE_INFINITY
  #checkedAllAt = Number.NEGATIVE_INFINITY
  #unlisten = (): void => {}

  constructor(options: WebhookDeliveryOptions) {
    const { clock, log, store } = options
    this.#options = options
    this.#runs = new LeasedRuns<Webhook, WebhookRunEnd, WebhookRun>({
      ...{ name: this.name, clock, log, everyMs: CLAIM_EVERY_MS, leaseMs: LEASE_MS, stopMs: STOP_MS },
      claim: (time) => this.#claim(time),
      async renew(held, until) {
        const keys = held.map((webhook) => ({ ...keyOf(webhook), until }))
        const renewed = new Set(await store.write(renewWebhooks, keys))
        return held.filter(({ id }) => renewed.has(id))
      },
      begin: (webhook) => this.#begin(webhook),
      release: (webhook, end) => this.#release(webhook, end),
      ends: { lost: 'lost', stopped: 'released' },
    })
  }

  start(): void {
    this.#unlisten = this.#options.feedWatch.listen((feedIds) => this.#grew(feedIds))
    this.#runs.start()
  }

  /** Resolves when active requests have ended and their outcomes are written. */
  async stop(): Promise<void> {
    this.#unlisten()
    await this.#runs.stop()
  }

  figures(): Figure[] {
    const { store, clock } = this.#options
    return [
      {
        name: 'postrider_webhook_attempts_total',
        help: 'Requests to the receivers of webhooks, by outcome',
        kind: 'counter',
        labels: ['outcome'],
        read: () => this.#attempts.entries(),
      },
      {
        name: 'postrider_webhook_requests',
        help: 'Requests under way to the receivers of webhooks',
        kind: 'gauge',
        read: () => this.#slots.taken,
      },
      {
        name: 'postrider_webhook_pending_deliveries',
        help: 'Deliveries of enabled webhooks that wait for a retry',
        kind: 'gauge',
        read: async () => (await countPending(store.read)).pending,
      },
      {
        name: 'postrider_webhook_oldest_pending_seconds',
        help: 'Age of the oldest delivery of an enabled webhook that waits for a retry',
        kind: 'gauge',
        async read() {
          const { oldestId } = await countPending(store.read)
          return oldestId === undefined ? 0 : Math.max(0, clock.now() - timeOfId(oldestId)) / 1_000
        },
      },
    ]
  }

  #grew(feedIds: readonly string[]): void {
    for (const run of this.#runs.runs()) if (feedIds.includes(run.feedId)) run.wake()
    for (const id of feedIds) this.#grown.add(id)
    this.#runs.wake()
  }

  /** Claims webhooks of the feeds with new events, and from time to time any webhook with events to deliver. */
  async #claim(time: LeaseTime): Promise<Claimed<Webhook>> {
    const checksAll = performance.now() - this.#checkedAllAt >= CLAIM_EVERY_MS
    const feedIds = checksAll ? undefined : [...this.#grown]
    if (checksAll) this.#checkedAllAt = performance.now()
    this.#grown = new Set()
    const { held, isFull } = await this.#claimSome(feedIds, time)
    if (isFull && checksAll) this.#checkedAllAt = Number.NEGATIVE_INFINITY
    return { held, hasMore: isFull || this.#grown.size > 0 }
  }

  /**
   * Claims webhooks up to the number of free places; `isFull` is true if these feeds may have more webhooks to claim.
   */
  async #claimSome(feedIds: readonly string[] | undefined, time: LeaseTime) {
    if (this.#runs.size >= MAX_HELD) {
      await this.#makeRoom(feedIds, time.now)
      return { held: [], isFull: false }
    }
    const limit = Math.min(MAX_CLAIMED, MAX_HELD - this.#runs.size)
    const large = largeHolders(this.#runs.runs(), MAX_HELD)
    const held = await this.#claimOf({ feedIds, exceptAccounts: large }, time, limit)
    if (large.length > 0 && held.length < limit) {
      held.push(...(await this.#claimOf({ feedIds }, time, limit - held.length)))
    }
    return { held, isFull: held.length === limit }
  }

  /**
   * Makes one of the held webhooks give way to a waiting webhook, since webhooks with slow receivers always have more
   * to deliver. A webhook that gives way is claimed last and loses the events that it has read ahead, so webhooks give
   * way only once in a while.
   */
  async #makeRoom(feedIds: readonly string[] | undefined, now: number): Promise<void> {
    if (performance.now() - this.#gaveWayAt < CLAIM_EVERY_MS) return
    if (!(await reading(hasClaimable(this.#options.store.read, { feedIds, now })))) return
    this.#gaveWayAt = performance.now()
    givesWay(this.#runs.runs())?.stop('released')
    // The next claim checks all webhooks, so that a waiting webhook gets the free place, and not the webhook that gave
    // way.
    this.#checkedAllAt = Number.NEGATIVE_INFINITY
  }

  async #claimOf(
    query: Omit<Claimable, 'now'>,
    { now, until }: LeaseTime,
    limit: number,
  ): Promise<Webhook[]> {
    const { store, node } = this.#options
    if (!(await reading(hasClaimable(store.read, { ...query, now })))) return []
    return store.write(claimWebhooks, { ...query, lease: node.newToken(), now, until, limit })
  }

  #begin(webhook: Webhook): WebhookRun {
    // An earlier run of the same webhook has lost its lease; outcomes of active requests of that run are not written.
    for (const run of this.#runs.runs()) if (run.webhookId === webhook.id) run.stop('lost')
    const { store, http, clock, receivedMail, trace } = this.#options
    return new WebhookRun({
      ...{ store, http, clock, receivedMail, slots: this.#slots, webhook, trace },
      opened: openWebhook(webhook, store.secrets, clock.now()),
      onAttempt: (outcome) => this.#count(outcome),
    })
  }

  async #release(webhook: Webhook, end: WebhookRunEnd): Promise<void> {
    const { store, clock } = this.#options
    if (end === 'lost') return
    const held = { ...keyOf(webhook), now: clock.now() }
    if (end === 'released') await store.write(releaseWebhooks, held)
    else await store.write(disableWebhook, { ...held, reason: end })
    const run = this.#runs.runs().find(({ webhookId }) => webhookId === webhook.id)
    // Events that arrived while the run ended could not be claimed, because the webhook was still held.
    if (run?.hasMore) this.#grown.add(webhook.feed_id)
  }

  #count({ delivered, answered }: AttemptOutcome): void {
    const outcome = delivered ? 'delivered' : answered ? 'refused' : 'unreachable'
    this.#attempts.set(outcome, (this.#attempts.get(outcome) ?? 0) + 1)
  }
}
