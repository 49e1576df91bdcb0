// Measures the acceptance of messages over HTTP. Rounds of the service, of a bare handler and of a minimal handler that
// stores each body durably alternate, so that all run under the same conditions of the machine.

import { join } from 'node:path'
import type { Child } from '../harness/child.ts'
import type { Options } from '../harness/options.ts'
import type { MeasuredCalls, ProcessFigures } from '../harness/process-figures.ts'
import { figure, goal, heading, line, median, threadFigures } from '../harness/report.ts'
import { Rig } from '../harness/rig.ts'
import type { BareHandlerCalls } from '../processes/bare-handler.ts'
import type { DurableHandlerCalls } from '../processes/durable-handler.ts'
import type { HttpLoadCalls, LoadResult } from '../processes/http-load.ts'
import { keep } from '../record/figures.ts'

/** As long as in `pair`: the compiler still works for some seconds on the larger program. */
const WARM_UP_SECONDS = 6

interface Round {
  readonly load: LoadResult
  readonly figures: ProcessFigures
}

/** The measured processes, in the order of their rounds and columns. */
const WHO = ['bare', 'durable', 'ours'] as const
/** One round of each process, in direct succession. */
type Turn = Readonly<Record<(typeof WHO)[number], Round>>

/** Minimum share of the rate of the durable reference. */
const OF_DURABLE = { sqlite: 0.9, postgres: 0.6 } as const

type Measured = Child<MeasuredCalls>

/** Runs the measurement `npm run bench -- accept`. */
export async function measureAccept(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    const bare = rig.child<BareHandlerCalls>('bare-handler.ts')
    const { url: bareUrl } = await bare.ask('start', undefined)
    const durable = rig.child<DurableHandlerCalls>('durable-handler.ts')
    const { dataDir, databaseUrl } = rig.storage
    const { process: ours, started } = await rig.node('api')
    const { url: durableUrl } = await durable.ask('start', {
      file: join(dataDir, 'durable-reference.db'),
      databaseUrl,
    })
    const load = rig.child<HttpLoadCalls>('http-load.ts')
    const round = async (target: Measured, url: string, seconds: number): Promise<Round> => {
      await target.ask('reset', undefined)
      const { connections } = options
      const { destinations } = rig
      const key = started.playground.sending_key
      const result = await load.ask('run', { url, key, connections, destinations, seconds })
      return { load: result, figures: await target.ask('figures', undefined) }
    }
    const turn = async (seconds: number): Promise<Turn> => ({
      bare: await round(bare, bareUrl, seconds),
      durable: await round(durable, durableUrl, seconds),
      ours: await round(ours, started.url, seconds),
    })
    await turn(WARM_UP_SECONDS)
    const turns: Turn[] = []
    for (let left = options.rounds; left > 0; left--) turns.push(await turn(options.seconds))
    report(turns, options)
  } finally {
    await rig.close()
  }
}

function report(turns: readonly Turn[], options: Options): void {
  heading(
    `accept: POST /v1/messages, ${options.connections} connections, ${options.database}, ${options.rounds} × ${options.seconds} s`,
  )
  line('', 'bare handler', 'durable', 'ours')
  const all = (label: string, of: (round: Round) => number, unit = ''): void =>
    line(label, ...WHO.map((who) => figure(median(turns.map((turn) => of(turn[who]))), unit)))
  all('requests/s', ({ load }) => load.perSecond)
  all('p50', ({ load }) => load.p50, 'ms')
  all('p99', ({ load }) => load.p99, 'ms')
  all('longest', ({ load }) => load.max, 'ms')
  all('CPU a request', ({ load, figures }) => figures.cpuMicros / load.requests, 'µs')
  for (const { ours } of turns) {
    line('of each thread of ours, µs', threadFigures(ours.figures.threadMicros, ours.load.requests))
  }
  all('event loop delay p99', ({ figures }) => figures.loopDelayP99Ms, 'ms')
  all('RSS at the end', ({ figures }) => figures.rssMiB, 'MiB')
  all('CPU of the load a request', ({ load }) => load.cpuMicros, 'µs')
  all('refused', ({ load }) => load.refused)
  const ratiosTo = (who: 'bare' | 'durable'): number[] =>
    turns.map((turn) => turn.ours.load.perSecond / turn[who].load.perSecond)
  const inRounds = (ratios: readonly number[]): string => ratios.map((ratio) => figure(ratio)).join(' ')
  const ofDurable = ratiosTo('durable')
  line('of the bare handler, round by round', inRounds(ratiosTo('bare')))
  line('of the durable reference, round by round', inRounds(ofDurable))
  const ours = (of: (round: Round) => number): number[] => turns.map((turn) => of(turn.ours))
  const cpu = ours(({ load, figures }) => figures.cpuMicros / load.requests)
  const p99 = ours(({ load }) => load.p99)
  if (options.database === 'postgres') {
    keep('accept_postgres_ratio', ofDurable)
    keep('accept_postgres_cpu', cpu)
  } else {
    keep(
      'bare_rate',
      turns.map(({ bare }) => bare.load.perSecond),
    )
    keep('accept_ratio', ratiosTo('bare'))
    keep('accept_durable_ratio', ofDurable)
    keep('accept_cpu', cpu)
    keep('accept_p99', p99)
    keep(
      'accept_memory',
      ours(({ figures }) => figures.rssMiB),
    )
  }
  const share = OF_DURABLE[options.database]
  goal(`at least ${share} of the durable reference`, median(ofDurable) >= share)
  goal('p99 under 50 ms', median(p99) < 50)
  goal('event loop delay p99 under 20 ms', median(ours(({ figures }) => figures.loopDelayP99Ms)) < 20)
}
