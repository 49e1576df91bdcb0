// Metrics of the queue depth, the size of the store and the free disk space, which belong to no single part of a node.

import type { Config } from '../config/settings.ts'
import type { Clock } from '../lib/clock.ts'
import { freeBytes } from '../lib/disk.ts'
import type { Figure } from '../lib/figures.ts'
import { timeOfId } from '../lib/ids.ts'
import { reading, type Store, storeBytes } from '../store/database/store.ts'
import { countOpenIncidents } from '../store/incidents/incident-reads.ts'
import { countListed } from '../store/node/list-looks.ts'
import { depthByDestination, depthByState, type QueueDepth } from '../store/queue/queue-depth.ts'

/**
 * Time for which a result is reused, because several monitoring systems may each scrape the metrics every 15 to 60
 * seconds.
 */
const REUSE_MS = 10_000

/** Queue states that are reported even at zero, so that alerts can refer to these states. */
const STATES = ['queued', 'deferred', 'scheduled', 'held'] as const

/** Returns the metrics of the queue depth. All nodes report the same values with PostgreSQL. */
export function queueDepthFigures({ read }: Store, clock: Clock): Figure[] {
  const states = paced(() => reading(depthByState(read)), REUSE_MS)
  const destinations = paced(() => reading(depthByDestination(read)), REUSE_MS)
  const age = ({ oldestMessageId }: QueueDepth): number =>
    Math.max(0, clock.now() - timeOfId(oldestMessageId)) / 1_000
  return [
    {
      name: 'postrider_queue_recipients',
      help: 'Recipients in the queue, by state',
      kind: 'gauge',
      labels: ['state'],
      async read() {
        const found = await states()
        return [...new Set([...STATES, ...found.keys()])].map(
          (state) => [state, found.get(state)?.recipients ?? 0] as const,
        )
      },
    },
    {
      name: 'postrider_queue_oldest_seconds',
      help: 'Age of the oldest message in the queue, by state; 0 when there is none',
      kind: 'gauge',
      labels: ['state'],
      async read() {
        const found = await states()
        return [...new Set([...STATES, ...found.keys()])].map((state) => {
          const depth = found.get(state)
          return [state, depth === undefined ? 0 : age(depth)] as const
        })
      },
    },
    {
      name: 'postrider_queue_destination_recipients',
      help: 'Recipients in the queue, for the destinations with the most recipients',
      kind: 'gauge',
      labels: ['destination'],
      read: async () =>
        [...(await destinations())].map(([name, { recipients }]) => [name, recipients] as const),
    },
    {
      name: 'postrider_queue_destination_oldest_seconds',
      help: 'Age of the oldest message in the queue, for the destinations with the most recipients',
      kind: 'gauge',
      labels: ['destination'],
      read: async () => [...(await destinations())].map(([name, depth]) => [name, age(depth)] as const),
    },
  ]
}

/** Returns the metric of listed addresses and domains. All nodes report the same values with PostgreSQL. */
export function listingFigures({ read }: Store): Figure[] {
  return [
    {
      name: 'postrider_listed_addresses',
      help: 'Own addresses and domains that a block list names, by list',
      kind: 'gauge',
      labels: ['zone'],
      read: paced(() => reading(countListed(read)), REUSE_MS),
    },
  ]
}

/** Returns the metrics of the store's size and of the free space on the disk with the data directory. */
export function spaceFigures(config: Config, { read }: Store): Figure[] {
  const bytes = paced(() => storeBytes(read, config), REUSE_MS)
  return [
    {
      name: 'postrider_store_bytes',
      help: 'Size of the store, with its indexes and its write-ahead log',
      kind: 'gauge',
      read: bytes,
    },
    {
      name: 'postrider_disk_free_bytes',
      help: 'Free space on the disk of the data directory',
      kind: 'gauge',
      read: () => freeBytes(config.dataDir),
    },
  ]
}

/** Returns the metric of the open incidents, by cause. All nodes report the same values with PostgreSQL. */
export function incidentFigures({ read }: Store): Figure[] {
  const counts = paced(() => reading(countOpenIncidents(read)), REUSE_MS)
  return [
    {
      name: 'postrider_incidents_open',
      help: 'Open incidents of all domains, by cause',
      kind: 'gauge',
      labels: ['cause'],
      read: async () => [...(await counts())],
    },
  ]
}

/** Inverse of the maximum share of time that reads may use (1/50). */
const ONE_IN = 50

/**
 * Wraps a read so that the result is reused for `minMs` milliseconds, or longer after a slow read. A failed read is
 * retried at the next call.
 */
function paced<T>(read: () => Promise<T>, minMs: number): () => Promise<T> {
  let last: Promise<T> | undefined
  let until = 0
  return () => {
    if (last !== undefined && performance.now() < until) return last
    const began = performance.now()
    until = Number.POSITIVE_INFINITY
    const reading = read()
    last = reading
    reading.then(
      () => {
        until = performance.now() + Math.max(minMs, (performance.now() - began) * ONE_IN)
      },
      () => {
        until = 0
      },
    )
    return reading
  }
}
