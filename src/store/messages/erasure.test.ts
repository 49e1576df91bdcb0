// Finding everything about an address: which index serves.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery, sql } from 'kysely'
import { DATABASES, testStorage } from '../../../test/support/store.ts'
import { newId } from '../../lib/ids.ts'
import { silentLog } from '../../lib/log.ts'
import { isPostgres, type Read } from '../database/dialect.ts'
import { openStore } from '../open-store.ts'
import { addressedRecipients } from './about-address.ts'

/** The plan of a query; PostgreSQL shows whether an index serves, however few rows there are. */
const planOf = (read: Read, { sql: text, parameters }: CompiledQuery): Promise<string> =>
  read.connection().execute(async (connection) => {
    const postgres = isPostgres(read)
    if (postgres) await sql`set enable_seqscan = off`.execute(connection)
    const explain = postgres ? 'explain' : 'explain query plan'
    const { rows } = await connection.executeQuery<object>(
      CompiledQuery.raw(`${explain} ${text}`, [...parameters]),
    )
    if (postgres) await sql`reset enable_seqscan`.execute(connection)
    return rows.flatMap((row) => Object.values(row)).join('\n')
  })

for (const database of DATABASES) {
  test(`recipients with an address are found by the index on ${database}, whichever domains they are of`, async () => {
    const storage = await testStorage(database, 'tables')
    const store = await openStore({ ...storage, log: silentLog })
    try {
      for (const domainIds of [[newId('dom')], [newId('dom'), newId('dom'), newId('dom')]]) {
        const query = addressedRecipients(store.read, 'jo@receiver.example', domainIds)
        assert.match(
          await planOf(store.read, query.compile()),
          database === 'sqlite'
            ? /SEARCH recipients USING INDEX recipients_by_any_case \(domain_id=\? AND <expr>=\?\)/
            : /recipients_by_any_case.*\n.*Index Cond: .*domain_id.* AND .*lower\(email\)/,
        )
      }
    } finally {
      await store.close()
      await storage.remove()
    }
  })
}
