// Kills the workers of one node in random order and at random moments; the supervisor survives, and the service
// recovers.

import { setTimeout as sleep } from 'node:timers/promises'
import { randomOf } from '../../support/mails/made.ts'
import { count, inCluster } from '../cluster.ts'
import type { TortureNode } from '../node.ts'
import type { Scenario } from '../scenario.ts'

const WORKERS = 2
/** Maximum time from the last kill of a round until the node is ready, in milliseconds. */
const BACK_WITHIN_MS = 5_000
/** Maximum number of kills in one round. */
const MOST_KILLS = 4
/** Maximum interval between two kills, which exceeds the supervisor's first pause before a restart. */
const LONGEST_MS = 1_500
/** Maximum time between two rounds; short enough that a kill may hit a starting worker. */
const BETWEEN_MS = 1_000

/** Kills random workers of the node, one after another; returns the number of kills. */
async function killSome(node: TortureNode, random: () => number): Promise<number> {
  let killed = 0
  for (let left = 1 + Math.floor(random() * MOST_KILLS); left > 0 && node.lives; left--) {
    const workers = await node.workers()
    const victim = workers[Math.floor(random() * workers.length)]
    if (victim !== undefined) {
      process.kill(victim, 'SIGKILL')
      killed++
    }
    // Half of the intervals are shorter than the pause before a restart, so that sometimes all workers are dead.
    if (left > 1) await sleep(random() * (random() < 0.5 ? 300 : LONGEST_MS))
  }
  return killed
}

/** Returns the time until the node is ready, in milliseconds; infinite if the node is not ready within a minute. */
async function backAfterMs(node: TortureNode): Promise<number> {
  const began = performance.now()
  while (performance.now() - began < 60_000) {
    if ((await node.ready()) === 200) return performance.now() - began
    await sleep(20)
  }
  return Infinity
}

export const scenario: Scenario = {
  sentence: `the ${WORKERS} workers of a loaded node are killed in random order at random moments (TORTURE_ROUNDS, TORTURE_SEED)`,
  run: (small) =>
    inCluster({ nodes: 1, slowMs: 10, settings: { POSTRIDER_WORKERS: String(WORKERS) } }, async (cluster) => {
      const [node] = cluster.nodes as [TortureNode]
      const rounds = Number(process.env.TORTURE_ROUNDS ?? (small ? 3 : 200))
      const seed = Number(process.env.TORTURE_SEED ?? Date.now() % 1_000_000)
      const random = randomOf(seed)
      let kills = 0
      const back: number[] = []
      for (let round = 0; round < rounds && node.lives; round++) {
        // The rate is low, because clients that repeat many requests would slow down the start of a worker.
        const sending = cluster.clients.send(20, random() * BETWEEN_MS)
        await sleep(random() * BETWEEN_MS)
        kills += await killSome(node, random)
        back.push(await backAfterMs(node))
        await sending
      }
      const { lives } = node
      const { extras: _, ...outcome } = lives
        ? await count(cluster, { withinMs: 60_000 })
        : { extras: [], lost: NaN }
      const slowestMs = Math.round(Math.max(...back))
      const late = back.filter((ms) => ms > BACK_WITHIN_MS).length
      return {
        figures: { seed, rounds, kills, lives, slowestMs, late, ...outcome },
        held: lives && late === 0 && outcome.lost === 0,
      }
    }),
}
