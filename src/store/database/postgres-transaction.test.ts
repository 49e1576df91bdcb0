// Statements that are sent together: their order, their errors, and the end of their transaction.

import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import { connectTo } from '../../../test/support/partitions.ts'
import { type TestStorage, testStorage } from '../../../test/support/store.ts'
import { type Database, isConflict, isOutcomeUnknown, isUnavailable } from './dialect.ts'
import { Hosts } from './postgres-hosts.ts'
import { GuardedPool } from './postgres-pool.ts'
import { transactionsOf } from './postgres-transaction.ts'
import { together } from './together.ts'
import { executeUnread } from './unread.ts'

const keep = (db: Database, name: string): Promise<unknown> =>
  sql`insert into installation (name, value) values (${name}, 'x')`.execute(db)

const keepUnread = (db: Database, name: string): Promise<void> =>
  executeUnread(db, CompiledQuery.raw("insert into installation (name, value) values ($1, 'x')", [name]))

const poolOf = ({ databaseUrl }: TestStorage): GuardedPool =>
  new GuardedPool({ max: 1, pipeline: true, hosts: new Hosts(databaseUrl as string), writes: true }, () => {})

/** Returns the names in the stored rows. */
async function namesIn(storage: TestStorage): Promise<string[]> {
  const client = await connectTo(storage)
  const { rows } = await client.query<{ name: string }>(
    "select name from installation where value = 'x' order by name",
  )
  await client.end()
  return rows.map(({ name }) => name)
}

/**
 * Calls `work` with a test storage, a function that runs transactions, and the connection pool of these transactions.
 */
async function withTransactions(
  work: (
    storage: TestStorage,
    transaction: ReturnType<typeof transactionsOf>,
    pool: GuardedPool,
  ) => Promise<void>,
): Promise<void> {
  const storage = await testStorage('postgres', 'tables')
  const pool = poolOf(storage)
  try {
    await work(storage, transactionsOf(pool), pool)
  } finally {
    await pool.end()
    await storage.remove()
  }
}

describe('statements of a transaction that are sent together', () => {
  test('are all sent before the first answer', () =>
    withTransactions(async (storage, transaction) => {
      const holder = await connectTo(storage)
      await holder.query('begin')
      await holder.query("insert into installation (name, value) values ('held', 'y')")
      const written = transaction((db) =>
        together(
          keep(db, 'first'),
          keep(db, 'held').catch(() => 'refused'),
          keep(db, 'never'),
        ),
      )
      await assert.rejects(
        Promise.all([written, holder.query('commit')]),
        /duplicate key/,
        'the third was begun with the second, which failed: its error is the cause',
      )
      await holder.end()
      assert.deepEqual(await namesIn(storage), [])
    }))

  test('fail with the first error and leave nothing', () =>
    withTransactions(async (storage, transaction) => {
      await transaction((db) => keep(db, 'there'))
      const both = transaction((db) =>
        together(keep(db, 'one'), keep(db, 'two'), keep(db, 'there'), keep(db, 'three')),
      )
      await assert.rejects(both, /duplicate key/)
      assert.deepEqual(await namesIn(storage), ['there'])
      await transaction((db) => together(keep(db, 'one'), keep(db, 'two')))
      assert.deepEqual(await namesIn(storage), ['one', 'there', 'two'])
    }))

  test('write nothing after the rollback, even in a chain next to a failed one', () =>
    withTransactions(async (storage, transaction) => {
      const chain = async (db: Database): Promise<void> => {
        for (let step = 0; step < 20; step++) await keep(db, `step${step}`)
      }
      await assert.rejects(
        transaction((db) => together(chain(db), sql`select 1 / 0`.execute(db))),
        /division by zero/,
      )
      assert.deepEqual(await namesIn(storage), [])
    }))

  test('are refused when the transaction has failed', () =>
    withTransactions(async (storage, transaction) => {
      let late: Promise<unknown> | undefined
      await assert.rejects(
        transaction((db) => {
          late = sql`select pg_sleep(0.1)`.execute(db).then(() => keep(db, 'late'))
          late.catch(() => {})
          throw new Error('given up')
        }),
        /given up/,
      )
      await assert.rejects(late as Promise<unknown>, /the transaction has ended/)
      assert.deepEqual(await namesIn(storage), [])
    }))

  test('cannot be committed after an ignored error', () =>
    withTransactions(async (storage, transaction) => {
      const written = transaction(async (db) => {
        await keep(db, 'one')
        await sql`select 1 / 0`.execute(db).catch(() => {})
      })
      await assert.rejects(written, /division by zero/)
      assert.deepEqual(await namesIn(storage), [])
    }))

  test('report a deadlock as a conflict, whichever statements follow it', () =>
    withTransactions(async (storage, transaction) => {
      await transaction((db) => together(keep(db, 'a'), keep(db, 'b')))
      const other = poolOf(storage)
      const touch = (db: Database, name: string): Promise<unknown> =>
        sql`update installation set value = 'x' where name = ${name}`.execute(db)
      const crossed = (first: string, second: string) => async (db: Database) => {
        await touch(db, first)
        await sql`select pg_sleep(0.2)`.execute(db)
        await together(touch(db, second), sql`select 1`.execute(db), sql`select 2`.execute(db))
      }
      const ends = await Promise.allSettled([
        transaction(crossed('a', 'b')),
        transactionsOf(other)(crossed('b', 'a')),
      ])
      const failed = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
      assert.deepEqual(failed.map(isConflict), [true])
      await other.end()
    }))

  test('report a changed table under a prepared statement as a conflict, once', () =>
    withTransactions(async (storage, transaction) => {
      const write = () =>
        transaction((db) => sql`update installation set value = 'x' where name = 'a' returning *`.execute(db))
      await transaction((db) => keep(db, 'a'))
      await write()
      const migrating = await connectTo(storage)
      await migrating.query('alter table installation add column more integer')
      await migrating.end()
      await assert.rejects(write(), (error) => isConflict(error))
      assert.equal((await write()).rows.length, 1)
    }))
})

