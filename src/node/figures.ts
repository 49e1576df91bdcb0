// The figures of a node that no part has by itself: how deep the queue is, and how full the disk.

import type { Config } from '../config/settings.ts'
import type { Clock } from '../lib/clock.ts'
import { freeBytes } from '../lib/disk.ts'
import type { Figure } from '../lib/figures.ts'
import { timeOfId } from '../lib/ids.ts'
import { reading, type Store } from '../store/database/store.ts'
import { storeBytes } from '../store/database/store-size.ts'
import { depthByDestination, depthByState, type QueueDepth } from '../store/queue/queue-depth.ts'

/** Lifetime of a look at the store: a scrape comes every 15 to 60 seconds, of several watchers perhaps. */
const LOOK_MS = 10_000

/** States that are always told, so that an alert on them has something to look at. */
const STATES = ['queued', 'deferred', 'scheduled', 'held'] as const

/** The figures of the queue, which on PostgreSQL are the same on every node. */
export function queueDepthFigures({ read }: Store, clock: Clock): Figure[] {
  const states = paced(() => reading(depthByState(read)), LOOK_MS)
  const destinations = paced(() => reading(depthByDestination(read)), LOOK_MS)
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
      help: 'Recipients in the queue, of the destinations that most wait for',
      kind: 'gauge',
      labels: ['destination'],
      read: async () =>
        [...(await destinations())].map(([name, { recipients }]) => [name, recipients] as const),
    },
    {
      name: 'postrider_queue_destination_oldest_seconds',
      help: 'Age of the oldest message in the queue, of the destinations that most wait for',
      kind: 'gauge',
      labels: ['destination'],
      read: async () => [...(await destinations())].map(([name, depth]) => [name, age(depth)] as const),
    },
  ]
}

/** The figures of the store's size and of the disk below the data directory. */
export function spaceFigures(config: Config, { read }: Store): Figure[] {
  const bytes = paced(() => storeBytes(read, config), LOOK_MS)
  return [
    {
      name: 'postrider_store_bytes',
      help: 'Size of the store, with its indexes and its write-ahead log',
      kind: 'gauge',
      read: bytes,
    },
    {
      name: 'postrider_disk_free_bytes',
      help: 'Room that is left on the disk of the data directory',
      kind: 'gauge',
      read: () => freeBytes(config.dataDir),
    },
  ]
}

/** At the most one part in so many of the time is spent on it. */
const ONE_IN = 50

/**
 * Wraps a read: its result stands for `minMs` milliseconds, or for longer when the read took long. A read that failed
 * is tried again at the next call.
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
