// No node takes over the work of another node after an outage of the database.

import { setTimeout as sleep } from 'node:timers/promises'
import { count, inCluster } from '../cluster.ts'
import type { Scenario } from '../scenario.ts'

const FROZEN_MS = 75_000

export const scenario: Scenario = {
  sentence:
    'the database of two loaded nodes with slow mail hosts, and of an idle third node, is suspended for 75 s',
  run: () =>
    inCluster({ nodes: 3, idle: 1, slowMs: 2_000 }, async (cluster) => {
      const { database, nodes, clients } = cluster
      const sending = clients.send(60, 15_000)
      await sleep(10_000)
      database.freeze()
      await sleep(FROZEN_MS)
      database.thaw()
      const thawedAt = Date.now()
      while ((await nodes[0]!.ready()) !== 200 && Date.now() - thawedAt < 60_000) await sleep(20)
      const readyAgainMs = Date.now() - thawedAt
      await sending
      const { extras, ...outcome } = await count(cluster, { withinMs: 150_000 })
      const byIdle = extras.filter(({ node }) => node === nodes[2]!.name).length
      return {
        figures: { ...outcome, byIdle, readyAgainMs },
        held: outcome.lost === 0 && outcome.extra === 0,
      }
    }),
}