describe('statements with unread answers', () => {
  test('are all sent before the first answer, together with the commit', () =>
    withTransactions(async (storage, transaction) => {
      const holder = await connectTo(storage)
      await holder.query('begin')
      await holder.query("insert into installation (name, value) values ('held', 'y')")
      let hasEnded = false
      const written = transaction(async (db) => {
        await keepUnread(db, 'before')
        await keepUnread(db, 'held')
        await keepUnread(db, 'behind')
        hasEnded = true
      })
      while (!hasEnded) await turn()
      await holder.query('rollback')
      await written
      await holder.end()
      assert.deepEqual(await namesIn(storage), ['before', 'behind', 'held'])
    }))

  test('fail the transaction with the first error, whatever follows', () =>
    withTransactions(async (storage, transaction) => {
      await transaction((db) => keep(db, 'there'))
      const unread = transaction(async (db) => {
        await keepUnread(db, 'there')
        await keepUnread(db, 'one')
      })
      await assert.rejects(unread, /duplicate key/)
      const read = transaction(async (db) => {
        await keepUnread(db, 'there')
        await keep(db, 'two')
      })
      await assert.rejects(read, /duplicate key/, 'and not that the transaction is aborted')
      const thrown = transaction(async (db) => {
        await keepUnread(db, 'three')
        throw new Error('given up')
      })
      await assert.rejects(thrown, /given up/)
      await transaction((db) => keepUnread(db, 'four'))
      assert.deepEqual(await namesIn(storage), ['four', 'there'])
    }))

  test('report an unknown result if the connection breaks after the commit was sent', () =>
    withTransactions(async (storage, transaction) => {
      const broken = transaction(async (db) => {
        await keep(db, 'one')
        await executeUnread(db, CompiledQuery.raw('select pg_terminate_backend(pg_backend_pid())'))
        await keepUnread(db, 'two')
      })
      await assert.rejects(broken, (error) => isOutcomeUnknown(error))
      assert.deepEqual(await namesIn(storage), [])
    }))
})

