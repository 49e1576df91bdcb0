// A node with a wrong clock sends no message twice and no scheduled message early.

import { setTimeout as sleep } from 'node:timers/promises'
import { count, inCluster } from '../cluster.ts'
import type { Scenario } from '../scenario.ts'

const STEPS_MS = [-90_000, 90_000, 3_600_000, -3_600_000]
/** Time from the correction of the clocks to the due time of scheduled messages. */
const SCHEDULED_MS = 2_000

export const scenario: Scenario = {
  sentence:
    'the clock of one of two loaded nodes is set back and ahead by 90 s and by 1 h, while clients schedule mail',
  run: (small) =>
    inCluster({ nodes: 2, slowMs: 50 }, async (cluster) => {
      const { nodes, clients } = cluster
      const [, second] = nodes
      const eachMs = small ? 1_500 : 15_000
      const steps = STEPS_MS.length
      const scheduledAt = Date.now() + steps * eachMs + SCHEDULED_MS
      const sending = clients.send(small ? 40 : 60, steps * eachMs)
      for (const step of STEPS_MS) {
        await second!.setClock(step)
        await sleep(eachMs / 2)
        // A node whose clock is an hour ahead rejects the scheduled time as past; another node then accepts the
        // message.
        for (let index = 0; index < 5; index++) clients.sendOne(scheduledAt, second)
        await sleep(eachMs / 2)
      }
      const readyWhileWrong = await second!.ready()
      await second!.setClock(0)
      await sending
      const { extras: _, ...outcome } = await count(cluster, { withinMs: 60_000 })
      const held = outcome.lost === 0 && outcome.extra === 0 && outcome.early === 0 && readyWhileWrong === 503
      return { figures: { ...outcome, readyWhileWrong }, held }
    }),
}
