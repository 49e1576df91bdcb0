// Stores made once for all tests: an empty one with its tables, and the playground as its first start leaves it, whose
// keys and password cost half a second; the password's hash is changed for one that costs little to check.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TlsSource } from '../../src/certificates/tls-source.ts'
import { loadConfig } from '../../src/config/load.ts'
import { silentLog } from '../../src/lib/log.ts'
import { startApp } from '../../src/node/node.ts'
import type { PlaygroundFile } from '../../src/playground/setup.ts'
import { findUserByEmail } from '../../src/store/access/accounts.ts'
import { setPassword } from '../../src/store/access/people.ts'
import { openStore } from '../../src/store/open-store.ts'
import { createTestDatabase } from './postgres.ts'
import { TestClock } from './test-clock.ts'
import { cheapHash } from './users.ts'

/** Host name of every test's node, and the patience with a database that shares its cores with eight processes of tests. */
export const USUAL_SETTINGS = {
  POSTRIDER_HOSTNAME: 'sender.test',
  POSTRIDER_DATABASE_TIMEOUT_MS: '60000',
} as const

/** Production on the PostgreSQL of the tests, which is run without fsync. */
export const UNSAFE_DATABASE = { POSTRIDER_ALLOW_UNSAFE_DATABASE: 'yes' } as const

/** Settings that the playground's first start makes something of. */
const OF_THE_FIRST_START = [
  'POSTRIDER_MODE',
  'POSTRIDER_HOSTNAME',
  'POSTRIDER_RETURN_PATH_HOST',
  'POSTRIDER_DNS_SERVERS',
]

/** True if a node with these settings may start from a prepared store. */
export const mayBeReadyMade = (env: Readonly<Record<string, string>>): boolean =>
  OF_THE_FIRST_START.every((name) => !(name in env))

type DatabaseName = 'sqlite' | 'postgres'

/** Kinds of stores that are made once: `tables` is empty, beside the certificate that a node makes by itself. */
export type ReadyMade = 'tables' | 'playground'

/** Place of a store to copy: its data directory, and on PostgreSQL the name of its database. */
interface Original {
  readonly dataDir: string
  readonly database?: string
}

type Originals = Readonly<Record<ReadyMade, Readonly<Record<DatabaseName, Original>>>>

/** The store to copy; undefined where none was made: a test file that runs by itself. */
export function readyMade(kind: ReadyMade, database: DatabaseName): Original | undefined {
  const { TEST_READY_MADE: made } = process.env
  return made === undefined ? undefined : (JSON.parse(made) as Originals)[kind][database]
}

/** Makes all of them, for this process and those that it starts; the answer removes them. */
export async function makeStores(): Promise<() => Promise<void>> {
  const removals: (() => Promise<void>)[] = []
  const make = async (kind: ReadyMade, database: DatabaseName): Promise<Original> => {
    const dataDir = await mkdtemp(join(tmpdir(), 'postrider-ready-'))
    removals.push(() => rm(dataDir, { recursive: true, force: true }))
    if (database === 'sqlite') {
      await MAKE[kind](dataDir, undefined)
      return { dataDir }
    }
    const { url, drop } = await createTestDatabase()
    removals.push(drop)
    await MAKE[kind](dataDir, url)
    return { dataDir, database: new URL(url).pathname.slice(1) }
  }
  const makeBoth = async (kind: ReadyMade): Promise<Originals[ReadyMade]> => ({
    sqlite: await make(kind, 'sqlite'),
    postgres: await make(kind, 'postgres'),
  })
  const made: Originals = { tables: await makeBoth('tables'), playground: await makeBoth('playground') }
  process.env.TEST_READY_MADE = JSON.stringify(made)
  return async () => void (await Promise.all(removals.map((remove) => remove())))
}

const MAKE: Readonly<Record<ReadyMade, (dataDir: string, databaseUrl: string | undefined) => Promise<void>>> =
  {
    async tables(dataDir, databaseUrl) {
      const store = await openStore({ dataDir, databaseUrl, log: silentLog })
      await store.close()
      // The certificate of its first start, which costs a node a thread and a key.
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
