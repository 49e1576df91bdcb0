// Finding everything about an address: which index serves, and steps where none does.

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
import { openStore } from '../open-store.ts'
import { addressedRecipients, BY_ADDRESS, rowsOf, verifiedAddresses } from './about-address.ts'
import { mentionsOf, type Subject, searchedFor, stepQuery } from './mentions.ts'

/** Tables whose key has two columns. */
const PAIRS: ReadonlySet<string> = new Set(['audit_log', 'webhook_deliveries', 'problem_notices'])
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
  test(`recipients with an address are found by the index on ${database}, whichever domains they are of`, () =>
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

  test(`tables without such an index are read in steps by their key on ${database}`, () =>
    withStore(database, async ({ read }) => {
      const tables = searchedFor(SUBJECT)
      assert.ok(tables.length >= 7)
      for (const table of tables) {
        const key = PAIRS.has(table) ? ['a', 'b'] : ['a']
        const query = stepQuery(read, table, SUBJECT, { after: key, until: key }, 'key').compile(read)
        assert.match(
          await planOf(read, query),
          database === 'sqlite' ? new RegExp(`SEARCH ${table} USING `) : /Index Cond: .*>.*<=/,
          table,
        )
      }
    }))

  test(`tables of one domain are read by its rows alone on ${database}`, () =>
    withStore(database, async ({ read }) => {
      const subject = { ...SUBJECT, accountId: 'acc', domainId: 'dom' }
      const keys = { after: ['a'], until: ['b'] }
      for (const [table, step] of [
        ['inbound_messages', { ...keys, of: ['domain_id', 'dom'] }],
        ['webhook_deliveries', { ...keys, of: ['webhook_id', 'whk'], key: ['id'] }],
      ] as const) {
        const query = stepQuery(read, table, subject, step, 'key').compile(read)
        assert.match(
          await planOf(read, query),
          database === 'sqlite'
            ? /SEARCH \w+ USING .*\((domain_id|webhook_id)=\? AND id>\? AND id<\?\)/
            : /Index Cond: \(\((domain_id|webhook_id) = .*id.*>.*<=/,
          table,
        )
      }
    }))

  test(`a step ends with the key at which the next one begins on ${database}`, () =>
    withStore(database, async (store, storage) => {
      const about = new Set([0, 1_999, 2_000, 2_001, 3_999, 4_000, 4_100])
      const entry = { at: 0, user_id: null, actor: 'the command line', action: 'suppression.add' }
      const rows = Array.from({ length: 4_101 }, (_, number) => ({
        ...{ ...entry, id: `aud_${String(number).padStart(5, '0')}`, account_id: 'acc' },
        ...{ target: about.has(number) ? SUBJECT.email.toUpperCase() : 'else', address: null, detail: '{}' },
      }))
      const other = { ...entry, id: 'aud_99999', account_id: 'other', actor: SUBJECT.email }
      const beside = await lookInto(storage)
      await insertRows(beside.read, 'audit_log', [
        ...rows,
        { ...other, target: null, address: null, detail: '{}' },
      ])
      await beside.close()
      const numbers = async (subject: Subject) =>
        (await Array.fromAsync(mentionsOf(store.read, 'audit_log', subject, 'key')))
          .flat()
          .map(({ id }) => Number(String(id).slice(4)))
      assert.deepEqual(await numbers({ ...SUBJECT, accountId: 'acc' }), [...about])
      assert.deepEqual(await numbers(SUBJECT), [...about, 99_999])
    }))
}
