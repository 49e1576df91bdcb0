// Finding all data about an address: the index that serves each query, and the steps through received mail, which has
// no index on addresses.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planOf } from '../../../test/support/query-plan.ts'
import {
  DATABASES,
  type DatabaseName,
  lookInto,
  type TestStorage,
  testStorage,
} from '../../../test/support/store.ts'
import { newId } from '../../lib/ids.ts'
import { silentLog } from '../../lib/log.ts'
import { insertRows } from '../database/rows.ts'
import type { Store } from '../database/store.ts'
import { openStore } from '../node/open-in-mode.ts'
import { addressedRecipients, BY_ADDRESS, rowsOf, verifiedAddresses } from './about-address.ts'
import { mailOf, mailTablesFor, type Subject, stepQuery } from './mail-of-address.ts'

const SUBJECT = { email: 'jo@receiver.example' }

async function withStore(
  database: DatabaseName,
  work: (store: Store, storage: TestStorage) => Promise<void>,
): Promise<void> {
  const storage = await testStorage(database, 'tables')
  const store = await openStore({ ...storage, log: silentLog })
  try {
    await work(store, storage)
  } finally {
    await store.close()
    await storage.remove()
  }
}

for (const database of DATABASES) {
  test(`recipients with an address are found by the index on ${database}, in any number of domains`, () =>
    withStore(database, async ({ read }) => {
      for (const domainIds of [[newId('dom')], [newId('dom'), newId('dom'), newId('dom')]]) {
        const query = addressedRecipients(read, 'jo@receiver.example', domainIds)
        assert.match(
          await planOf(read, query.compile()),
          database === 'sqlite'
            ? /SEARCH recipients USING INDEX recipients_by_any_case \(domain_id=\? AND <expr>=\?\)/
            : /recipients_by_any_case.*\n.*Index Cond: .*domain_id.* AND .*lower\(email\)/,
        )
      }
    }))

  test(`rows of other tables with an address are found by an index on ${database}`, () =>
    withStore(database, async ({ read }) => {
      const queries = [
        ...BY_ADDRESS.map((table) => [table, rowsOf(table, SUBJECT).compile(read)] as const),
        ['verification_addresses', verifiedAddresses(read, SUBJECT).compile()] as const,
      ]
      for (const [table, query] of queries) {
        assert.match(
          await planOf(read, query),
          database === 'sqlite'
            ? new RegExp(`SEARCH ${table} USING INDEX ${table}_by_any_case \\(<expr>=`)
            : new RegExp(`${table}_by_any_case.*\n.*Index Cond: .*lower\\(email\\)`),
        )
      }
    }))

  test(`verifications of an address are found among those of its length on ${database}`, () =>
    withStore(database, async ({ read }) => {
      for (const subject of [SUBJECT, { ...SUBJECT, accountId: 'acc' }]) {
        assert.match(
          await planOf(read, rowsOf('verification_checks', subject).compile(read)),
          database === 'sqlite'
            ? /SEARCH verification_checks USING COVERING INDEX verification_checks_by_length \(<expr>=\?\)/
            : /verification_checks_by_length.*\n.*Index Cond: .*length\(email\)/,
        )
      }
    }))

  test(`received mail is read in steps by key on ${database}`, () =>
    withStore(database, async ({ read }) => {
      const tables = mailTablesFor(SUBJECT)
      assert.deepEqual(tables, ['inbound_messages', 'inbox_mails', 'test_mails'])
      for (const table of tables) {
        const query = stepQuery(read, table, SUBJECT, { after: 'a', until: 'b' }).compile(read)
        assert.match(
          await planOf(read, query),
          database === 'sqlite' ? new RegExp(`SEARCH ${table} USING `) : /Index Cond: .*>.*<=/,
          table,
        )
      }
    }))

  test(`inbound messages of one domain are found among the rows of the domain on ${database}`, () =>
    withStore(database, async ({ read }) => {
      const subject = { ...SUBJECT, accountId: 'acc', domainId: 'dom' }
      assert.deepEqual(mailTablesFor(subject), ['inbound_messages'])
      const query = stepQuery(read, 'inbound_messages', subject, { after: 'a', until: 'b' }).compile(read)
      assert.match(
        await planOf(read, query),
        database === 'sqlite'
          ? /SEARCH \w+ USING .*\(domain_id=\? AND id>\? AND id<\?\)/
          : /Index Cond: \(\(domain_id = .*id.*>.*<=/,
      )
    }))

  test(`a step ends with the key after which the next one begins on ${database}`, () =>
    withStore(database, async (store, storage) => {
      const about = new Set([0, 1_999, 2_000, 2_001, 3_999, 4_000, 4_100])
      const row = {
        ...({ kind: 'message', state: 'processed' } as const),
        ...{ domain_id: 'dom', stream: 'in', tries: 0, lease: null },
        ...{ lease_until: null, received_at: 0, rcpt_to: '[]', client_address: '', helo: '', tls: null },
        ...{ from_email: '', from_name: null, subject: '', header_message_id: null, size: 0, flags: '[]' },
        authentication: null,
      }
      const rows = Array.from({ length: 4_101 }, (_, number) => ({
        ...{ ...row, id: `inb_${String(number).padStart(5, '0')}`, account_id: 'acc' },
        mail_from: about.has(number) ? SUBJECT.email.toUpperCase() : 'else',
      }))
      const other = { ...row, id: 'inb_99999', account_id: 'other', mail_from: SUBJECT.email }
      const beside = await lookInto(storage)
      await insertRows(beside.read, 'inbound_messages', [...rows, other])
      await beside.close()
      const numbers = async (subject: Subject) =>
        (await Array.fromAsync(mailOf(store.read, 'inbound_messages', subject)))
          .flat()
          .map((id) => Number(id.slice(4)))
      assert.deepEqual(await numbers({ ...SUBJECT, accountId: 'acc' }), [...about])
      assert.deepEqual(await numbers(SUBJECT), [...about, 99_999])
    }))
}
