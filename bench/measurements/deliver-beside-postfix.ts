// Measures delivery in comparison with Postfix and OpenDKIM. Both deliver the same messages to the same sink on the
// same machine, in alternating rounds.

import { doorRole, type HandOver, loadOn, smtpLoadOn } from '../harness/hand-over.ts'
import type { Options } from '../harness/options.ts'
import { treeFigures } from '../harness/process-tree.ts'
import { figure, goal, heading, line, median } from '../harness/report.ts'
import { Rig, type Sink } from '../harness/rig.ts'
import { allOnce, type Round, runRound, warmUp } from '../harness/round.ts'
import { countSigned } from '../harness/signatures.ts'
import type { PostfixCalls } from '../processes/postfix-under-test.ts'

/** Number of submission connections to Postfix; Postfix was faster with 20 connections than with 10 or 50. */
const POSTFIX_CONNECTIONS = 20

/** One of the two compared mail servers. */
interface Contender {
  readonly handOver: HandOver
  readonly pids: readonly number[]
}

interface Turn {
  readonly round: Round
  readonly cpuMicros: number
  readonly memoryMiB: number
}

/** One round of each mail server, in direct succession. */
interface Pair {
  readonly postfix: Turn
  readonly ours: Turn
}

const WHO = ['postfix', 'ours'] as const

/** Runs the measurement `npm run bench -- deliver --beside postfix`. */
export async function measureBesidePostfix(options: Options): Promise<void> {
  const rig = await Rig.open(options)
  try {
    const sink = await rig.sink()
    const postfix = await rig
      .child<PostfixCalls>('postfix-under-test.ts')
      .ask('start', { dir: options.dir, sinkPort: sink.port })
    const node = await rig.node(`${doorRole(options)},delivery`, sink.port)
    const contenders: Record<keyof Pair, Contender> = {
      postfix: { handOver: await smtpLoadOn(rig, postfix.port, POSTFIX_CONNECTIONS), pids: postfix.pids },
      ours: { handOver: await loadOn(node, rig, options), pids: [node.process.pid] },
    }
    for (const { handOver } of Object.values(contenders)) await warmUp(handOver, sink)
    const pairs: Pair[] = []
    for (let left = options.rounds; left > 0; left--) {
      pairs.push({
        postfix: await turn(contenders.postfix, sink, options.messages),
        ours: await turn(contenders.ours, sink, options.messages),
      })
    }
    const records = new Map([...postfix.records, ...(await rig.records())])
    const signed = {
      postfix: await countSigned(pairs[0]!.postfix.round.sink.kept, records, ['rsa-sha256']),
      ours: await countSigned(pairs[0]!.ours.round.sink.kept, records),
    }
    report(pairs, signed, options)
  } finally {
    await rig.close()
  }
}

async function turn({ handOver, pids }: Contender, sink: Sink, count: number): Promise<Turn> {
  const before = treeFigures(pids)
  const round = await runRound(handOver, sink, { count })
  const after = treeFigures(pids)
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
  const both = (label: string, of: (turn: Turn) => number, unit = ''): void =>
    line(label, ...WHO.map((who) => figure(median(pairs.map((pair) => of(pair[who]))), unit)))
  both('end to end, messages/s', ({ round }) => round.perSecond)
  both('accepted/s', ({ round }) => round.load.perSecond)
  both('accept p50', ({ round }) => round.load.p50, 'ms')
  both('accept p99', ({ round }) => round.load.p99, 'ms')
  both('CPU a message', ({ round, cpuMicros }) => cpuMicros / round.sink.messages, 'µs')
  both('memory after a round (PSS)', ({ memoryMiB }) => memoryMiB, 'MiB')
  both('CPU of the load a message', ({ round }) => round.load.cpuMicros, 'µs')
  both('CPU of the sink a message', ({ round }) => round.sink.cpuMicros, 'µs')
  line('signatures a message', 'RSA', 'RSA, Ed25519')
  line('of 50 messages signed well', ...WHO.map((who) => String(signed[who])))
  for (const who of WHO) {
    line(`messages/s of ${who}, by round`, pairs.map((pair) => figure(pair[who].round.perSecond)).join(' '))
  }
  const ratios = pairs.map(({ postfix, ours }) => ours.round.perSecond / postfix.round.perSecond)
  line('ratio, round by round', ratios.map((ratio) => figure(ratio)).join(' '))
  const once = pairs.every((pair) => WHO.every((who) => allOnce(pair[who].round, options.messages)))
  goal('every message once', once)
  goal('five times Postfix', median(ratios) >= 5)
}
