// What a run of tests needs around its processes: a place for files, and where any of them is used, one PostgreSQL, the
// stores and keys that tests start from, the authority of certificates, the program as it is packed, and the browser, unpacked.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { makeTemporaryPlace } from '../support/temporary-files.ts'
import { closureOf } from './import-graph.ts'
import { type Group, ROOT } from './plan.ts'

const PACKAGE = 'node_modules/.cache/package'
/** Programs that tests start and kill, packed beside the service. */
const TEST_PROGRAMS = ['test/support/write-killed.ts']

/** Its certificates are trusted by processes that are started with it. */
const AUTHORITY = 'test/support/authority.ts'

type Removal = () => Promise<void>

/**
 * Makes what the groups need, and answers the removal of it.
 *
 * @param isWhole false for a few named files: their processes make stores, keys and a PostgreSQL by themselves when they
 *   use them, since most files use none
 */
export async function setUp(groups: readonly Group[], isWhole: boolean): Promise<Removal> {
  const needed = closureOf(groups.flatMap((group) => group.files))
  const browser = groups.some((group) => group.browser) || needed.has('test/support/browser/browser.ts')
  // The package of the browser unpacks itself into the temporary directory that it sees first.
  if (browser) await (await import('../support/browser/browser.ts')).unpackBrowser()
  const removals: Removal[] = [await makeTemporaryPlace()]
  process.env.TEST_RUN_DIR = process.env.TMPDIR
  await Promise.all([
    isWhole ? makeShared(removals) : undefined,
    needed.has('test/support/program.ts') ? packProgram() : undefined,
    needed.has(AUTHORITY) ? (await import('../support/authority.ts')).makeAuthority() : undefined,
  ])
  return async () => {
    for (const remove of removals.toReversed()) {
      // A server that an interruption has ended already takes nothing from the others.
      await remove().catch((error: unknown) => console.error(error))
    }
  }
}

/** Loads the makers only here: a file that uses none of them starts in a third of the time. */
async function makeShared(removals: Removal[]): Promise<void> {
  const [{ startPostgres }, { makeKeys }, { makeStores }] = await Promise.all([
    import('../support/postgres.ts'),
    import('../support/ready-made-keys.ts'),
    import('../support/make-stores.ts'),
  ])
  if (!process.env.TEST_DATABASE_URL) {
    const server = await startPostgres()
    removals.push(() => server.stop())
    process.env.TEST_DATABASE_URL = server.url
  }
  const [removeStores] = await Promise.all([makeStores(), makeKeys()])
  removals.push(removeStores)
}

/** Packs the program as `npm pack` does: started from few files, a command takes half the time. */
async function packProgram(): Promise<void> {
  const words = [join(ROOT, 'bin/node'), join(ROOT, 'bin/compile.ts'), PACKAGE, ...TEST_PROGRAMS]
  const compile = spawn('sh', words, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = await once(compile, 'exit')
  if (code !== 0) throw new Error('the program could not be packed')
  process.env.TEST_PACKAGE = PACKAGE
}