test('never write outside a transaction, even if its begin is refused', () =>
  withTransactions(async (storage, transaction, pool) => {
    // Releases a connection whose failed transaction is still open, so that the server refuses the next `begin`.
    const refusing = async (): Promise<void> => {
      const client = await pool.connect()
      await client.query('begin', [])
      await assert.rejects(client.query('select 1 / 0', []))
      client.release()
    }
    const works: ((db: Database) => Promise<unknown>)[] = [
      (db) => keep(db, 'one'),
      (db) => keepUnread(db, 'one'),
      (db) => together(sql`select 1`.execute(db), keep(db, 'one'), sql`select 2`.execute(db)),
      (db) => sql`with made as (insert into installation values ('one', 'x')) select 1`.execute(db),
    ]
    for (const work of works) {
      await refusing()
      await assert.rejects(transaction(work), /current transaction is aborted/)
      assert.deepEqual(await namesIn(storage), [])
      await transaction((db) => sql`select 1`.execute(db))
    }
  }))

describe('a connection that ends without an answer', () => {
  const CODES = [
    'ENETUNREACH',
    'ENETDOWN',
    'EHOSTDOWN',
    'EADDRNOTAVAIL',
    'ENOTCONN',
    'ERR_SSL_BAD_RECORD_MAC',
  ]

  /** Runs a write on a connection that fails with this error after a statement that contains these bytes. */
  async function broken(storage: TestStorage, bytes: string, code: string | undefined): Promise<unknown> {
    const socket = new Socket()
    // The method `write` of the socket is replaced after connecting, because connecting resets the method.
    socket.once('connect', () => {
      const write = socket.write.bind(socket) as (written: Uint8Array) => boolean
      socket.write = (written: string | Uint8Array) => {
        const error = code === undefined ? undefined : errorOf(code)
        if (Buffer.from(written as Uint8Array).includes(bytes)) setImmediate(() => socket.destroy(error))
        return write(written as Uint8Array)
      }
    })
    const hosts = new Hosts(storage.databaseUrl as string)
    const pool = new GuardedPool(
      { max: 1, pipeline: true, hosts, writes: true, stream: () => socket },
      () => {},
    )
    const error = await transactionsOf(pool)((db) => keep(db, `${code} ${bytes.length}`)).catch(
      (it: unknown) => it,
    )
    await pool.end()
    return error
  }

  const errorOf = (code: string): Error => Object.assign(new Error(`read ${code}`), { code })

  test('says nothing against the write, whatever the error', async () => {
    const storage = await testStorage('postgres', 'tables')
    for (const code of [...CODES, undefined]) {
      for (const bytes of ['user', 'pg_is_in_recovery', 'begin', 'insert into', 'commit\0']) {
        const error = await broken(storage, bytes, code)
        const where = `${code} behind ${bytes}: ${error}`
        assert.ok(error instanceof Error && isUnavailable(error), where)
        assert.equal(isOutcomeUnknown(error), bytes === 'commit\0', where)
      }
    }
    await storage.remove()
  })

  test('says nothing against the write if the database or the password is no longer valid', async () => {
    const storage = await testStorage('postgres', 'tables')
    for (const [part, wrong] of [
      ['password', 'wrong'],
      ['pathname', '/nowhere'],
      ['search', '?sslmode=verify-full'],
    ] as const) {
      const url = Object.assign(new URL(storage.databaseUrl as string), { [part]: wrong })
      const pool = poolOf({ ...storage, databaseUrl: url.href })
      const error = await pool.connect().catch((it: unknown) => it)
      assert.ok(!(error instanceof Error) || isUnavailable(error), `${part}: ${error}`)
      await pool.end()
    }
    await storage.remove()
  })

  test('a statement that cannot be sent fails the transaction, even if it is the only one', () =>
    withTransactions(async (storage, transaction) => {
      const circular: { self?: object } = {}
      circular.self = circular
      const insert = "insert into installation (name, value) values ($1, 'x')"
      const written = transaction(async (db) => {
        await keepUnread(db, 'beside')
        await executeUnread(db, CompiledQuery.raw(insert, [circular]))
      })
      await assert.rejects(written, /circular/)
      assert.deepEqual(await namesIn(storage), [])
    }))

  test('a value that cannot be encoded is an error of the write, and not of the connection', () =>
    withTransactions(async (_, transaction) => {
      const circular: { self?: object } = {}
      circular.self = circular
      const written = transaction((db) => sql`select ${circular}`.execute(db))
      await assert.rejects(written, (error) => !isUnavailable(error))
    }))
})
