// Runs once around all test files: one PostgreSQL for all of them, and a playground that they start from.

import { createTestDatabase, type PostgresServer, startPostgres } from './postgres.ts'
import { makePlayground, removePlayground } from './ready-made.ts'
import { usualDatabase } from './store.ts'

let server: PostgresServer | undefined
let dropTemplate: (() => Promise<void>) | undefined

export async function globalSetup(): Promise<void> {
  if (!process.env.TEST_DATABASE_URL) {
    server = await startPostgres()
    process.env.TEST_DATABASE_URL = server.url
  }
  if (usualDatabase() === 'postgres') {
    const { url, drop } = await createTestDatabase()
    dropTemplate = drop
    process.env.TEST_READY_DATABASE = new URL(url).pathname.slice(1)
    process.env.TEST_READY_DIR = await makePlayground(url)
  } else process.env.TEST_READY_DIR = await makePlayground(undefined)
}

export async function globalTeardown(): Promise<void> {
  await removePlayground(process.env.TEST_READY_DIR as string)
  await dropTemplate?.()
  await server?.stop()
}
