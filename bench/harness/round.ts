// A round: messages handed over, and the wait until the last of them is at the sink.

import type { LoadResult } from '../processes/http-load.ts'
import type { SinkReport } from '../processes/smtp-sink.ts'
import type { Counted, HandOver } from './hand-over.ts'
import type { Sink } from './rig.ts'

const WARM_UP_SECONDS = 6
/** Nothing arrived for so long: the rest is lost, or waits for a retry. */
const QUIET_MS = 10_000
const SAMPLES = 50

/** Messages that came to the sink. */
export interface Arrival {
  readonly sink: SinkReport
  /** Messages a second, from the beginning to the last message at the sink. */
  readonly perSecond: number
}

/** Result of a round; it begins with the first request. */
export interface Round extends Arrival {
  readonly load: LoadResult
}

/** Uncounted messages, until code is compiled and connections are open. */
export async function warmUp(handOver: HandOver, sink: Sink): Promise<void> {
  const startedAt = Date.now()
  await sink.process.ask('reset', { keep: 0 })
  const { requests } = await handOver({ seconds: WARM_UP_SECONDS })
  await arrival(sink, requests, startedAt)
}

/** Hands a batch over and waits for it. */
export async function runRound(handOver: HandOver, sink: Sink, batch: Counted): Promise<Round> {
  await keepSamples(sink, batch.count)
  const load = await handOver(batch)
  return { load, ...(await arrival(sink, batch.count, load.startedAt)) }
}

/** Begins the sink's figures anew; of `count` messages it keeps some. */
export const keepSamples = (sink: Sink, count: number): Promise<void> =>
  sink.process.ask('reset', { keep: Math.ceil(count / SAMPLES) })

/** Waits for messages that were, or are being, handed over since `startedAt`, in milliseconds since 1970. */
export async function arrival({ process }: Sink, count: number, startedAt: number): Promise<Arrival> {
  await process.ask('until', { count, quietMs: QUIET_MS })
  const sink = await process.ask('report', undefined)
  return { sink, perSecond: (sink.messages * 1000) / (sink.lastAt - startedAt) }
}

/** True if each of `count` messages was taken and came once. */
export const allOnce = ({ load, sink }: Round, count: number): boolean =>
  load.refused === 0 && sink.messages === count && sink.repeated === 0
