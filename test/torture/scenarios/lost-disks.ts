// Nodes that are gone with their disks: nothing is lost, and what they had delivered and not written arrives twice.

import { inCluster } from '../cluster.ts'
import { killUnderLoad } from '../kills.ts'
import type { Scenario } from '../scenario.ts'

/** Messages a second; what a kill doubles without a journal grows with it. */
const PER_SECOND = Number(process.env.TORTURE_RATE ?? 60)

export const scenario: Scenario = {
  sentence:
    'of three loaded nodes (TORTURE_RATE messages a second, 60) one is killed every 5 s, and another one without its data directory takes its place',
  run: (small) =>
    inCluster({ nodes: 3, slowMs: 10 }, async (cluster) => {
      const { nodes } = cluster
      const figures = await killUnderLoad(cluster, {
        ...{ kills: small ? 1 : 12, perSecond: small ? 30 : PER_SECOND, everyMs: 5_000 },
        victim: (kill) => nodes[kill % nodes.length]!,
        meanwhile: (node) => node.loseDisk(),
        // Nobody knows that the leases of the dead are over, before their time.
        afterwardsMs: 70_000,
      })
      return { figures: { ...figures }, held: figures.lost === 0 }
    }),
}
