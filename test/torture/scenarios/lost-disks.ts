// Nodes that die together with their disks lose no message; only deliveries without a record arrive twice.

import { inCluster } from '../cluster.ts'
import { killUnderLoad } from '../kills.ts'
import type { Scenario } from '../scenario.ts'

/** Messages per second; the number of duplicates caused by a kill without a journal grows with this rate. */
const PER_SECOND = Number(process.env.TORTURE_RATE ?? 60)

export const scenario: Scenario = {
  sentence:
    'one of three loaded nodes (TORTURE_RATE messages per second, 60) is killed every 5 s, and replaced by a node without its data directory',
  run: (small) =>
    inCluster({ nodes: 3, slowMs: 10 }, async (cluster) => {
      const { nodes } = cluster
      const figures = await killUnderLoad(cluster, {
        ...{ kills: small ? 1 : 12, perSecond: small ? 30 : PER_SECOND, everyMs: 5_000 },
        victim: (kill) => nodes[kill % nodes.length]!,
        meanwhile: (node) => node.loseDisk(),
        // The wait includes the expiry of the killed nodes' leases, because no other node knows of the kill.
        afterwardsMs: 70_000,
      })
      return { figures: { ...figures }, held: figures.lost === 0 }
    }),
}
