// A rolling upgrade restarts one node after another; clients use the other node, and no message is lost or duplicated.

import { setTimeout as sleep } from 'node:timers/promises'
import { count, inCluster } from '../cluster.ts'
import type { Scenario } from '../scenario.ts'

export const scenario: Scenario = {
  sentence: 'two loaded nodes are stopped and started in turn, as in a rolling upgrade',
  run: (small) =>
    inCluster({ nodes: 2, slowMs: 20 }, async (cluster) => {
      const { nodes, clients } = cluster
      const restarts = small ? 1 : 8
      let isSending = true
      const sending = (async () => {
        while (isSending) await clients.send(small ? 30 : 60, 1_000)
      })()
      for (let restart = 0; restart < restarts; restart++) {
        const node = nodes[restart % nodes.length]!
        await sleep(1_500)
        await node.stop()
        await node.start()
      }
      isSending = false
      await sending
      const { extras: _, ...outcome } = await count(cluster, { withinMs: 60_000 })
      return { figures: { restarts, ...outcome }, held: outcome.lost === 0 && outcome.extra === 0 }
    }),
}
