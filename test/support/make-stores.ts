// Creates the stores that tests copy. Keys and password of the playground cost half a second, so the copies share them;
// the password hash is replaced by a hash that is cheap to check.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TlsSource } from '../../src/certificates/tls-source.ts'
import { loadConfig } from '../../src/config/load.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { PlaygroundFile } from '../../src/playground/setup.ts'
import { findUserByEmail } from '../../src/store/access/accounts.ts'
import { setPassword } from '../../src/store/access/people.ts'
import { openStore } from '../../src/store/node/open-in-mode.ts'
import { createTestDatabase } from './postgres.ts'
import type { DatabaseName, Original, Originals, ReadyMade } from './ready-made-kinds.ts'
import { TestClock } from './test-clock.ts'
import { cheapHash } from './users.ts'
import { USUAL_SETTINGS } from './usual-settings.ts'

/** A created store, and a function that removes it. */
interface Made {
  readonly original: Original
  remove(): Promise<void>
}

/** Creates a store of one kind. */
export async function makeStore(kind: ReadyMade, database: DatabaseName): Promise<Made> {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-ready-'))
  const removeFiles = (): Promise<void> => rm(dataDir, { recursive: true, force: true })
  if (database === 'sqlite') {
    await MAKE[kind](dataDir, undefined)
    return { original: { dataDir }, remove: removeFiles }
  }
  const { url, drop } = await createTestDatabase()
  await MAKE[kind](dataDir, url)
  const original = { dataDir, database: new URL(url).pathname.slice(1) }
  return { original, remove: async () => void (await Promise.all([removeFiles(), drop()])) }
}

/** Creates all stores for the child processes of this process; returns a function that removes the stores. */
export async function makeStores(): Promise<() => Promise<void>> {
  const removals: (() => Promise<void>)[] = []
  const make = async (kind: ReadyMade, database: DatabaseName): Promise<Original> => {
    const { original, remove } = await makeStore(kind, database)
    removals.push(remove)
    return original
  }
  const makeBoth = async (kind: ReadyMade): Promise<Originals[ReadyMade]> => {
    const [sqlite, postgres] = await Promise.all([make(kind, 'sqlite'), make(kind, 'postgres')])
    return { sqlite, postgres }
  }
  const [tables, playground] = await Promise.all([makeBoth('tables'), makeBoth('playground')])
  process.env.TEST_READY_MADE = JSON.stringify({ tables, playground } satisfies Originals)
  return async () => void (await Promise.all(removals.map((remove) => remove())))
}

const MAKE: Readonly<Record<ReadyMade, (dataDir: string, databaseUrl: string | undefined) => Promise<void>>> =
  {
    async tables(dataDir, databaseUrl) {
      const store = await openStore({ dataDir, databaseUrl, log: silentLog })
      await store.close()
      // Creates in advance the certificate that a node needs at its first start, because the creation starts a thread
      // and generates a key.
      const hostName = USUAL_SETTINGS.POSTRIDER_HOSTNAME
      await TlsSource.open({ dataDir, hostName, clock: new TestClock() })
    },
    async playground(dataDir, databaseUrl) {
      const config = loadConfig({
        ...USUAL_SETTINGS,
        POSTRIDER_DATA_DIR: dataDir,
        POSTRIDER_DATABASE_URL: databaseUrl,
        POSTRIDER_ROLES: 'api,smtp',
        POSTRIDER_HTTP_PORT: '0',
        POSTRIDER_SMTP_PORT: '0',
        POSTRIDER_DNS_SERVERS: '127.0.0.1:9',
      })
      const { startApp } = await import('../../src/node/node.ts')
      const app = await startApp(config, silentLog, new TestClock())
      const login = app.playground?.dashboard_login as PlaygroundFile['dashboard_login']
      await app.stop()
      const store = await openStore({ dataDir, databaseUrl, log: silentLog })
      const user = await findUserByEmail(store.read, login.email)
      const passwordHash = cheapHash(login.password)
      await store.write(setPassword, { userId: user?.id as string, passwordHash, keepSession: undefined })
      await store.close()
    },
  }
