// The playground as its first start leaves it, made once for all tests: its keys and its password cost half a second.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../src/config/load.ts'
import { silentLog } from '../../src/lib/log.ts'
import { startApp } from '../../src/node/node.ts'
import { TestClock } from './test-clock.ts'

/** Host name of every test's node. */
export const USUAL_SETTINGS = { POSTRIDER_HOSTNAME: 'sender.test' } as const

/** Settings that the playground's first start makes something of. */
const OF_THE_FIRST_START = ['POSTRIDER_MODE', 'POSTRIDER_HOSTNAME', 'POSTRIDER_RETURN_PATH_HOST']

/** True if a node with these settings may start from a prepared store. */
export const mayBeReadyMade = (env: Readonly<Record<string, string>>): boolean =>
  OF_THE_FIRST_START.every((name) => !(name in env))

/** Starts a playground and stops it again; answers its data directory. */
export async function makePlayground(databaseUrl: string | undefined): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-ready-'))
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
  await app.stop()
  return dataDir
}

/** Removes what was made. */
export const removePlayground = (dataDir: string): Promise<void> =>
  rm(dataDir, { recursive: true, force: true })
