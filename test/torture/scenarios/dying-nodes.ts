// Nodes that are killed and restarted lose no message, and send hardly any duplicates.

import { inCluster } from '../cluster.ts'
import { keptThroughKills, killUnderLoad } from '../kills.ts'
import type { Scenario } from '../scenario.ts'

const EVERY_MS = 5_000

export const scenario: Scenario = {
  sentence: 'one of three loaded nodes is killed every 5 s and restarted',
  run: (small) =>
    inCluster({ nodes: 3, slowMs: 10 }, async (cluster) => {
      const { nodes } = cluster
      const figures = await killUnderLoad(cluster, {
        ...{ kills: small ? 1 : 120, perSecond: small ? 30 : 60, everyMs: EVERY_MS },
        victim: (kill) => nodes[kill % nodes.length]!,
      })
      return { figures: { ...figures }, held: keptThroughKills(figures) }
    }),
}
