// Stops a loaded node by SIGTERM repeatedly, and checks every message that it had accepted.

import { setTimeout as sleep } from 'node:timers/promises'
import { DnsHost } from '../dns-host.ts'
import { isFree } from '../postgres.ts'
import { type DatabaseName, testStorage } from '../store.ts'
import { arrivalFigures, CRASH_ZONE } from './crash-run.ts'
import { Answers, LoadedNode, type LoadShape } from './loaded-node.ts'
import { Receiver } from './receiver.ts'

/** The documented start commands. */
export const STARTS = { npm: ['npm', 'start'], postrider: ['sh', 'bin/postrider', 'serve'] } as const

/** Figures of a run. All except the counts and times must be zero, empty or only 0. */
export interface StopFigures {
  readonly stops: number
  /** Stops before which the requested load was reached. */
  readonly atLoad: number
  readonly accepted: number
  readonly acceptedOverSmtp: number
  /** Minimum and median in the second before each signal. */
  readonly acceptedInLastSecond: { readonly least: number; readonly median: number }
  readonly lost: number
  /** Deliveries beyond the first of a message. */
  readonly twice: number
  readonly underWay: number
  /** Distinct exit codes of the signalled process. */
  readonly exitCodes: readonly (number | null)[]
  /** Stops after which a port was still in use. */
  readonly portsTaken: number
  readonly slowestStopMs: number
}

/** Load of a run. */
export interface StopLoad extends LoadShape {
  /** Required acceptances within a second before the signal. */
  readonly reached: number
}

/** Maximum time for a started node to reach the load. */
const WARM_MS = 20_000
/** Rounds per requested stop, in case a busy machine does not reach the load. */
const MAX_ROUNDS_A_STOP = 2

/**
 * Each round starts the node, loads it over HTTP and SMTP, and sends SIGTERM to the started process. Rounds that have
 * not reached the load count, but others are added.
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
