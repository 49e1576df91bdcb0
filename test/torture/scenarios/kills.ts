// Kills one of two nodes at random moments, and requires that no message is lost.

import { inCluster } from '../cluster.ts'
import { keptThroughKills, killUnderLoad } from '../kills.ts'
import type { Scenario } from '../scenario.ts'

const KILLS = Number(process.env.TORTURE_KILLS ?? 100)

export const scenario: Scenario = {
  sentence: 'one of two loaded nodes is killed at a random moment and restarted, 100 times (TORTURE_KILLS)',
  run: (small) =>
    inCluster({ nodes: 2, slowMs: 10 }, async (cluster) => {
      const { nodes } = cluster
      const figures = await killUnderLoad(cluster, {
        ...{ kills: small ? 2 : KILLS, perSecond: small ? 30 : 60, everyMs: 3_000 },
        victim: () => nodes[Math.floor(Math.random() * nodes.length)]!,
      })
      return { figures: { ...figures }, held: keptThroughKills(figures) }
    }),
}
