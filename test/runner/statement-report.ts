// Compares the SQL statements that a run sent to PostgreSQL with the inventory, and reports statements that no test
// executes any more.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Choice } from './choice.ts'
import { ROOT } from './plan.ts'
import { inventory, LEAST_SHARE, MAY_MISS, shapesIn, writeInventory } from './statements.ts'

/** Directory with the statements of the last run of each tier; both tiers together must execute the whole inventory. */
const CACHE = join(ROOT, 'node_modules/.cache/test-statements')
const MAX_TOLD = 20

/**
 * Returns the faults: statements of the inventory that the two tiers together no longer execute, or too small a share
 * of the inventory in `npm test`. The comparison uses the last run of each tier on this machine.
 */
export function reportStatements(runDir: string, { tier, acceptsStatements }: Choice): readonly string[] {
  const reached = shapesIn(runDir)
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(join(CACHE, `${tier}.txt`), [...reached].join('\n'))
  const all = tier === 'all' ? reached : new Set([...cached('short'), ...cached('thorough')])
  if (acceptsStatements) {
    writeInventory(all)
    console.log(`The inventory now has ${all.size} statements.`)
    return []
  }
  const known = inventory()
  if (tier === 'short') return shareFaults(known, reached)
  const missing = known.filter((shape) => !all.has(shape))
  const added = [...all].filter((shape) => !known.includes(shape))
  if (added.length > 0)
    console.log(`${added.length} statements are new: npm run test:all -- --accept-statements`)
  if (missing.length === 0) return []
  const told = `no test reached ${missing.length} of ${known.length} statements on PostgreSQL. Add tests for these statements, or run npm run test:all -- --accept-statements:\n${missing.slice(0, MAX_TOLD).join('\n')}`
  if (missing.length > MAY_MISS * known.length) return [told]
  console.log(told)
  return []
}

function shareFaults(known: readonly string[], reached: ReadonlySet<string>): readonly string[] {
  const share = known.filter((shape) => reached.has(shape)).length / known.length
  console.log(`This run reached ${(100 * share).toFixed(1)} % of ${known.length} statements on PostgreSQL.`)
  if (share >= LEAST_SHARE) return []
  return [`npm test has to reach ${100 * LEAST_SHARE} % of the statements: see test/runner/postgres-files.ts`]
}

function cached(tier: 'short' | 'thorough'): readonly string[] {
  const file = join(CACHE, `${tier}.txt`)
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
}
