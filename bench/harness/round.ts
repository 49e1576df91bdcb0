// Runs one round: sends messages and waits until the last one is at the sink.

import type { LoadResult } from '../processes/http-load.ts'
import type { SinkReport } from '../processes/smtp-sink.ts'
import type { Counted, HandOver } from './hand-over.ts'
import type { Sink } from './rig.ts'

const WARM_UP_SECONDS = 6
/** After this time without an arrival the remaining messages count as lost or waiting for a retry. */
const QUIET_MS = 10_000
const SAMPLES = 50

/** Messages that arrived at the sink. */
export interface Arrival {
  readonly sink: SinkReport
  /** Messages a second, from the beginning to the last message at the sink. */
  readonly perSecond: number
}

/** Result of a round, which begins with the first request. */
export interface Round extends Arrival {
  readonly load: LoadResult
}

/** Sends uncounted messages until code is compiled and connections are open. */
export async function warmUp(handOver: HandOver, sink: Sink): Promise<void> {
  const startedAt = Date.now()
  await sink.process.ask('reset', { keep: 0 })
  const { requests } = await handOver({ seconds: WARM_UP_SECONDS })
  await arrival(sink, requests, startedAt)
}

/** Sends a batch and waits for its arrival. */
export async function runRound(handOver: HandOver, sink: Sink, batch: Counted): Promise<Round> {
  await keepSamples(sink, batch.count)
  const load = await handOver(batch)
  return { load, ...(await arrival(sink, batch.count, load.startedAt)) }
}

/** Resets the sink's figures; of `count` messages the sink keeps some. */
export const keepSamples = (sink: Sink, count: number): Promise<void> =>
  sink.process.ask('reset', { keep: Math.ceil(count / SAMPLES) })

/** Waits for the messages that are sent since `startedAt`, in milliseconds since 1970. */
export async function arrival({ process }: Sink, count: number, startedAt: number): Promise<Arrival> {
  await process.ask('until', { count, quietMs: QUIET_MS })
  const sink = await process.ask('report', undefined)
  return { sink, perSecond: (sink.messages * 1000) / (sink.lastAt - startedAt) }
}

/** Returns true if each of `count` messages was accepted and arrived exactly once. */
export const allOnce = ({ load, sink }: Round, count: number): boolean =>
  load.refused === 0 && sink.messages === count && sink.repeated === 0
