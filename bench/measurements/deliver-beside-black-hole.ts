// Measures deliveries while many messages wait for a black hole: a mail host that never responds.

import { type HandOver, loadOn } from '../harness/hand-over.ts'
import type { Options } from '../harness/options.ts'
import { figure, goal, heading, line, median } from '../harness/report.ts'
import { type Node, Rig, type Sink } from '../harness/rig.ts'
import { allOnce, type Round, runRound, warmUp } from '../harness/round.ts'
import type { BlackHoleCalls } from '../processes/black-hole.ts'

const QUEUED = 50_000
const RATE = 300
const DESTINATION = 'black-hole.test'
/** Address of the black hole, which differs from the sink's addresses because all mail hosts use the same port. */
const ADDRESS = '127.0.0.2'
const ZONE = {
  [DESTINATION]: { MX: [`10 mx.${DESTINATION}`] },
  [`mx.${DESTINATION}`]: { A: [ADDRESS] },
}

/**
 * Conditions of a round: `undisturbed` has no black hole, `silent` has a black hole that accepts connections and sends
 * nothing, and `deaf` has a black hole that accepts no connections.
 */
const KINDS = ['undisturbed', 'silent', 'deaf'] as const
type Kind = (typeof KINDS)[number]

/** A node with its rig, sink and load generator. */
interface Place {
  readonly rig: Rig
  readonly node: Node
  readonly sink: Sink
  readonly handOver: HandOver
}

/** Runs the measurement `npm run bench -- deliver --black-hole`. */
export async function measureBesideBlackHole(options: Options): Promise<void> {
  const places = new Map<Kind, Place>()
  try {
    for (const kind of KINDS) places.set(kind, await openPlace(kind, options))
    const rounds: Record<Kind, Round>[] = []
    const batch = { count: (options.rate ?? RATE) * options.seconds, rate: options.rate ?? RATE }
    const turn = ({ handOver, sink }: Place): Promise<Round> => runRound(handOver, sink, batch)
    for (let left = options.rounds; left > 0; left--) {
      rounds.push({
        undisturbed: await turn(places.get('undisturbed')!),
        silent: await turn(places.get('silent')!),
        deaf: await turn(places.get('deaf')!),
      })
    }
    report(rounds, batch, options)
  } finally {
    for (const { rig } of places.values()) await rig.close()
  }
}

async function openPlace(kind: Kind, options: Options): Promise<Place> {
  const rig = await Rig.open(options, ZONE)
  const sink = await rig.sink()
  if (kind !== 'undisturbed') await dig(kind, rig, sink.port)
  const node = await rig.node('api,delivery', sink.port)
  const handOver = await loadOn(node, rig, options)
  await warmUp(handOver, sink)
  if (kind !== 'undisturbed') {
    const toHole = await loadOn(node, rig, options, [DESTINATION])
    await toHole({ count: options.queued ?? QUEUED })
  }
  return { rig, node, sink, handOver }
}

async function dig(kind: Kind, rig: Rig, port: number): Promise<void> {
  const hole = rig.child<BlackHoleCalls>('black-hole.ts')
  await hole.ask('start', { host: ADDRESS, port })
  if (kind !== 'deaf') return
  process.kill(hole.pid, 'SIGSTOP')
  rig.closeLater(async () => process.kill(hole.pid, 'SIGCONT'))
}

function report(
  rounds: readonly Record<Kind, Round>[],
  batch: { readonly count: number; readonly rate: number },
  options: Options,
): void {
  heading(
    `deliver beside ${(options.queued ?? QUEUED).toLocaleString('en')} for a black hole: ${options.rounds} × ${batch.count} messages at ${batch.rate}/s to ${options.destinations} others, ${options.database}`,
  )
  line('', ...KINDS)
  const each = (label: string, of: (round: Round) => number): void =>
    line(label, ...KINDS.map((kind) => figure(median(rounds.map((round) => of(round[kind]))), 'ms')))
  each('request to sink p50', ({ sink }) => sink.p50)
  each('request to sink p99', ({ sink }) => sink.p99)
  each('accept p99', ({ load }) => load.p99)
  for (const kind of KINDS) {
    line(`p99 ${kind}, by round`, rounds.map((round) => figure(round[kind].sink.p99)).join(' '))
  }
  const p99 = (kind: Kind): number => median(rounds.map((round) => round[kind].sink.p99))
  goal(
    'every message once',
    rounds.every((round) => KINDS.every((kind) => allOnce(round[kind], batch.count))),
  )
  goal('p99 beside a silent one within 2×', p99('silent') <= 2 * p99('undisturbed'))
  goal('p99 beside a deaf one within 2×', p99('deaf') <= 2 * p99('undisturbed'))
}
