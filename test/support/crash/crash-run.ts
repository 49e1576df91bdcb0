// Kills a node under load repeatedly, and checks every message that the node had accepted.

import { setTimeout as sleep } from 'node:timers/promises'
import { DnsHost } from '../dns-host.ts'
import { untilReached } from '../reached.ts'
import { type DatabaseName, testStorage } from '../store.ts'
import { Answers, LoadedNode } from './loaded-node.ts'
import { Receiver } from './receiver.ts'

/** Figures of a run. `lost` and `otherMessageIds` must be zero. */
export interface CrashFigures {
  /** Number of kills. */
  readonly kills: number
  /** Number of messages that the service accepted with 202 or 250. */
  readonly accepted: number
  readonly acceptedOverSmtp: number
  /** Number of distinct messages that the mail host received. */
  readonly delivered: number
  /** Number of accepted messages that are neither delivered nor in the queue at the end. */
  readonly lost: number
  /** Number of accepted messages that are still in the queue at the end. */
  readonly underWay: number
  /** API lists that return an internal error after the run. */
  readonly failingLists: readonly string[]
  /** Number of deliveries after the first delivery of a message. */
  readonly duplicates: number
  /** Number of duplicates for each kill; the kill is the first one after the first delivery of the message. */
  readonly duplicatesByKill: readonly number[]
  /** Number of duplicates for each point at which the kill interrupted the first delivery. */
  readonly duplicatesBy: Record<KillPoint, number>
  /** Time from each reply that is not in the journal to the kill, in milliseconds, shortest time first. */
  readonly unnotedMs: readonly number[]
  /** Number of duplicates whose Message-ID differs from the Message-ID of the first delivery. */
  readonly otherMessageIds: number
  /**
   * Number of delivered messages without a response to the client: the node died between its commit and the response.
   */
  readonly unacknowledged: number
  /** Longest time from a start of the node to its readiness, in milliseconds. */
  readonly slowestStartMs: number
}

/**
 * Point at which a kill interrupted a delivery. `before the answer`: the mail host accepted the message after the kill;
 * `before the note`: the mail host had replied before the kill, but the journal did not contain the reply; `noted`: the
 * journal contained the reply, but the next start sent the message again.
 */
type KillPoint = 'before the answer' | 'before the note' | 'noted'

interface Kill {
  /** Number of deliveries up to this kill. */
  readonly delivered: number
  /** Time of the kill in milliseconds since 1970. */
  readonly at: number
  /** IDs of the messages in the journal at the time of the kill. */
  readonly noted: ReadonlySet<string>
}

/** DNS zone for the recipients and the mail host of a run. */
export const CRASH_ZONE = { '*.example': { MX: ['10 mx.test'] }, 'mx.test': { A: ['127.0.0.1'] } }

/** Time in which the mail host reads the remaining bytes from sockets whose sender was killed, in milliseconds. */
const TAKEN_MS = 200

/**
 * Runs rounds: starts the node, loads the node over HTTP and SMTP, and kills its process group. A kill without messages
 * in progress counts as a kill, but the run then adds another round.
 */
export async function runCrashes(kills: number, database: DatabaseName): Promise<CrashFigures> {
  const host = await Receiver.start()
  const dns = await DnsHost.start(CRASH_ZONE)
  const storage = await testStorage(database, 'playground')
  const node = await LoadedNode.in(storage, host, dns)
  const answers = new Answers()
  const allKills: Kill[] = []
  let slowestStartMs = 0
  try {
    await untilReached('a kill while messages are under way', kills, async () => {
      slowestStartMs = Math.max(slowestStartMs, await node.start())
      const load = await node.load(answers)
      const at = await node.killAfter(400 + Math.random() * 1_100)
      await load.stop()
      await sleep(TAKEN_MS)
      const arrived = new Set(host.arrivals.map(({ id }) => id))
      allKills.push({ at, delivered: host.arrivals.length, noted: await node.noted() })
      return [...answers.accepted.keys()].some((id) => !arrived.has(id))
    })
    await node.start()
    const underWay = await node.settle(host, answers.accepted)
    return {
      kills: allKills.length,
      ...arrivalFigures(answers, host, underWay),
      ...duplicateFigures(host, allKills),
      underWay: underWay.size,
      failingLists: await node.failingLists(),
      slowestStartMs,
    }
  } finally {
    await node.kill()
    await Promise.all([host.stop(), dns.stop()])
    await storage.remove()
  }
}

/** Returns the numbers of accepted, delivered, lost and unacknowledged messages. */
export function arrivalFigures(answers: Answers, host: Receiver, underWay: ReadonlySet<string>) {
  const ids = [...answers.accepted.keys()]
  const delivered = new Set(host.arrivals.map(({ id }) => id))
  return {
    accepted: ids.length,
    acceptedOverSmtp: answers.acceptedBy('smtp'),
    delivered: delivered.size,
    lost: ids.filter((id) => !delivered.has(id) && !underWay.has(id)).length,
    unacknowledged: [...delivered].filter((id) => !answers.accepted.has(id)).length,
  }
}

/** Returns figures about messages that the mail host received more than once. */
function duplicateFigures(host: Receiver, kills: readonly Kill[]) {
  const first = new Map<string, number>()
  const byKill = kills.map(() => 0)
  const by: Record<KillPoint, number> = { 'before the answer': 0, 'before the note': 0, noted: 0 }
  const unnotedMs: number[] = []
  let otherMessageIds = 0
  for (const [index, { id, messageIdField }] of host.arrivals.entries()) {
    const before = first.get(id)
    if (before === undefined) {
      first.set(id, index)
      continue
    }
    const firstArrival = host.arrivals[before]!
    const kill = kills.findIndex(({ delivered }) => before < delivered)
    if (kill >= 0) {
      const { at, noted } = kills[kill]!
      const point = firstArrival.at >= at ? 'before the answer' : noted.has(id) ? 'noted' : 'before the note'
      byKill[kill]!++
      by[point]++
      if (point === 'before the note') unnotedMs.push(at - firstArrival.at)
    }
    if (messageIdField === undefined || messageIdField !== firstArrival.messageIdField) otherMessageIds++
  }
  return {
    duplicates: host.arrivals.length - first.size,
    duplicatesByKill: byKill,
    duplicatesBy: by,
    unnotedMs: unnotedMs.sort((a, b) => a - b),
    otherMessageIds,
  }
}
