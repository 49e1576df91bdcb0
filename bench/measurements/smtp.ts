// Measures the acceptance of messages over SMTP, with STARTTLS and AUTH on persistent connections.

import type { Options } from '../harness/options.ts'
import { figure, heading, line, median } from '../harness/report.ts'
import { Rig } from '../harness/rig.ts'
import type { SmtpLoadCalls } from '../processes/smtp-load.ts'
import { keep, keptValues } from '../record/figures.ts'

const WARM_UP_SECONDS = 2

/** Runs the measurement `npm run bench -- smtp`. */
export async function measureSmtp(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    const node = await rig.node('smtp')
    const { smtpPort: port, playground } = node.started
    if (port === undefined) throw new Error('SMTP submission is not listening')
    const load = rig.child<SmtpLoadCalls>('smtp-load.ts')
    const { connections } = options
    const { destinations } = rig
    await load.ask('start', { port, login: playground.smtp, connections, destinations })
    const round = async (seconds: number) => {
      await node.process.ask('reset', undefined)
      const result = await load.ask('run', { seconds })
      return { load: result, figures: await node.process.ask('figures', undefined) }
    }
    await round(WARM_UP_SECONDS)
    const rounds: Awaited<ReturnType<typeof round>>[] = []
    for (let left = options.rounds; left > 0; left--) rounds.push(await round(options.seconds))
    const show = (label: string, of: (one: (typeof rounds)[number]) => number, unit = ''): void =>
      line(label, figure(median(rounds.map(of)), unit))
    heading(
      `smtp: STARTTLS and AUTH, ${options.connections} kept connections, ${options.database}, ${options.rounds} × ${options.seconds} s`,
    )
    show('messages/s', ({ load }) => load.perSecond)
    show('p50', ({ load }) => load.p50, 'ms')
    show('p99', ({ load }) => load.p99, 'ms')
    show('longest', ({ load }) => load.max, 'ms')
    show('CPU a message', ({ load, figures }) => figures.cpuMicros / load.requests, 'µs')
    show('event loop delay p99', ({ figures }) => figures.loopDelayP99Ms, 'ms')
    show('RSS at the end', ({ figures }) => figures.rssMiB, 'MiB')
    show('CPU of the load a message', ({ load }) => load.cpuMicros, 'µs')
    show('refused', ({ load }) => load.refused)
    const bare = median(keptValues('bare_rate'))
    if (!Number.isNaN(bare))
      keep(
        'smtp_ratio',
        rounds.map(({ load }) => load.perSecond / bare),
      )
    keep(
      'smtp_cpu',
      rounds.map(({ load, figures }) => figures.cpuMicros / load.requests),
    )
  } finally {
    await rig.close()
  }
}
