// A node that is suspended for longer than the duration of its leases sends no message twice when the node continues.

import { setTimeout as sleep } from 'node:timers/promises'
import { count, inCluster } from '../cluster.ts'
import type { Scenario } from '../scenario.ts'

const LONGER_THAN_A_LEASE_MS = 66_000

/** Scenario that counts the duplicates which the resumed node sends after the other node has sent the messages. */
export const scenario: Scenario = {
  sentence:
    'one of two loaded nodes is suspended (SIGSTOP) during its work for longer than the duration of its leases',
  run: () =>
    inCluster({ nodes: 2, slowMs: 100 }, async (cluster) => {
      const { nodes, clients, sink } = cluster
      const [first] = nodes
      const sending = clients.send(60, 12_000)
      await sleep(6_000)
      first!.freeze()
      await sending
      await sleep(LONGER_THAN_A_LEASE_MS)
      const wokenAt = Date.now()
      first!.thaw()
      const { extras, ...outcome } = await count(cluster, { withinMs: 60_000 })
      const byWoken = extras.filter(({ node, at }) => node === first!.name && at >= wokenAt).length
      const beforeTheEnd = sink.arrivals.filter(({ at }) => at < wokenAt).length
      const figures = { ...outcome, sentByWoken: byWoken, arrivedBefore: beforeTheEnd }
      return { figures, held: outcome.lost === 0 && outcome.early === 0 && byWoken === 0 }
    }),
}
