// Workers of one node that are killed in every order and at every moment: their supervisor lives, and the service comes back.

import { setTimeout as sleep } from 'node:timers/promises'
import { randomOf } from '../../support/mails/made.ts'
import { count, inCluster } from '../cluster.ts'
import type { TortureNode } from '../node.ts'
import type { Scenario } from '../scenario.ts'

const WORKERS = 2
/** From the last kill of a round to an answer, in milliseconds. */
const BACK_WITHIN_MS = 5_000
/** Most kills of one round, and the longest time between two of them: longer than the first pause before a start. */
const MOST_KILLS = 4
const LONGEST_MS = 1_500
/** Longest time between two rounds: a worker may be killed while it starts. */
const BETWEEN_MS = 1_000

/** Kills workers of the node, one after the other; answers how many there were to kill. */
async function killSome(node: TortureNode, random: () => number): Promise<number> {
  let killed = 0
  for (let left = 1 + Math.floor(random() * MOST_KILLS); left > 0 && node.lives; left--) {
    const workers = await node.workers()
    const victim = workers[Math.floor(random() * workers.length)]
    if (victim !== undefined) {
      process.kill(victim, 'SIGKILL')
      killed++
    }
    // Half of the pauses are within that before a start, so that all are dead at once.
    if (left > 1) await sleep(random() * (random() < 0.5 ? 300 : LONGEST_MS))
  }
  return killed
}

/** Time until the node answers, in milliseconds; infinite when it does not within a minute. */
async function backAfterMs(node: TortureNode): Promise<number> {
  const began = performance.now()
  while (performance.now() - began < 60_000) {
    if ((await node.ready()) === 200) return performance.now() - began
    await sleep(20)
  }
  return Infinity
}

export const scenario: Scenario = {
  sentence: `the ${WORKERS} workers of a loaded node are killed in random orders and moments (TORTURE_ROUNDS, TORTURE_SEED)`,
  run: (small) =>
    inCluster({ nodes: 1, slowMs: 10, settings: { POSTRIDER_WORKERS: String(WORKERS) } }, async (cluster) => {
      const [node] = cluster.nodes as [TortureNode]
      const rounds = Number(process.env.TORTURE_ROUNDS ?? (small ? 3 : 200))
      const seed = Number(process.env.TORTURE_SEED ?? Date.now() % 1_000_000)
      const random = randomOf(seed)
      let kills = 0
      const back: number[] = []
      for (let round = 0; round < rounds && node.lives; round++) {
        // A few: clients that ask again and again would load a start.
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
