// Creates the resources that test processes share: a temporary directory and, if needed, a PostgreSQL server, prepared
// stores and keys, a certificate authority, the packaged program, and the unpacked browser.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { makeTemporaryPlace } from '../support/temporary-files.ts'
import { closureOf } from './import-graph.ts'
import { type Group, ROOT } from './plan.ts'

const PACKAGE = 'node_modules/.cache/package'
/** Programs that tests start and kill; they are compiled in addition to the service. */
const TEST_PROGRAMS = ['test/support/write-killed.ts']

/** Module of the certificate authority that the started processes trust. */
const AUTHORITY = 'test/support/authority.ts'

type Removal = () => Promise<void>

/**
 * Creates the resources that the groups need; returns a function that removes the resources.
 *
 * @param isWhole false for a few named files; their processes create stores, keys and a PostgreSQL server on demand,
 *   because most files use none of these
 */
export async function setUp(groups: readonly Group[], isWhole: boolean): Promise<Removal> {
  const needed = closureOf(groups.flatMap((group) => group.files))
  const browser = groups.some((group) => group.browser) || needed.has('test/support/browser/browser.ts')
  // The browser is unpacked first, because its package unpacks into the temporary directory of the first call.
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
      // A failed removal, for example of a server that an interrupt has already ended, must not prevent the other
      // removals.
      await remove().catch((error: unknown) => console.error(error))
    }
  }
}

/**
 * Creates the shared PostgreSQL server, stores and keys. Modules are imported here, because a run without them starts
 * faster.
 */
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

/** Compiles the program as for the npm package, because a command starts twice as fast from few files. */
async function packProgram(): Promise<void> {
  const words = [join(ROOT, 'bin/node'), join(ROOT, 'bin/compile.ts'), PACKAGE, ...TEST_PROGRAMS]
  const compile = spawn('sh', words, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = await once(compile, 'exit')
  if (code !== 0) throw new Error('the program could not be packed')
  process.env.TEST_PACKAGE = PACKAGE
}
