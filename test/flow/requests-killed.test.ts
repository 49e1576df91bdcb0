// Processes that are killed after each commit of every request with an idempotency key: the repetition after the next
// start completes the request once.

// thorough: kills a process between the commits of each route; src/api/cut-requests.test.ts interrupts the same routes
// without a kill

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { CUT_ROUTES, shapeOf } from '../support/cut-requests.ts'
import type { CutRequestNote, KilledTask } from '../support/request-killed.ts'
import { type TestStorage, testStorage, usualDatabase } from '../support/store.ts'

const PROGRAM = join(import.meta.dirname, '../support/request-killed.ts')
/**
 * Endpoints for API keys under `/v1` and for users under `/api`; endpoints that are mounted under `/api` share the
 * handlers of `/v1`.
 */
const ALL = Object.entries(CUT_ROUTES)
  .filter(([name, { inOneProcess }]) => !inOneProcess && (!name.startsWith('POST /api/') || !isMounted(name)))
  .map(([name]) => name)

function isMounted(name: string): boolean {
  return /^POST \/api\/((keys|smtp-credentials|domains(?!\/:domain_id))\b|domains\/:domain_id\/(templates|layouts|streams|suppressions|webhooks|erasures|messages\/:message_id\/cancel|bulk)|verification\/verifications)/.test(
    name,
  )
}

interface Told {
  readonly world?: KilledTask['world']
  readonly cut?: CutRequestNote
  readonly again?: { readonly status: number; readonly body: object; readonly rows: object }
  readonly whole?: { readonly status: number; readonly body: object; readonly rows: object }
}

/** Runs the process until it ends; returns its output. */
async function run(task: KilledTask): Promise<Told & { readonly killed: boolean }> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  assert.ok(signal === 'SIGKILL' || code === 0, `${task.name} ended with ${code ?? signal}: ${output}`)
  const lines = output.split('\n').filter((line) => line.startsWith('{'))
  return { ...Object.assign({}, ...lines.map((line) => JSON.parse(line))), killed: signal === 'SIGKILL' }
}

/** Kills a process after each commit of a request, but at most `most` times. */
async function killAfterEach(
  storage: KilledTask['storage'],
  name: string,
  first: number,
  most: number,
  before: KilledTask['world'],
): Promise<KilledTask['world']> {
  const started = await run({ storage, world: before, name, n: first, commits: 0 })
  const { world, whole } = started
  assert.ok(whole !== undefined && whole.status < 300, JSON.stringify(whole))
  let cut: CutRequestNote | undefined
  for (let commits = 1; ; commits++) {
    const isLast = commits > most
    const told = await run({ storage, world, name, n: first + commits, cut, commits: isLast ? -1 : commits })
    if (cut !== undefined) {
      const where = `${name}, killed after commit ${commits - 1}`
      assert.equal(told.again?.status, whole.status, `${where}: ${JSON.stringify(told.again?.body)}`)
      assert.deepEqual(shapeOf(name, told.again?.body), shapeOf(name, whole.body), where)
      assert.deepEqual(told.again?.rows, whole.rows, where)
    }
    if (isLast || !told.killed) {
      assert.ok(commits > 1, `${name} was not killed`)
      return world
    }
    cut = told.cut
  }
}

// expensive: this test takes 8 s of CPU time
test('a request that a kill interrupted is completed once after the next start', async (context) => {
  const storage = await testStorage(usualDatabase(), 'playground')
  context.after(() => storage.remove())
  await killAfterEach(storage, 'POST /v1/suppressions', 1, 2, undefined)
})

let storage: TestStorage | undefined
let world: KilledTask['world']
after(() => storage?.remove())

/** Pattern of the endpoints to test; `KILL_REQUESTS=.` tests all endpoints, which takes too long for one test file. */
const { KILL_REQUESTS: wanted } = process.env

for (const [index, name] of ALL.entries()) {
  // expensive: all of these tests together take 300 s of CPU time
  test(`a request is completed once after a kill following any of its commits: ${name}`, {
    skip: wanted === undefined || !new RegExp(wanted).test(name),
  }, async () => {
    storage ??= await testStorage(usualDatabase(), 'playground')
    world = await killAfterEach(storage, name, index * 100 + 1, 10, world)
  })
}
