// Runs one round of a measurement: sends messages, and waits until the last message has arrived at the sink.

import type { LoadResult } from '../processes/http-load.ts'
import type { SinkReport } from '../processes/smtp-sink.ts'
import type { Counted, HandOver } from './hand-over.ts'
import type { Sink } from './rig.ts'

const WARM_UP_SECONDS = 6
/** Time without an arrival after which the missing messages count as lost or deferred. */
const QUIET_MS = 10_000
const SAMPLES = 50

/** Report on the messages that arrived at the sink. */
export interface Arrival {
  readonly sink: SinkReport
  /** Messages per second, from the start of the round to the arrival of the last message. */
  readonly perSecond: number
}

/** Result of a round; a round begins with the first request. */
export interface Round extends Arrival {
  readonly load: LoadResult
}

/** Sends messages that are not measured, until the code is compiled and the connections are open. */
export async function warmUp(handOver: HandOver, sink: Sink): Promise<void> {
  const startedAt = Date.now()
  await sink.process.ask('reset', { keep: 0 })
  const { requests } = await handOver({ seconds: WARM_UP_SECONDS })
  await arrival(sink, requests, startedAt)
}

/** Sends a batch of messages, and waits until the messages arrive at the sink. */
export async function runRound(handOver: HandOver, sink: Sink, batch: Counted): Promise<Round> {
  await keepSamples(sink, batch.count)
  const load = await handOver(batch)
  return { load, ...(await arrival(sink, batch.count, load.startedAt)) }
}

/** Resets the counters of the sink, which then keeps one in `count / SAMPLES` messages as a sample. */
export const keepSamples = (sink: Sink, count: number): Promise<void> =>
  sink.process.ask('reset', { keep: Math.ceil(count / SAMPLES) })

/** Waits for the arrival of the messages that were sent since `startedAt` (milliseconds since 1970). */
export async function arrival({ process }: Sink, count: number, startedAt: number): Promise<Arrival> {
  await process.ask('until', { count, quietMs: QUIET_MS })
  const sink = await process.ask('report', undefined)
  return { sink, perSecond: (sink.messages * 1000) / (sink.lastAt - startedAt) }
}

/** True if all of `count` messages were accepted and arrived exactly once. */
export const allOnce = ({ load, sink }: Round, count: number): boolean =>
  load.refused === 0 && sink.messages === count && sink.repeated === 0
