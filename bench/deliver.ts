// Delivering: from the request over HTTP, durable and signed, to the sink over SMTP, all of it on this machine.

import { availableParallelism } from 'node:os'
import type { HttpLoad, HttpLoadCalls, LoadResult } from './http-load.ts'
import type { Options } from './options.ts'
import type { ProcessFigures } from './process-figures.ts'
import { figure, goal, heading, line } from './report.ts'
import { type Node, Rig } from './rig.ts'
import { measureSignRate } from './sign-rate.ts'
import { countSigned } from './signatures.ts'
import type { SinkReport, SmtpSinkCalls } from './smtp-sink.ts'

const WARM_UP_MESSAGES = 2_000
const SAMPLES = 50
/** Nothing arrived for so long: the rest is lost, or waits for a retry. */
const QUIET_MS = 10_000

interface Delivered {
  readonly load: LoadResult
  readonly sink: SinkReport
  readonly figures: ProcessFigures
  /** When the measured time began, in milliseconds since 1970. */
  readonly startedAt: number
  readonly signed: number
}

/** `npm run bench -- deliver` */
export async function measureDeliver(options: Options): Promise<void> {
  const cores = availableParallelism()
  const before = await measureSignRate(cores)
  const rig = await Rig.open(options)
  let delivered: Delivered
  try {
    delivered = await (options.prefilled
      ? deliverPrefilled(rig, options)
      : deliverWhileAccepting(rig, options))
  } finally {
    await rig.close()
  }
  report(delivered, options, (before + (await measureSignRate(cores))) / 2)
}

const loadOf = ({ started }: Node, rig: Rig, { connections }: Options): HttpLoad => ({
  url: started.url,
  key: started.playground.sending_key,
  connections,
  destinations: rig.destinations,
})

async function deliverWhileAccepting(rig: Rig, options: Options): Promise<Delivered> {
  const { messages: count, rate } = options
  const sink = rig.child<SmtpSinkCalls>('smtp-sink.ts')
  const node = await rig.node('api,delivery', (await sink.ask('start', options)).port)
  const load = rig.child<HttpLoadCalls>('http-load.ts')
  const base = loadOf(node, rig, options)
  await load.ask('run', { ...base, count: WARM_UP_MESSAGES, first: count })
  await sink.ask('until', { count: WARM_UP_MESSAGES, quietMs: QUIET_MS })
  await sink.ask('reset', { keep: Math.ceil(count / SAMPLES) })
  await node.process.ask('reset', undefined)
  const result = await load.ask('run', { ...base, count, rate })
  await sink.ask('until', { count, quietMs: QUIET_MS })
  return finished(rig, node, sink, result, result.startedAt)
}

async function deliverPrefilled(rig: Rig, options: Options): Promise<Delivered> {
  const { messages: count } = options
  const accepting = await rig.node('api')
  const load = rig.child<HttpLoadCalls>('http-load.ts')
  const result = await load.ask('run', { ...loadOf(accepting, rig, options), count })
  await accepting.process.stop()
  const sink = rig.child<SmtpSinkCalls>('smtp-sink.ts')
  const { port } = await sink.ask('start', options)
  await sink.ask('reset', { keep: Math.ceil(count / SAMPLES) })
  const startedAt = Date.now()
  const node = await rig.node('delivery', port)
  await sink.ask('until', { count, quietMs: QUIET_MS })
  return finished(rig, node, sink, result, startedAt)
}

async function finished(
  rig: Rig,
  node: Node,
  sink: { ask(name: 'report', given: undefined): Promise<SinkReport> },
  load: LoadResult,
  startedAt: number,
): Promise<Delivered> {
  const figures = await node.process.ask('figures', undefined)
  const arrived = await sink.ask('report', undefined)
  const signed = await countSigned(arrived.kept, await rig.records())
  return { load, sink: arrived, figures, startedAt, signed }
}

function report(
  { load, sink, figures, startedAt, signed }: Delivered,
  options: Options,
  signRate: number,
): void {
  const perSecond = (sink.messages * 1000) / (sink.lastAt - startedAt)
  const kind = options.prefilled ? 'accepted before' : 'accepted meanwhile'
  heading(
    `deliver: ${options.messages} messages ${kind}, ${options.destinations} destinations, ${options.chunking ? 'BDAT' : 'DATA'}, ${options.database}`,
  )
  line('accepted/s', figure(load.perSecond))
  line('accept p50, p99', figure(load.p50, 'ms'), figure(load.p99, 'ms'))
  line('end to end, messages/s', figure(perSecond))
  line('RSA-2048 signatures/s here', figure(signRate))
  line('ratio', figure(perSecond / signRate))
  line('request to sink p50, p99', figure(sink.p50, 'ms'), figure(sink.p99, 'ms'))
  line('CPU a message', figure(figures.cpuMicros / sink.messages, 'µs'))
  line('event loop delay p99', figure(figures.loopDelayP99Ms, 'ms'))
  line('RSS peak', figure(figures.peakRssMiB, 'MiB'))
  line('connections to the sink, at most', String(sink.mostOpen))
  line('CPU of load, of sink a message', figure(load.cpuMicros, 'µs'), figure(sink.cpuMicros, 'µs'))
  line('arrived, of them again', String(sink.messages), String(sink.repeated))
  line('refused', String(load.refused))
  line('signatures checked, good', String(sink.kept.length), String(signed))
  goal('every message once', sink.messages === options.messages && sink.repeated === 0 && load.refused === 0)
  goal('both signatures good', signed === sink.kept.length && signed > 0)
  if (options.rate === undefined) goal('2,000 messages/s', perSecond >= 2_000)
  goal('RSS under 300 MiB', figures.peakRssMiB < 300)
}
