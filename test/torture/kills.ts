// Kills and restarts nodes under load, and counts the duplicate deliveries that each kill caused.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, count, type Outcome } from './cluster.ts'
import type { TortureNode } from './node.ts'

export interface KillOptions {
  readonly kills: number
  readonly perSecond: number
  /** Time between two kills; longer if the start of the node takes longer. */
  readonly everyMs: number
  /** Returns the node to kill, by the number of the kill. */
  readonly victim: (kill: number) => TortureNode
  /** Function that runs between the kill and the restart of the node. */
  readonly meanwhile?: (node: TortureNode) => Promise<void>
  /** Time to wait for duplicates at the end, as in `count`. */
  readonly afterwardsMs?: number
}

export interface KillFigures extends Outcome {
  readonly kills: number
  /** Maximum number of duplicates caused by one kill. */
  readonly mostAtOnce: number
  /** Number of duplicates of deliveries that the mail host had confirmed before the kill. */
  readonly answered: number
}

/** Kills nodes at random moments under load, and counts lost messages and duplicates. */
export async function killUnderLoad(cluster: Cluster, options: KillOptions): Promise<KillFigures> {
  const { kills, perSecond, everyMs, victim, meanwhile, afterwardsMs } = options
  const { clients, sink } = cluster
  const times: number[] = []
  let isSending = true
  const sending = (async () => {
    while (isSending) await clients.send(perSecond, 500)
  })()
  for (let kill = 0; kill < kills; kill++) {
    const began = performance.now()
    const node = victim(kill)
    await sleep(everyMs * (0.2 + Math.random() * 0.3))
    times.push(Date.now())
    await node.kill()
    await meanwhile?.(node)
    await node.start()
    await sleep(Math.max(0, began + everyMs - performance.now()))
  }
  isSending = false
  await sending
  const { extras, ...outcome } = await count(cluster, {
    withinMs: 120_000,
    ...(afterwardsMs === undefined ? {} : { afterwardsMs }),
  })
  const answeredAt = new Map<string, number>()
  for (const { address, at } of sink.arrivals)
    if (!answeredAt.has(address)) answeredAt.set(address, at + sink.slowMs)
  const first = extras.map(({ address }) => answeredAt.get(address) ?? 0)
  // A duplicate is attributed to the first kill after the first arrival, because this kill prevented the record of the
  // delivery.
  const killOf = (answered: number): number => times.findIndex((at) => at >= answered - sink.slowMs)
  const byKill = Map.groupBy(first, killOf)
  const mostAtOnce = Math.max(0, ...[...byKill.values()].map(({ length }) => length))
  const answered = first.filter((at) => at < (times[killOf(at)] ?? 0)).length
  return { kills, mostAtOnce, answered, ...outcome }
}

/**
 * Maximum number of duplicates in a run with few kills. A kill may hit this many deliveries between the reply of the
 * mail host and the record of the delivery; the mean of many kills is below one.
 */
const AT_ONCE = 6

/** True if no message is lost, and each kill causes at most one duplicate on average. */
export const keptThroughKills = ({ lost, extra, kills }: KillFigures): boolean =>
  lost === 0 && extra <= Math.max(kills, AT_ONCE)
