// Stores that older programs wrote, kept as files: unpacked for a test, with what their programs told of them.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { type DatabaseName, type TestStorage, testStorage } from './store.ts'

/** The programs whose stores are kept; `test/fixtures/stores/README.md` says what is in each. */
export const OLDER_PROGRAMS = ['first-version', 'one-table'] as const

/** A recipient as its program had it stored. */
interface OlderRecipient {
  readonly email: string
  readonly status: string
  /** Null when final. */
  readonly lane: string | null
  readonly next_attempt_at: number | null
  readonly attempts: number
  readonly faults: number
  readonly possible_duplicate: number
}

/** A store with what its program told of it. */
export interface OlderStore {
  /** The time at which its program stopped. */
  readonly at: number
  /** By a name that says what is the matter with each. */
  readonly messages: Readonly<
    Record<
      string,
      {
        readonly id: string
        /** Null where the API of that program could not tell it. */
        readonly status: string | null
        readonly recipients: readonly OlderRecipient[]
        /** Their types; empty where the status is null. */
        readonly events: readonly string[]
      }
    >
  >
  /** Lists of addresses to verify. */
  readonly lists: Readonly<Record<'done' | 'running', { readonly id: string; readonly done: number }>>
  /** A request that was answered under its key. */
  readonly idempotent: { readonly body: object; readonly key: string; readonly answer: object }
}

interface Packed extends OlderStore {
  /** The data directory: Base64 by name. */
  readonly files: Readonly<Record<string, string>>
  /** The statements that make the PostgreSQL database. */
  readonly sql?: string
}

/** Unpacks the store of an older program. */
export async function unpackStore(
  program: (typeof OLDER_PROGRAMS)[number],
  database: DatabaseName,
): Promise<OlderStore & { readonly storage: TestStorage }> {
  const path = new URL(`../fixtures/stores/${program}-${database}.json.gz`, import.meta.url)
  const { files, sql, ...told } = JSON.parse(gunzipSync(await readFile(path)).toString()) as Packed
  const storage = await testStorage(database)
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(storage.dataDir, name), Buffer.from(content, 'base64'))
  }
  if (sql !== undefined) {
    const client = new pg.Client({ connectionString: storage.databaseUrl })
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  return { ...told, storage }
}
