// Measures the acceptance of messages in the form of other services, in alternating rounds with POST /v1/messages.

import { COMPATIBLE_FORMS, type CompatibleForm } from '../harness/message.ts'
import type { Options } from '../harness/options.ts'
import { figure, goal, heading, line, median } from '../harness/report.ts'
import { Rig } from '../harness/rig.ts'
import type { HttpLoadCalls } from '../processes/http-load.ts'

/** As long as in `accept`: the compiler still works for some seconds on each form, and again after a change of form. */
const WARM_UP_SECONDS = 6
const WARM_UPS = 2
/** Maximum CPU time of a request in the form of another service, in comparison with `POST /v1/messages`. */
const MAX_RATIO = 1.15

/** Runs the measurement `npm run bench -- compat`. */
export async function measureCompat(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    const { process, started } = await rig.node('api')
    const load = rig.child<HttpLoadCalls>('http-load.ts')
    /** Returns the CPU time of a request in microseconds. */
    const round = async (form: CompatibleForm | undefined, seconds: number): Promise<number> => {
      await process.ask('reset', undefined)
      const { connections } = options
      const { destinations } = rig
      const { url } = started
      const key = started.playground.sending_key
      const result = await load.ask('run', { url, key, connections, destinations, seconds, form })
      if (result.refused > 0) throw new Error(`${form ?? '/v1'}: ${result.refused} requests were refused`)
      return (await process.ask('figures', undefined)).cpuMicros / result.requests
    }
    heading(
      `compat: ${options.connections} connections, ${options.database}, ${options.rounds} × ${options.seconds} s`,
    )
    line('', '/v1', 'compatible', 'ratio')
    for (const form of COMPATIBLE_FORMS) {
      for (let left = WARM_UPS; left > 0; left--) {
        await round(undefined, WARM_UP_SECONDS)
        await round(form, WARM_UP_SECONDS)
      }
      const pairs: (readonly [ours: number, theirs: number])[] = []
      for (let index = 0; index < options.rounds; index++) {
        // The form that comes first alternates, because the first round of a pair may affect the second round.
        const before = index % 2 === 1 ? await round(form, options.seconds) : undefined
        const ours = await round(undefined, options.seconds)
        pairs.push([ours, before ?? (await round(form, options.seconds))])
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
  } finally {
    await rig.close()
  }
}
