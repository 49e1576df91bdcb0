// Kills of loaded nodes, each of which comes back, and the deliveries that each kill has doubled.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, count, type Outcome } from './cluster.ts'
import type { TortureNode } from './node.ts'

export interface KillOptions {
  readonly kills: number
  readonly perSecond: number
  /** From one kill to the next, unless the node takes longer to start. */
  readonly everyMs: number
  /** The node of a kill. */
  readonly victim: (kill: number) => TortureNode
  /** What else happens to it before it starts again. */
  readonly meanwhile?: (node: TortureNode) => Promise<void>
  /** As for `count`. */
  readonly afterwardsMs?: number
}

export interface KillFigures extends Outcome {
  readonly kills: number
  /** Most deliveries that were doubled by one kill: the last one before their first arrival counts those after it. */
  readonly mostAtOnce: number
  /** Doubled deliveries that the host had answered before the kill. */
  readonly answered: number
}

/** Kills nodes at random moments under load, and counts. */
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
  // What was delivered before a kill and not written: the first kill behind the first arrival.
  const killOf = (answered: number): number => times.findIndex((at) => at >= answered - sink.slowMs)
  const byKill = Map.groupBy(first, killOf)
  const mostAtOnce = Math.max(0, ...[...byKill.values()].map(({ length }) => length))
  const answered = first.filter((at) => at < (times[killOf(at)] ?? 0)).length
  return { kills, mostAtOnce, answered, ...outcome }
}

/** A single kill may meet as many deliveries between the host's answer and its note; the mean of many kills is under one. */
const AT_ONCE = 6

/** Nothing is lost, and on average no more than one delivered twice a kill. */
export const keptThroughKills = ({ lost, extra, kills }: KillFigures): boolean =>
  lost === 0 && extra <= Math.max(kills, AT_ONCE)
