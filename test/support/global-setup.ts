// Runs once around all test files: a place for their files, one PostgreSQL for all of them, the stores and keys that
// they start from, and the browser, unpacked.

import { unpackBrowser } from './browser/browser.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { makeStores } from './ready-made.ts'
import { makeKeys } from './ready-made-keys.ts'
import { makeTemporaryPlace } from './temporary-files.ts'

let server: PostgresServer | undefined
let removeStores: (() => Promise<void>) | undefined
let removeFiles: (() => Promise<void>) | undefined

export async function globalSetup(): Promise<void> {
  await unpackBrowser()
  removeFiles = await makeTemporaryPlace()
  if (!process.env.TEST_DATABASE_URL) {
    server = await startPostgres()
    process.env.TEST_DATABASE_URL = server.url
  }
  removeStores = await makeStores()
  await makeKeys()
}

export async function globalTeardown(): Promise<void> {
  // A server of ours may be gone already when the run was interrupted.
  await removeStores?.().catch((error: unknown) => {
    if (server === undefined) throw error
  })
  await server?.stop()
  await removeFiles?.()
}
