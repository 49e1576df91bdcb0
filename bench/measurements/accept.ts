// Measures the acceptance of messages over HTTP. Rounds of the service and of a bare handler alternate, so that both
// run under the same conditions of the machine.

import type { Child } from '../harness/child.ts'
import type { Options } from '../harness/options.ts'
import type { MeasuredCalls, ProcessFigures } from '../harness/process-figures.ts'
import { figure, goal, heading, line, median, threadFigures } from '../harness/report.ts'
import { Rig } from '../harness/rig.ts'
import type { BareHandlerCalls } from '../processes/bare-handler.ts'
import type { HttpLoadCalls, LoadResult } from '../processes/http-load.ts'
import { keep } from '../record/figures.ts'

const WARM_UP_SECONDS = 2

interface Round {
  readonly load: LoadResult
  readonly figures: ProcessFigures
}

/** One round of the bare handler and one round of the service, in direct succession. */
interface Pair {
  readonly bare: Round
  readonly ours: Round
}

type Measured = Child<MeasuredCalls>

/** Runs the measurement `npm run bench -- accept`. */
export async function measureAccept(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    const bare = rig.child<BareHandlerCalls>('bare-handler.ts')
    const { url: bareUrl } = await bare.ask('start', undefined)
    const { process: ours, started } = await rig.node('api')
    const load = rig.child<HttpLoadCalls>('http-load.ts')
    const round = async (target: Measured, url: string, seconds: number): Promise<Round> => {
      await target.ask('reset', undefined)
      const { connections } = options
      const { destinations } = rig
      const key = started.playground.sending_key
      const result = await load.ask('run', { url, key, connections, destinations, seconds })
      return { load: result, figures: await target.ask('figures', undefined) }
    }
    await round(bare, bareUrl, WARM_UP_SECONDS)
    await round(ours, started.url, WARM_UP_SECONDS)
    const pairs: Pair[] = []
    for (let left = options.rounds; left > 0; left--) {
      pairs.push({
        bare: await round(bare, bareUrl, options.seconds),
        ours: await round(ours, started.url, options.seconds),
      })
    }
    report(pairs, options)
  } finally {
    await rig.close()
  }
}

function report(pairs: readonly Pair[], options: Options): void {
  heading(
    `accept: POST /v1/messages, ${options.connections} connections, ${options.database}, ${options.rounds} × ${options.seconds} s`,
  )
  line('', 'bare handler', 'ours')
  const both = (label: string, of: (round: Round) => number, unit = ''): void =>
    line(
      label,
      ...(['bare', 'ours'] as const).map((who) => figure(median(pairs.map((pair) => of(pair[who]))), unit)),
    )
  both('requests/s', ({ load }) => load.perSecond)
  both('p50', ({ load }) => load.p50, 'ms')
  both('p99', ({ load }) => load.p99, 'ms')
  both('longest', ({ load }) => load.max, 'ms')
  both('CPU a request', ({ load, figures }) => figures.cpuMicros / load.requests, 'µs')
  for (const { ours } of pairs) {
    line('of each thread of ours, µs', threadFigures(ours.figures.threadMicros, ours.load.requests))
  }
  both('event loop delay p99', ({ figures }) => figures.loopDelayP99Ms, 'ms')
  both('RSS at the end', ({ figures }) => figures.rssMiB, 'MiB')
  both('CPU of the load a request', ({ load }) => load.cpuMicros, 'µs')
  both('refused', ({ load }) => load.refused)
  const ratios = pairs.map(({ bare, ours }) => ours.load.perSecond / bare.load.perSecond)
  line('ratio, round by round', ratios.map((ratio) => figure(ratio)).join(' '))
  keep(
    'bare_rate',
    pairs.map(({ bare }) => bare.load.perSecond),
  )
  keep('accept_ratio', ratios)
  keep(
    'accept_cpu',
    pairs.map(({ ours }) => ours.figures.cpuMicros / ours.load.requests),
  )
  keep(
    'accept_p99',
    pairs.map(({ ours }) => ours.load.p99),
  )
  keep(
    'accept_memory',
    pairs.map(({ ours }) => ours.figures.rssMiB),
  )
  const ours = (of: (round: Round) => number): number => median(pairs.map((pair) => of(pair.ours)))
  goal('at least 0.6 of bare', median(ratios) >= 0.6)
  goal('p99 under 50 ms', ours(({ load }) => load.p99) < 50)
  goal('event loop delay p99 under 20 ms', ours(({ figures }) => figures.loopDelayP99Ms) < 20)
}
