// `npm run torture [-- list | name ...]` tests nodes under load on PostgreSQL with faults of nodes, clocks and the
// database, and counts the messages at an independent mail host.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Scenario } from './torture/scenario.ts'

const SCENARIOS = join(import.meta.dirname, 'torture/scenarios')

const names = (await readdir(SCENARIOS)).map((file) => file.slice(0, -'.ts'.length)).sort()
const wanted = process.argv.slice(2)
const read = async (name: string): Promise<Scenario> =>
  ((await import(join(SCENARIOS, `${name}.ts`))) as { scenario: Scenario }).scenario

const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  if (wanted.join() !== 'list') console.log(`There is no scenario ${unknown.join(', ')}. The scenarios are:`)
  for (const name of names) console.log(`${name.padEnd(16)} ${(await read(name)).sentence}`)
  process.exit(wanted.join() === 'list' ? 0 : 2)
}

let failed = 0
for (const name of wanted.length > 0 ? wanted : names) {
  const began = performance.now()
  const { figures, held } = await (await read(name)).run(false)
  const seconds = Math.round((performance.now() - began) / 1_000)
  console.log(`${held ? 'held  ' : 'FAILED'} ${name} (${seconds} s): ${JSON.stringify(figures)}`)
  if (!held) failed++
}
process.exitCode = failed === 0 ? 0 : 1
