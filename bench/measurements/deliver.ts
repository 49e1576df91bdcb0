// Measures delivery from the request to the sink on one machine, with durable writes and DKIM signatures.

import { availableParallelism } from 'node:os'
import { type DatabaseCost, databaseCost } from '../harness/database-cost.ts'
import { doorRole, loadOn } from '../harness/hand-over.ts'
import type { Options } from '../harness/options.ts'
import type { ProcessFigures } from '../harness/process-figures.ts'
import { figure, goal, heading, line, threadFigures } from '../harness/report.ts'
import { Rig } from '../harness/rig.ts'
import { allOnce, arrival, keepSamples, type Round, runRound, warmUp } from '../harness/round.ts'
import { countSigned } from '../harness/signatures.ts'
import { keep } from '../record/figures.ts'
import { measureBesideBlackHole } from './deliver-beside-black-hole.ts'
import { measureBesidePostfix } from './deliver-beside-postfix.ts'
import { measureFromLongQueue } from './deliver-from-long-queue.ts'
import { measureOverLongLine } from './deliver-over-long-line.ts'
import { measureSignRate } from './sign-rate.ts'

interface Delivered {
  readonly round: Round
  readonly figures: ProcessFigures
  readonly signed: number
  /** Resource usage of PostgreSQL before and after the round. */
  readonly database: readonly (DatabaseCost | undefined)[]
}

/** Runs the measurement `npm run bench -- deliver`. */
export async function measureDeliver(options: Options): Promise<void> {
  if (options.beside !== undefined) await measureBesidePostfix(options)
  else if (options.proxy) await measureOverLongLine(options)
  else if (options.blackHole) await measureBesideBlackHole(options)
  else if (options.queued !== undefined) await measureFromLongQueue(options, options.queued)
  else await measureAlone(options)
}

async function measureAlone(options: Options): Promise<void> {
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

async function deliverWhileAccepting(rig: Rig, options: Options): Promise<Delivered> {
  const sink = await rig.sink()
  const node = await rig.node(`${doorRole(options)},delivery`, sink.port)
  const handOver = await loadOn(node, rig, options)
  await warmUp(handOver, sink)
  const { databaseUrl } = rig.storage
  const before = await databaseCost(databaseUrl)
  await node.process.ask('reset', undefined)
  const round = await runRound(handOver, sink, { count: options.messages, rate: options.rate })
  const figures = await node.process.ask('figures', undefined)
  const database = [before, await databaseCost(databaseUrl)]
  return { round, figures, database, signed: await countSigned(round.sink.kept, await rig.records()) }
}

async function deliverPrefilled(rig: Rig, options: Options): Promise<Delivered> {
  const { messages: count } = options
  const accepting = await rig.node(doorRole(options))
  const handOver = await loadOn(accepting, rig, options)
  const before = await databaseCost(rig.storage.databaseUrl)
  const load = await handOver({ count })
  await accepting.process.stop()
  const sink = await rig.sink()
  await keepSamples(sink, count)
  const startedAt = Date.now()
  const node = await rig.node('delivery', sink.port)
  const round = { load, ...(await arrival(sink, count, startedAt)) }
  const figures = await node.process.ask('figures', undefined)
  const database = [before, await databaseCost(rig.storage.databaseUrl)]
  return { round, figures, database, signed: await countSigned(round.sink.kept, await rig.records()) }
}

function report({ round, figures, signed, database }: Delivered, options: Options, signRate: number): void {
  const { load, sink, perSecond } = round
  const kind = options.prefilled ? 'accepted before' : 'accepted meanwhile'
  heading(
    `deliver: ${options.messages} messages ${kind} over ${options.door}, ${options.destinations} destinations, ${options.chunking ? 'BDAT' : 'DATA'}, ${options.database}`,
  )
  line('accepted/s', figure(load.perSecond))
  line('accept p50, p99', figure(load.p50, 'ms'), figure(load.p99, 'ms'))
  line('end to end, messages/s', figure(perSecond))
  line('RSA-2048 signatures/s here', figure(signRate))
  line('ratio', figure(perSecond / signRate))
  line('request to sink p50, p99', figure(sink.p50, 'ms'), figure(sink.p99, 'ms'))
  line('CPU a message', figure(figures.cpuMicros / sink.messages, 'µs'))
  line('of each thread, µs', threadFigures(figures.threadMicros, sink.messages))
  const [before, after] = database
  if (before !== undefined && after !== undefined) {
    const each = (key: keyof DatabaseCost): number => (after[key] - before[key]) / sink.messages
    line('PostgreSQL: CPU a message', figure(each('cpuMicros'), 'µs'))
    line('PostgreSQL: log, stored a message', figure(each('walBytes'), 'B'), figure(each('storedBytes'), 'B'))
    line('PostgreSQL: transactions a message', figure(each('commits')))
  }
  line('event loop delay p99', figure(figures.loopDelayP99Ms, 'ms'))
  line('RSS peak', figure(figures.peakRssMiB, 'MiB'))
  line('connections to the sink, at most', String(sink.mostOpen))
  line('CPU of load, of sink a message', figure(load.cpuMicros, 'µs'), figure(sink.cpuMicros, 'µs'))
  line('arrived, of them again', String(sink.messages), String(sink.repeated))
  line('refused', String(load.refused))
  line('signatures checked, good', String(sink.kept.length), String(signed))
  keep('sign_rate', [signRate])
  const name = options.prefilled ? 'prefilled' : 'deliver'
  keep(`${name}_ratio`, [perSecond / signRate])
  keep(`${name}_cpu`, [figures.cpuMicros / sink.messages])
  keep(`${name}_memory`, [figures.peakRssMiB])
  goal('every message once', allOnce(round, options.messages))
  goal('both signatures good', signed === sink.kept.length && signed > 0)
  if (options.rate === undefined) goal('2,000 messages/s', perSecond >= 2_000)
  goal('RSS under 300 MiB', figures.peakRssMiB < 300)
}
