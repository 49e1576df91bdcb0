// `npm run torture [-- list | name ...]` tests nodes under load on PostgreSQL with faults of nodes, clocks and the
// database, and counts the messages at an independent mail host.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runTool, selectedNames, wrappedNames } from './support/tool.ts'
import type { Scenario } from './torture/scenario.ts'

const SCENARIOS = join(import.meta.dirname, 'torture/scenarios')

const names = (await readdir(SCENARIOS)).map((file) => file.slice(0, -'.ts'.length)).sort()
const read = async (name: string): Promise<Scenario> =>
  ((await import(join(SCENARIOS, `${name}.ts`))) as { scenario: Scenario }).scenario

const USAGE = `npm run torture [-- list | NAME ...]

  Tests nodes under load on PostgreSQL with faults of nodes, clocks and the database.
  Without a name all tortures run; list describes them.

Tortures:
${wrappedNames(names)}`

await runTool(USAGE, async (words) => {
  if (words.join() === 'list') {
    for (const name of names) console.log(`${name.padEnd(16)} ${(await read(name)).sentence}`)
    return 0
  }
  let failed = 0
  for (const name of selectedNames(words, 'torture', names)) {
    const began = performance.now()
    const { figures, held } = await (await read(name)).run(false)
    const seconds = Math.round((performance.now() - began) / 1_000)
    console.log(`${held ? 'held  ' : 'FAILED'} ${name} (${seconds} s): ${JSON.stringify(figures)}`)
    if (!held) failed++
  }
  return failed === 0 ? 0 : 1
})
