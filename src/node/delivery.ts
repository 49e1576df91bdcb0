// Builds delivery from the settings: the queue manager and its egress.

import { messageOpener } from '../delivery/deliver.ts'
import type { Preparation } from '../delivery/prepare.ts'
import { longestWaitOf } from '../delivery/retry.ts'
import { keepInInbox } from '../delivery/test-inbox.ts'
import type { Figure } from '../lib/figures.ts'
import { ClockSteps } from '../operator/clock-steps.ts'
import { QueueManager } from '../queue/manager.ts'
import { timeoutsWithin } from '../smtp/timeouts.ts'
import type { ClockWatch } from '../store/node/clock-watch.ts'
import type { Egress } from './egress.ts'
import type { NodeParts } from './parts.ts'
import type { PlacedConfig } from './placement.ts'
import { tracedOpener } from './traces.ts'

/** Parts of the node that delivery needs. */
export interface DeliveryParts extends NodeParts {
  readonly config: PlacedConfig
  /** Secret of the installation. */
  readonly secret: string
  readonly preparation: Preparation
  readonly clockWatch: ClockWatch
  readonly egress: Egress
}

/** Starts the queue and delivery; returns undefined on a node that does not deliver. */
export async function startDelivery(parts: DeliveryParts): Promise<QueueManager | undefined> {
  const { config, store, clock, log, node, lifecycle, secret, preparation, clockWatch, egress } = parts
  if (!config.roles.includes('delivery')) return undefined
  const maxWaitMs = longestWaitOf(config.retrySchedule)
  const skew = () => clockWatch.skew
  await lifecycle.start(new ClockSteps({ store, clock, log, skew, maxWaitMs }))
  return lifecycle.start(
    new QueueManager({
      ...{ store, clock, log, node, skew, logMail: parts.logMail },
      dataDir: config.nodeDir,
      formerWorkers: config.formerWorkers,
      alone: config.databaseUrl === undefined,
      rates: new Map(config.destinationRates),
      delivery: (stopping) =>
        tracedOpener(
          messageOpener({
            ...{ store, preparation, routes: egress.routes, egress: egress.attempts, clock, log, stopping },
            timeouts: timeoutsWithin(config.replyTimeoutMs),
            retrySchedule: config.retrySchedule,
            returnPathSecret: secret,
            keepInInbox,
          }),
          parts.trace,
        ),
    }),
  )
}

/** Returns the metrics of delivery. */
export const queueFigures = (queue: QueueManager): Figure[] => [
  {
    name: 'postrider_attempts_total',
    help: 'Finished delivery attempts, by outcome and category (empty without a category)',
    kind: 'counter',
    labels: ['outcome', 'category'],
    read: () => queue.ended,
  },
  {
    name: 'postrider_attempts_in_flight',
    help: 'Delivery attempts under way',
    kind: 'gauge',
    read: () => queue.inFlight,
  },
]
