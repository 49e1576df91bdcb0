// Nodes that are gone with their disks: what they had delivered and not written is all that may arrive twice.

import { setTimeout as sleep } from 'node:timers/promises'
import { count, inCluster } from '../cluster.ts'
import type { Scenario } from '../scenario.ts'

const EVERY_MS = 5_000

export const scenario: Scenario = {
  sentence:
    'of three loaded nodes one is killed every 5 s, and another one without its data directory takes its place',
  run: (small) =>
    inCluster({ nodes: 3, slowMs: 10 }, async (cluster) => {
      const { nodes, clients } = cluster
      const kills = small ? 1 : 12
      const sending = clients.send(small ? 30 : 60, kills * EVERY_MS)
      for (let kill = 0; kill < kills; kill++) {
        const began = performance.now()
        const node = nodes[kill % nodes.length]!
        await sleep(1_000 + Math.random() * 1_000)
        await node.kill()
        await node.loseDisk()
        await node.start()
        await sleep(Math.max(0, began + EVERY_MS - performance.now()))
      }
      await sending
      // Nobody knows that the leases of the dead are over, before their time.
      const { extras: _, ...outcome } = await count(cluster, { withinMs: 120_000, afterwardsMs: 70_000 })
      return { figures: { kills, ...outcome }, held: outcome.lost === 0 && outcome.extra <= kills }
    }),
}
