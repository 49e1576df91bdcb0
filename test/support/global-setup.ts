// Runs once around all test files: one PostgreSQL for all of them, for each database a playground that they start from,
// and the browser, unpacked.

import { unpackBrowser } from './browser/browser.ts'
import { createTestDatabase, type PostgresServer, startPostgres } from './postgres.ts'
import { makePlayground, removePlayground } from './ready-made.ts'

let server: PostgresServer | undefined
let dropTemplate: (() => Promise<void>) | undefined
const playgrounds: string[] = []

export async function globalSetup(): Promise<void> {
  await unpackBrowser()
  if (!process.env.TEST_DATABASE_URL) {
    server = await startPostgres()
    process.env.TEST_DATABASE_URL = server.url
  }
  const { url, drop } = await createTestDatabase()
  dropTemplate = drop
  const embedded = await makePlayground(undefined)
  const beside = await makePlayground(url)
  playgrounds.push(embedded, beside)
  process.env.TEST_READY_DIR = embedded
  process.env.TEST_READY_POSTGRES_DIR = beside
  process.env.TEST_READY_DATABASE = new URL(url).pathname.slice(1)
}

export async function globalTeardown(): Promise<void> {
  await Promise.all(playgrounds.map(removePlayground))
  // Ours goes with all that is in it; it may be gone already when the run was interrupted.
  if (server === undefined) await dropTemplate?.()
  else await server.stop()
}
