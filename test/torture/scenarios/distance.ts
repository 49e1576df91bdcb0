// A database with a round trip time of 2 ms does not slow down work that is grouped into commits.

import { count, inCluster } from '../cluster.ts'
import type { Scenario } from '../scenario.ts'

export const scenario: Scenario = {
  sentence: 'two loaded nodes have a round trip time of 2 ms to the database',
  run: (small) =>
    inCluster({ nodes: 2, slowMs: 20, distanceMs: 1 }, async (cluster) => {
      const { clients } = cluster
      const perSecond = small ? 40 : 150
      const began = performance.now()
      await clients.send(perSecond, small ? 3_000 : 30_000)
      await clients.settled()
      const acceptedPerSecond = Math.round((clients.accepted.size * 1_000) / (performance.now() - began))
      const { extras: _, ...outcome } = await count(cluster, { withinMs: 60_000 })
      const figures = { perSecond, acceptedPerSecond, ...outcome }
      return { figures, held: outcome.lost === 0 && outcome.extra === 0 }
    }),
}
