// A crash of the database causes neither lost nor duplicate messages.

import { setTimeout as sleep } from 'node:timers/promises'
import { count, inCluster } from '../cluster.ts'
import type { Scenario } from '../scenario.ts'

export const scenario: Scenario = {
  sentence: 'the database of two loaded nodes crashes and recovers repeatedly',
  run: (small) =>
    inCluster({ nodes: 2, slowMs: 20 }, async (cluster) => {
      const { database, clients } = cluster
      const crashes = small ? 2 : 20
      const everyMs = small ? 1_500 : 4_000
      const sending = clients.send(small ? 40 : 100, crashes * everyMs)
      for (let crash = 0; crash < crashes; crash++) {
        await sleep(everyMs * (0.3 + Math.random() * 0.4))
        database.crash()
        await sleep(everyMs / 2)
      }
      await sending
      const { extras: _, ...outcome } = await count(cluster, { withinMs: 120_000 })
      return { figures: { crashes, ...outcome }, held: outcome.lost === 0 && outcome.extra === 0 }
    }),
}
