// Short runs of `npm run torture`: no message is lost, duplicated or early on nodes that share a PostgreSQL server.

// thorough: takes 20 CPU seconds for clusters with faults of nodes, clocks and the database

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usualDatabase } from '../support/store.ts'
import { scenario as clock } from '../torture/scenarios/clock.ts'
import { scenario as databaseKill } from '../torture/scenarios/database-kill.ts'
import { scenario as dyingNodes } from '../torture/scenarios/dying-nodes.ts'

const skip = usualDatabase() === 'postgres' ? false : 'nodes share a PostgreSQL alone'

for (const { sentence, run } of [clock, databaseKill, dyingNodes]) {
  test(sentence, { skip, timeout: 180_000 }, async (context) => {
    const { figures, held } = await run(true)
    context.diagnostic(JSON.stringify(figures))
    assert.ok(held, JSON.stringify(figures))
  })
}
