// The crash of a PostgreSQL primary with a synchronous standby loses no message, and the nodes find the promoted
// standby without a restart.

import { setTimeout as sleep } from 'node:timers/promises'
import { count, inCluster } from '../cluster.ts'
import type { Scenario } from '../scenario.ts'

const BETWEEN_MS = 8_000
const MAX_READY_MS = 5_000

export const scenario: Scenario = {
  sentence: 'the primary is killed three times, and its synchronous standby is promoted',
  run: (small) =>
    inCluster({ nodes: 2, slowMs: 20, standby: true }, async (cluster) => {
      const { database, clients, nodes } = cluster
      const failovers = small ? 1 : 3
      const readyMs: number[] = []
      let isSending = true
      const sending = (async () => {
        while (isSending) await clients.send(small ? 20 : 60, 1_000)
      })()
      for (let failover = 0; failover < failovers; failover++) {
        if (failover > 0) await database.restoreStandby()
        await sleep(small ? 1_000 : BETWEEN_MS)
        await database.failOver()
        const promotedAt = performance.now()
        while ((await Promise.all(nodes.map((node) => node.ready()))).some((status) => status !== 200))
          await sleep(100)
        readyMs.push(Math.round(performance.now() - promotedAt))
        await sleep(small ? 500 : BETWEEN_MS)
      }
      isSending = false
      await sending
      const { extras: _, ...outcome } = await count(cluster, { withinMs: 120_000 })
      const held = outcome.lost === 0 && outcome.extra === 0 && Math.max(...readyMs) <= MAX_READY_MS
      return { figures: { failovers, readyMs, ...outcome }, held }
    }),
}
