// Measures delivery from a long queue: the cost of a claim in comparison with a claim from a short queue, and the
// memory of the delivering process.

import type { Store } from '../../src/store/database/store.ts'
import { releaseLeases } from '../../src/store/queue/leases.ts'
import { claim } from '../../test/support/queued.ts'
import { fillQueue } from '../harness/long-queue.ts'
import type { Options } from '../harness/options.ts'
import type { ProcessFigures } from '../harness/process-figures.ts'
import { figure, goal, heading, line, median, quantile } from '../harness/report.ts'
import { Rig } from '../harness/rig.ts'
import { type Arrival, arrival, keepSamples } from '../harness/round.ts'

const SHORT = 1_000
/** Number of recipients in one claim; the queue manager claims at most 256 recipients. */
const CLAIMED = 100
const CLAIMS = 200
const WARM_UP_CLAIMS = 20

/** Durations of claims from the short and the long queue, in microseconds per recipient. */
interface Costs {
  readonly short: readonly number[]
  readonly long: readonly number[]
}

/** Runs the measurement `npm run bench -- deliver --queued N`. */
export async function measureFromLongQueue(options: Options, queued: number): Promise<void> {
  const short = await Rig.open(options)
  const long = await Rig.open(options)
  try {
    const stores = [await filled(short, SHORT), await filled(long, queued)] as const
    const costs = await claimCosts(...stores)
    for (const store of stores) await store.close()
    report(costs, await deliverFrom(long, options), queued, options)
  } finally {
    await long.close()
    await short.close()
  }
}

/** Opens the rig's store and fills its queue; the start of a node creates the tables and the domain first. */
async function filled(rig: Rig, count: number): Promise<Store> {
  const node = await rig.node('api')
  await node.process.stop()
  const store = await rig.openStore()
  const start = performance.now()
  await fillQueue(store, count, rig.destinations)
  line(`queued ${count.toLocaleString('en')} in`, figure((performance.now() - start) / 1000, 's'))
  return store
}

async function claimCosts(short: Store, long: Store): Promise<Costs> {
  for (let left = WARM_UP_CLAIMS; left > 0; left--) {
    await claimCost(short)
    await claimCost(long)
  }
  const costs = { short: [] as number[], long: [] as number[] }
  for (let left = CLAIMS; left > 0; left--) {
    costs.short.push(await claimCost(short))
    costs.long.push(await claimCost(long))
  }
  return costs
}

/** Returns the duration of one claim, including its commit; releases the claimed recipients afterwards. */
async function claimCost(store: Store): Promise<number> {
  const start = performance.now()
  const { recipients } = await claim(store, {
    now: Date.now(),
    limit: CLAIMED,
    bytes: Number.MAX_SAFE_INTEGER,
  })
  const took = performance.now() - start
  if (recipients.length !== CLAIMED) throw new Error(`a claim returned ${recipients.length} recipients`)
  await store.write(releaseLeases, { held: recipients, now: Date.now() })
  return (took * 1000) / CLAIMED
}

interface Delivered extends Arrival {
  readonly figures: ProcessFigures
}

async function deliverFrom(rig: Rig, options: Options): Promise<Delivered> {
  const sink = await rig.sink()
  await keepSamples(sink, options.messages)
  const startedAt = Date.now()
  const node = await rig.node('delivery', sink.port)
  const arrived = await arrival(sink, options.messages, startedAt)
  return { ...arrived, figures: await node.process.ask('figures', undefined) }
}

function report(
  costs: Costs,
  { sink, perSecond, figures }: Delivered,
  queued: number,
  options: Options,
): void {
  const long = queued.toLocaleString('en')
  heading(
    `deliver from a queue of ${long}, ${options.destinations} destinations, ${options.database}; claims of ${CLAIMED}, ${CLAIMS} of each`,
  )
  line('', 'of 1,000', `of ${long}`)
  const both = (label: string, of: (values: readonly number[]) => number): void =>
    line(label, figure(of(costs.short), 'µs'), figure(of(costs.long), 'µs'))
  both('claim a recipient, median', median)
  both('lower quartile', (values) => quantile(values, 0.25))
  both('upper quartile', (values) => quantile(values, 0.75))
  both('99th percentile', (values) => quantile(values, 0.99))
  line('delivered from the long one', String(sink.messages))
  line('messages/s', figure(perSecond))
  line('CPU a message', figure(figures.cpuMicros / sink.messages, 'µs'))
  line('connections to the sink, at most', String(sink.mostOpen))
  line('RSS peak while it delivers', figure(figures.peakRssMiB, 'MiB'))
  goal('a claim within 1.5 times', median(costs.long) <= 1.5 * median(costs.short))
  goal('every message once', sink.repeated === 0 && sink.messages >= options.messages)
  goal('RSS under 400 MiB', figures.peakRssMiB < 400)
}
