// Delivering beside Postfix with OpenDKIM: the same messages to the same sink on the same machine, in turn.

import { tmpdir } from 'node:os'
import { doorRole, type HandOver, loadOn, smtpLoadOn } from './hand-over.ts'
import type { Options } from './options.ts'
import { Postfix } from './postfix.ts'
import { treeFigures } from './process-tree.ts'
import { figure, goal, heading, line, median } from './report.ts'
import { Rig, type Sink } from './rig.ts'
import { allOnce, type Round, runRound, warmUp } from './round.ts'
import { countSigned } from './signatures.ts'

/** What Postfix does best with, of 10, 20 and 50. */
const POSTFIX_CONNECTIONS = 20

/** One of the two that are compared. */
interface Contender {
  readonly handOver: HandOver
  /** Since its start. */
  figures(): { readonly cpuMicros: number; readonly memoryMiB: number }
}

interface Turn {
  readonly round: Round
  readonly cpuMicros: number
  readonly memoryMiB: number
}

/** One of each, the one right after the other. */
interface Pair {
  readonly postfix: Turn
  readonly ours: Turn
}

/** `npm run bench -- deliver --beside postfix` */
export async function measureBesidePostfix(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    const sink = await rig.sink()
    const instance = await Postfix.start(options.dir ?? tmpdir(), sink.port)
    rig.closeLater(() => instance.stop())
    const node = await rig.node(`${doorRole(options)},delivery`, sink.port)
    const postfix: Contender = {
      handOver: await smtpLoadOn(rig, instance.port, POSTFIX_CONNECTIONS),
      figures: () => instance.figures(),
    }
    const ours: Contender = {
      handOver: await loadOn(node, rig, options),
      figures: () => treeFigures(node.process.pid),
    }
    for (const { handOver } of [postfix, ours]) await warmUp(handOver, sink)
    const pairs: Pair[] = []
    for (let left = options.rounds; left > 0; left--) {
      pairs.push({
        postfix: await turn(postfix, sink, options.messages),
        ours: await turn(ours, sink, options.messages),
      })
    }
    const records = new Map([...instance.records, ...(await rig.records())])
    const signed = {
      postfix: await countSigned(pairs[0]!.postfix.round.sink.kept, records, ['rsa-sha256']),
      ours: await countSigned(pairs[0]!.ours.round.sink.kept, records),
    }
    report(pairs, signed, options)
  } finally {
    await rig.close()
  }
}

async function turn({ handOver, figures }: Contender, sink: Sink, count: number): Promise<Turn> {
  const before = figures()
  const round = await runRound(handOver, sink, { count })
  const after = figures()
  return { round, cpuMicros: after.cpuMicros - before.cpuMicros, memoryMiB: after.memoryMiB }
}

function report(
  pairs: readonly Pair[],
  signed: Readonly<Record<keyof Pair, number>>,
  options: Options,
): void {
  heading(
    `deliver beside Postfix: ${options.rounds} × ${options.messages} messages, ours over ${options.door}, ${options.chunking ? 'BDAT' : 'DATA'}, ${options.database}`,
  )
  line('', 'Postfix, OpenDKIM', 'ours')
  const contenders = ['postfix', 'ours'] as const
  const both = (label: string, of: (turn: Turn) => number, unit = ''): void =>
    line(label, ...contenders.map((who) => figure(median(pairs.map((pair) => of(pair[who]))), unit)))
  both('end to end, messages/s', ({ round }) => round.perSecond)
  both('accepted/s', ({ round }) => round.load.perSecond)
  both('accept p50', ({ round }) => round.load.p50, 'ms')
  both('accept p99', ({ round }) => round.load.p99, 'ms')
  both('CPU a message', ({ round, cpuMicros }) => cpuMicros / round.sink.messages, 'µs')
  both('memory after a round (PSS)', ({ memoryMiB }) => memoryMiB, 'MiB')
  both('CPU of the load a message', ({ round }) => round.load.cpuMicros, 'µs')
  both('CPU of the sink a message', ({ round }) => round.sink.cpuMicros, 'µs')
  line('signatures a message', 'RSA-2048', 'RSA-2048, Ed25519')
  line('of 50 messages signed well', ...contenders.map((who) => String(signed[who])))
  for (const who of contenders) {
    line(`messages/s of ${who}, by round`, pairs.map((pair) => figure(pair[who].round.perSecond)).join(' '))
  }
  const ratios = pairs.map(({ postfix, ours }) => ours.round.perSecond / postfix.round.perSecond)
  line('ratio, round by round', ratios.map((ratio) => figure(ratio)).join(' '))
  const once = pairs.every((pair) => contenders.every((who) => allOnce(pair[who].round, options.messages)))
  goal('every message once', once)
  goal('five times Postfix', median(ratios) >= 5)
}
