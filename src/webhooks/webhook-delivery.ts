// Delivery of events to webhooks: claims those that have something to deliver, and holds them while there is more.

import type { Figure } from '../lib/figures.ts'
import { timeOfId } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Periodic } from '../lib/periodic.ts'
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
import { WebhookRun, type WebhookRunEnd } from './webhook-run.ts'

/** Requests under way on a node. */
const MAX_REQUESTS = 256
/** Webhooks that a node holds at once. */
const MAX_HELD = 200
/** Webhooks of one claim. */
const MAX_CLAIMED = 100
/** After a node is killed, the webhooks that it holds wait for so long, or until it is started again. */
const LEASE_MS = 6_000
const RENEW_EVERY_MS = 2_000
/** Interval of looking for what is due again; new events are told of at once. */
const CLAIM_EVERY_MS = 500

const UNSERVED = 'a webhook cannot be served now'

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
  readonly #held = new Map<string, WebhookRun>()
  readonly #running = new Set<Promise<void>>()
  readonly #attempts = new Map<(typeof OUTCOMES)[number], number>(OUTCOMES.map((one) => [one, 0]))
  readonly #claiming: Periodic
  readonly #renewing: Periodic
  #grown = new Set<string>()
  #gaveWayAt = Number.NEGATIVE_INFINITY
  #lookedAtAllAt = Number.NEGATIVE_INFINITY
  #unlisten = (): void => {}

  constructor(options: WebhookDeliveryOptions) {
    const { clock, log } = options
    this.#options = options
    this.#claiming = new Periodic({
      ...{ name: 'webhooks to deliver', clock, log, everyMs: CLAIM_EVERY_MS, firstMs: 0, maxRetryMs: 5_000 },
      failure: 'cannot look for webhooks that have something to deliver',
      step: (stopping) => this.#claim(stopping),
    })
    this.#renewing = new Periodic({
      ...{ name: 'leases of webhooks', clock, log, everyMs: RENEW_EVERY_MS, maxRetryMs: RENEW_EVERY_MS },
      failure: 'cannot renew the leases of webhooks',
      step: () => this.#renew(),
    })
  }

  start(): void {
    const { feedWatch } = this.#options
    this.#unlisten = feedWatch.listen((domainIds) => this.#grew(domainIds))
    this.#renewing.start()
    this.#claiming.start()
  }

  /** Ends when the requests under way are answered and written. */
  async stop(): Promise<void> {
    this.#unlisten()
    await this.#claiming.stop()
    for (const held of this.#held.values()) held.end('released')
    await Promise.all(this.#running)
    await this.#renewing.stop()
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
    for (const held of this.#held.values()) if (domainIds.includes(held.domainId)) held.wake()
    for (const id of domainIds) this.#grown.add(id)
    void this.#claiming.run()
  }

  /** Claims webhooks of the domains that have grown, and from time to time all that have something to deliver. */
  async #claim(stopping: AbortSignal): Promise<void> {
    for (let goesOn = true; goesOn && !stopping.aborted; ) {
      const looksAtAll = performance.now() - this.#lookedAtAllAt >= CLAIM_EVERY_MS
      const domainIds = looksAtAll ? undefined : [...this.#grown]
      if (looksAtAll) this.#lookedAtAllAt = performance.now()
      this.#grown = new Set()
      const isFull = await this.#claimSome(domainIds)
      if (isFull && looksAtAll) this.#lookedAtAllAt = Number.NEGATIVE_INFINITY
      goesOn = isFull || this.#grown.size > 0
    }
  }

  /** True if there may be more. */
  async #claimSome(domainIds: readonly string[] | undefined): Promise<boolean> {
    const { store, clock } = this.#options
    if (this.#held.size >= MAX_HELD) {
      // Those of slow receivers always have more: one that is held gives way, and is claimed last. Each that does is claimed
      // anew, and comes back without what it had read ahead: not one after the other.
      if (performance.now() - this.#gaveWayAt < CLAIM_EVERY_MS) return false
      if (await reading(hasClaimable(store.read, { domainIds, now: clock.now() }))) {
        this.#gaveWayAt = performance.now()
        givesWay(this.#held.values())?.end('released')
        // Its place is for whoever waits, not for it once more.
        this.#lookedAtAllAt = Number.NEGATIVE_INFINITY
      }
      return false
    }
    const limit = Math.min(MAX_CLAIMED, MAX_HELD - this.#held.size)
    const large = largeHolders(this.#held.values(), MAX_HELD)
    const claimed = await this.#claimFor({ domainIds, exceptAccounts: large }, limit)
    if (large.length === 0 || claimed === limit) return claimed === limit
    return claimed + (await this.#claimFor({ domainIds }, limit - claimed)) === limit
  }

  /** Claims some and begins them; answers how many. */
  async #claimFor(query: Omit<Claimable, 'now'>, limit: number): Promise<number> {
    const { store, clock, node, log } = this.#options
    const now = clock.now()
    if (!(await reading(hasClaimable(store.read, { ...query, now })))) return 0
    const lease = node.newToken()
    const claimed = await store.write(claimWebhooks, { ...query, lease, now, until: now + LEASE_MS, limit })
    for (const webhook of claimed) {
      try {
        this.#begin(webhook)
      } catch (error) {
        // What cannot be opened keeps no other one waiting.
        log.warn({ err: error, webhook_id: webhook.id }, UNSERVED)
      }
    }
    return claimed.length
  }

  #begin(webhook: Webhook): void {
    // Its lease was lost and is claimed anew; what it has under way is written by nobody.
    this.#held.get(webhook.id)?.end('lost')
    const { store, http, clock, receivedMail, trace } = this.#options
    const held = new WebhookRun({
      ...{ store, http, clock, receivedMail, slots: this.#slots, webhook, trace },
      opened: openWebhook(webhook, store.secrets, clock.now()),
      onAttempt: (outcome) => this.#count(outcome),
    })
    this.#held.set(webhook.id, held)
    const running = this.#serve(held).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  async #serve(held: WebhookRun): Promise<void> {
    let end: WebhookRunEnd | undefined
    try {
      end = await held.run()
      await this.#ended(held, end)
    } catch (error) {
      this.#options.log.warn({ err: error, webhook_id: held.key.id }, UNSERVED)
    } finally {
      if (this.#held.get(held.key.id) === held) this.#held.delete(held.key.id)
    }
    // What came in between found it held.
    if (end === 'released' && held.hasMore) this.#grew([held.domainId])
  }

  async #ended(held: WebhookRun, end: WebhookRunEnd): Promise<void> {
    const { store, clock } = this.#options
    if (end === 'lost') return
    const now = clock.now()
    if (end === 'released') await store.write(releaseWebhooks, { ...held.key, now })
    else await store.write(disableWebhook, { ...held.key, reason: end, now })
  }

  async #renew(): Promise<void> {
    const { store, clock } = this.#options
    const all = [...this.#held.values()]
    if (all.length === 0) return
    const until = clock.now() + LEASE_MS
    const renewed = new Set(
      await store.write(
        renewWebhooks,
        all.map(({ key }) => ({ ...key, until })),
      ),
    )
    for (const held of all) if (!renewed.has(held.key.id)) held.end('lost')
  }

  #count({ delivered, answered }: AttemptOutcome): void {
    const outcome = delivered ? 'delivered' : answered ? 'refused' : 'unreachable'
    this.#attempts.set(outcome, (this.#attempts.get(outcome) ?? 0) + 1)
  }
}
