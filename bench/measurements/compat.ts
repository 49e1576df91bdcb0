// Measures the acceptance of messages in the form of other services, in alternating rounds with POST /v1/messages.

import { COMPATIBLE_FORMS, type CompatibleForm } from '../harness/message.ts'
import type { Options } from '../harness/options.ts'
import { figure, goal, heading, line, median } from '../harness/report.ts'
import { Rig } from '../harness/rig.ts'
import type { HttpLoadCalls } from '../processes/http-load.ts'

/** As long as in `accept`: the compiler still works for some seconds on each form. */
const WARM_UP_SECONDS = 6
/** Maximum CPU time of a request in the form of another service, in comparison with `POST /v1/messages`. */
const MAX_RATIO = 1.15

/** Pairs of rounds that one process runs, because each process keeps its own speed; see `pair`. */
const PAIRS_OF_A_PROCESS = 2

/** CPU time of a request in microseconds, in the form of `/v1` and in the form of another service. */
type Pair = readonly [ours: number, theirs: number]

/** Runs the measurement `npm run bench -- compat`. */
export async function measureCompat(options: Options): Promise<void> {
  heading(
    `compat: ${options.connections} connections, ${options.database}, ${options.rounds} × ${options.seconds} s`,
  )
  line('', '/v1', 'compatible', 'ratio')
  for (const form of COMPATIBLE_FORMS) {
    const pairs: Pair[] = []
    while (pairs.length < options.rounds) {
      const count = Math.min(PAIRS_OF_A_PROCESS, options.rounds - pairs.length)
      pairs.push(...(await measurePairs(form, options, count)))
    }
    const ratio = median(pairs.map(([ours, theirs]) => theirs / ours))
    line(
      `${form}: CPU a request`,
      figure(median(pairs.map(([ours]) => ours)), 'µs'),
      figure(median(pairs.map(([, theirs]) => theirs)), 'µs'),
      figure(ratio),
    )
    goal(`${form}: at most ${MAX_RATIO} of the CPU of /v1`, ratio <= MAX_RATIO)
  }
}

/** Measures pairs of rounds with a new process. */
async function measurePairs(form: CompatibleForm, options: Options, count: number): Promise<Pair[]> {
  const rig = await Rig.open(options)
  try {
    const { process, started } = await rig.node('api')
    const load = rig.child<HttpLoadCalls>('http-load.ts')
    /** Returns the CPU time of a request in microseconds. */
    const round = async (by: CompatibleForm | undefined, seconds: number): Promise<number> => {
      await process.ask('reset', undefined)
      const { connections } = options
      const { destinations } = rig
      const { url } = started
      const key = started.playground.sending_key
      const result = await load.ask('run', { url, key, connections, destinations, seconds, form: by })
      if (result.refused > 0) throw new Error(`${by ?? '/v1'}: ${result.refused} requests were refused`)
      return (await process.ask('figures', undefined)).cpuMicros / result.requests
    }
    await round(undefined, WARM_UP_SECONDS)
    await round(form, WARM_UP_SECONDS)
    const pairs: Pair[] = []
    for (let left = count; left > 0; left--) {
      pairs.push([await round(undefined, options.seconds), await round(form, options.seconds)])
    }
    return pairs
  } finally {
    await rig.close()
  }
}
