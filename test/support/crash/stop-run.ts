// Stops a loaded node by SIGTERM again and again, and counts what became of every message that it had accepted.

import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DnsHost } from '../dns-host.ts'
import { type DatabaseName, testStorage } from '../store.ts'
import { arrivalFigures, CRASH_ZONE } from './crash-run.ts'
import { Answers, LoadedNode } from './loaded-node.ts'
import { Receiver } from './receiver.ts'

/** The documented starts. */
export const STARTS = { npm: ['npm', 'start'], postrider: ['sh', 'bin/postrider', 'serve'] } as const

/** Figures of a run. All but the counts and times must be zero, empty or 0 alone. */
export interface StopFigures {
  readonly stops: number
  readonly accepted: number
  readonly acceptedOverSmtp: number
  /** While the node ran. */
  readonly acceptedPerSecond: number
  readonly lost: number
  /** Deliveries beyond the first of a message. */
  readonly twice: number
  readonly underWay: number
  /** Exit codes of the process that got the signal, each once. */
  readonly exitCodes: readonly (number | null)[]
  /** Stops after which a port was still taken. */
  readonly portsTaken: number
  readonly slowestStopMs: number
}

/** Runs it: each round starts the node, loads it over HTTP and SMTP, and sends SIGTERM to the process that was started. */
export async function runStops(
  stops: number,
  database: DatabaseName,
  start: keyof typeof STARTS,
  clients?: number,
): Promise<StopFigures> {
  const host = await Receiver.start()
  const dns = await DnsHost.start(CRASH_ZONE)
  const storage = await testStorage(database, 'tables')
  const node = await LoadedNode.in(storage, host, dns)
  const answers = new Answers()
  const exitCodes = new Set<number | null>()
  let [portsTaken, slowestStopMs, loadedMs] = [0, 0, 0]
  try {
    for (let round = 0; round < stops; round++) {
      await node.start(STARTS[start])
      const load = await node.load(answers, clients)
      const loadedMsOfRound = 400 + Math.random() * 1_100
      await sleep(loadedMsOfRound)
      const { code, ms } = await node.terminate()
      await load.stop()
      exitCodes.add(code)
      slowestStopMs = Math.max(slowestStopMs, ms)
      loadedMs += loadedMsOfRound
      if (!(await Promise.all(node.ports.map(isFree))).every(Boolean)) portsTaken++
    }
    await node.start(STARTS[start])
    const underWay = await node.settle(host, answers.accepted)
    await node.terminate()
    const figures = arrivalFigures(answers, host, underWay)
    return {
      stops,
      ...{ accepted: figures.accepted, acceptedOverSmtp: figures.acceptedOverSmtp },
      acceptedPerSecond: Math.round((1_000 * figures.accepted) / loadedMs),
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

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
