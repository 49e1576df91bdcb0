// Delivery of events to webhooks: claims those that have something to deliver, and holds them while there is more.

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

/** Requests under way on a node. */
const MAX_REQUESTS = 256
/** Webhooks that a node holds at once. */
const MAX_HELD = 200
/** Webhooks of one claim. */
const MAX_CLAIMED = 100
/** After a node is killed, the webhooks that it holds wait for so long, or until it is started again. */
const LEASE_MS = 6_000
/** Time for requests under way when the node stops: a little more than one may take. */
const STOP_MS = 20_000
/** Pause between two looks for deliveries that are due again; new events are announced at once. */
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
  #lookedAtAllAt = Number.NEGATIVE_INFINITY
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
    this.#unlisten = this.#options.feedWatch.listen((domainIds) => this.#grew(domainIds))
    this.#runs.start()
  }

  /** Ends when the requests under way are answered and written. */
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
        help: 'Requests to the receivers of webhooks that are under way',
        kind: 'gauge',
        read: () => this.#slots.taken,
      },
      {
        name: 'postrider_webhook_pending_deliveries',
        help: 'Deliveries of enabled webhooks that are to be tried again',
        kind: 'gauge',
        read: async () => (await countPending(store.read)).pending,
      },
      {
        name: 'postrider_webhook_oldest_pending_seconds',
        help: 'Age of the oldest delivery of an enabled webhook that is to be tried again',
        kind: 'gauge',
        async read() {
          const { oldestId } = await countPending(store.read)
          return oldestId === undefined ? 0 : Math.max(0, clock.now() - timeOfId(oldestId)) / 1_000
        },
      },
    ]
  }

  #grew(domainIds: readonly string[]): void {
    for (const run of this.#runs.runs()) if (domainIds.includes(run.domainId)) run.wake()
    for (const id of domainIds) this.#grown.add(id)
    this.#runs.wake()
  }

  /** Claims webhooks of the domains that have grown, and from time to time all that have something to deliver. */
  async #claim(time: LeaseTime): Promise<Claimed<Webhook>> {
    const looksAtAll = performance.now() - this.#lookedAtAllAt >= CLAIM_EVERY_MS
    const domainIds = looksAtAll ? undefined : [...this.#grown]
    if (looksAtAll) this.#lookedAtAllAt = performance.now()
    this.#grown = new Set()
    const { held, isFull } = await this.#claimSome(domainIds, time)
    if (isFull && looksAtAll) this.#lookedAtAllAt = Number.NEGATIVE_INFINITY
    return { held, hasMore: isFull || this.#grown.size > 0 }
  }

  /** `isFull` if there may be more of these domains. */
  async #claimSome(domainIds: readonly string[] | undefined, time: LeaseTime) {
    if (this.#runs.size >= MAX_HELD) {
      await this.#makeRoom(domainIds, time.now)
      return { held: [], isFull: false }
    }
    const limit = Math.min(MAX_CLAIMED, MAX_HELD - this.#runs.size)
    const large = largeHolders(this.#runs.runs(), MAX_HELD)
    const held = await this.#claimOf({ domainIds, exceptAccounts: large }, time, limit)
    if (large.length > 0 && held.length < limit) {
      held.push(...(await this.#claimOf({ domainIds }, time, limit - held.length)))
    }
    return { held, isFull: held.length === limit }
  }

  /**
   * Has one of the webhooks that are held give way to one that waits: those of slow receivers always have more to deliver.
   * A webhook that gives way is claimed last, and comes back without what it had read ahead: not one after the other.
   */
  async #makeRoom(domainIds: readonly string[] | undefined, now: number): Promise<void> {
    if (performance.now() - this.#gaveWayAt < CLAIM_EVERY_MS) return
    if (!(await reading(hasClaimable(this.#options.store.read, { domainIds, now })))) return
    this.#gaveWayAt = performance.now()
    givesWay(this.#runs.runs())?.stop('released')
    // Its place is for whoever waits, not for it once more.
    this.#lookedAtAllAt = Number.NEGATIVE_INFINITY
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
    // Its lease was lost and is claimed anew; nobody writes the outcome of requests that it has under way.
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
    // Events that came while it ended found it held.
    if (run?.hasMore) this.#grown.add(webhook.domain_id)
  }

  #count({ delivered, answered }: AttemptOutcome): void {
    const outcome = delivered ? 'delivered' : answered ? 'refused' : 'unreachable'
    this.#attempts.set(outcome, (this.#attempts.get(outcome) ?? 0) + 1)
  }
}
