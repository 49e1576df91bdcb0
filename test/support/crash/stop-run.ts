// Stops a loaded node with SIGTERM repeatedly, and checks every message that the node had accepted.

import { setTimeout as sleep } from 'node:timers/promises'
import { DnsHost } from '../dns-host.ts'
import { isFree } from '../postgres.ts'
import { type DatabaseName, testStorage } from '../store.ts'
import { arrivalFigures, CRASH_ZONE } from './crash-run.ts'
import { Answers, LoadedNode, type LoadShape } from './loaded-node.ts'
import { Receiver } from './receiver.ts'

/** The documented commands that start a node. */
export const STARTS = { npm: ['npm', 'start'], postrider: ['sh', 'bin/postrider', 'serve'] } as const

/** Figures of a run. `lost`, `twice`, `underWay` and `portsTaken` must be zero, and `exitCodes` must contain only 0. */
export interface StopFigures {
  readonly stops: number
  /** Number of stops before which the required load was reached. */
  readonly atLoad: number
  readonly accepted: number
  readonly acceptedOverSmtp: number
  /** Minimum and median number of messages that were accepted in the second before each signal. */
  readonly acceptedInLastSecond: { readonly least: number; readonly median: number }
  readonly lost: number
  /** Number of deliveries after the first delivery of a message. */
  readonly twice: number
  readonly underWay: number
  /** Distinct exit codes of the signalled process. */
  readonly exitCodes: readonly (number | null)[]
  /** Number of stops after which a port was still in use. */
  readonly portsTaken: number
  readonly slowestStopMs: number
}

/** Load under which a node is stopped. */
export interface StopLoad extends LoadShape {
  /** Required number of acceptances in the second before the signal. */
  readonly reached: number
}

/** Maximum time in which a started node must reach the load, in milliseconds. */
const WARM_MS = 20_000
/** Maximum number of rounds per requested stop, because a busy machine may not reach the load in each round. */
const MAX_ROUNDS_A_STOP = 2

/**
 * Runs rounds: starts the node, loads the node over HTTP and SMTP, and sends SIGTERM to the started process. A round
 * that did not reach the load counts as a stop, but the run then adds another round.
 */
export async function runStops(
  stops: number,
  database: DatabaseName,
  start: keyof typeof STARTS,
  { reached = 0, ...shape }: Partial<StopLoad> = {},
): Promise<StopFigures> {
  const host = await Receiver.start()
  const dns = await DnsHost.start(CRASH_ZONE)
  const storage = await testStorage(database, 'playground')
  const node = await LoadedNode.in(storage, host, dns)
  const answers = new Answers()
  const exitCodes = new Set<number | null>()
  const rates: number[] = []
  let [portsTaken, slowestStopMs] = [0, 0]
  const atLoad = (): number => rates.filter((rate) => rate >= reached).length
  try {
    while (atLoad() < stops && rates.length < stops * MAX_ROUNDS_A_STOP) {
      await node.start(STARTS[start])
      const load = await node.load(answers, shape)
      await sleep(400 + Math.random() * 1_100)
      await untilReached(answers, reached)
      rates.push(answers.acceptedWithin(1_000))
      const { code, ms } = await node.terminate()
      await load.stop()
      exitCodes.add(code)
      slowestStopMs = Math.max(slowestStopMs, ms)
      if (!(await Promise.all(node.ports.map(isFree))).every(Boolean)) portsTaken++
    }
    await node.start(STARTS[start])
    const underWay = await node.settle(host, answers.accepted)
    await node.terminate()
    const figures = arrivalFigures(answers, host, underWay)
    rates.sort((one, other) => one - other)
    return {
      ...{ stops: rates.length, atLoad: atLoad() },
      ...{ accepted: figures.accepted, acceptedOverSmtp: figures.acceptedOverSmtp },
      acceptedInLastSecond: { least: rates[0] ?? 0, median: rates[rates.length >> 1] ?? 0 },
      lost: figures.lost,
      twice: host.arrivals.length - figures.delivered,
      underWay: underWay.size,
      exitCodes: [...exitCodes],
      ...{ portsTaken, slowestStopMs },
    }
  } finally {
    await node.kill()
    await Promise.all([host.stop(), dns.stop()])
    await storage.remove()
  }
}

async function untilReached(answers: Answers, perSecond: number): Promise<void> {
  const until = Date.now() + WARM_MS
  while (answers.acceptedWithin(1_000) < perSecond && Date.now() < until) await sleep(50)
}
