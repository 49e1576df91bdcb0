// Connections to PostgreSQL: session settings, the host in use, and connection poolers.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { FreezingProxy } from '../../../test/support/freezing-proxy.ts'
import { connectTo } from '../../../test/support/partitions.ts'
import { freePort, startPostgres } from '../../../test/support/postgres.ts'
import { changeRow, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { until } from '../../../test/support/test-clock.ts'
import { thorough } from '../../../test/support/thorough.ts'
import type { OpenDatabase } from './database.ts'
import type { Database, Read } from './dialect.ts'
import type { Write, WriteProgram } from './group-commit.ts'
import { openPostgresStore } from './postgres.ts'

const showSettings = async (db: Database, items: readonly unknown[]): Promise<object[]> => {
  const { rows } = await sql<object>`
    select current_setting('synchronous_commit') as commits, current_setting('lock_timeout') as locks,
      current_setting('idle_in_transaction_session_timeout') as idle`.execute(db)
  return items.map(() => rows[0] ?? {})
}

/** Writes a row and keeps the transaction open until the promise resolves. */
async function holdRow(db: Database, items: readonly Promise<void>[]): Promise<true[]> {
  await sql`insert into installation (name, value) values ('held', 'x')
    on conflict (name) do update set value = excluded.value`.execute(db)
  await Promise.all(items)
  return items.map(() => true)
}

const PROGRAM: WriteProgram = {
  find: (name) => (name === 'hold' ? holdRow : showSettings) as Write<unknown, unknown>,
  begin() {},
  end: async () => {},
  opened() {},
  migrated: async () => {},
}

const open = (url: string, timeoutMs = 10_000): Promise<OpenDatabase> =>
  openPostgresStore(url, timeoutMs, () => {}, PROGRAM)

/** Commits a write, and returns the settings of the session. */
async function commit(database: OpenDatabase): Promise<unknown> {
  const [[result] = []] = await database.commit([{ name: 'show', items: [1] }])
  if (result === undefined || 'error' in result) throw new Error(result?.error.state ?? result?.error.message)
  return result.value
}

const nameOf = ({ databaseUrl }: TestStorage): string => new URL(databaseUrl as string).pathname.slice(1)

/** Returns the database URL with the host replaced by the given hosts. */
const withHosts = ({ databaseUrl }: TestStorage, ...hosts: readonly string[]): string =>
  (databaseUrl as string).replace(/@[^/]*/, `@${hosts.join()}`)

/** Runs a statement, even if transactions are read-only by default. */
const run = (storage: TestStorage, statement: string): Promise<void> =>
  changeRow(
    {
      ...storage,
      databaseUrl: `${storage.databaseUrl}?options=${encodeURIComponent('-c default_transaction_read_only=off')}`,
    },
    statement,
    [],
  )

const setting = (storage: TestStorage, assignment: string): Promise<void> =>
  run(storage, `alter database ${nameOf(storage)} set ${assignment}`)

for (const [kept, used] of [
  ['off', 'on'],
  ['remote_apply', 'remote_apply'],
] as const) {
  test(`commits are synchronous where the database says ${kept}, and block no other commit`, async () => {
    const storage = await testStorage('postgres', 'tables')
    await setting(storage, `synchronous_commit = ${kept}`)
    const database = await open(storage.databaseUrl as string)
    assert.deepEqual(await commit(database), { commits: used, locks: '4s', idle: '2s' })
    await database.close()
    await storage.remove()
  })
}

test('limits of the role or the database do not interrupt a change of a large table', async (context) => {
  const storage = await testStorage('postgres')
  context.after(() => storage.remove())
  for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
    await setting(storage, `${limit} = '100ms'`)
  const change = async (db: Read): Promise<void> => void (await sql`select pg_sleep(0.3)`.execute(db))
  const database = await openPostgresStore(storage.databaseUrl as string, 10_000, () => {}, {
    ...PROGRAM,
    migrated: change,
  })
  await database.unlimited?.(change, new AbortController().signal)
  await database.close()
})

test('urgent queries do not wait for searches that use every connection', async () => {
  const storage = await testStorage('postgres', 'tables')
  const [database, holder] = [await open(storage.databaseUrl as string), await connectTo(storage)]
  await holder.query('begin')
  await holder.query('lock table installation in access exclusive mode')
  const search = () => sql`select * from installation`.execute(database.read)
  const searches = Promise.allSettled(Array.from({ length: 64 }, search))
  await until('no connection is left', async () => {
    const waiting = "select from pg_locks where relation = 'installation'::regclass and not granted"
    return (await holder.query(waiting)).rows.length === 8
  })
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(database.urgentRead as Read)
  assert.deepEqual(rows, [{ one: 1 }])
  await holder.query('rollback')
  await searches
  await Promise.all([database.close(), holder.end()])
  await storage.remove()
})

test('a node that stands still in a transaction blocks the others for two seconds only', async () => {
  const storage = await testStorage('postgres', 'tables')
  const url = storage.databaseUrl as string
  const [still, other] = [await open(url), await open(url)]
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = still.commit([{ name: 'hold', items: [promise] }])
  await until('it holds the row', async () => {
    const { rows } = await sql<{ idle: number }>`
      select count(*)::int as idle from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'
          and query like 'insert into installation%'`.execute(other.read)
    return rows[0]?.idle === 1
  })
  const [[written] = []] = await other.commit([{ name: 'hold', items: [Promise.resolve()] }])
  assert.deepEqual(written, { value: true })
  resolve()
  const [[refused] = []] = await held
  assert.ok(refused !== undefined && 'error' in refused && refused.error.unavailable)
  await Promise.all([still.close(), other.close()])
  await storage.remove()
})

describe('hosts', () => {
  test('the first host that takes writes is used, after a closed port and a host that hangs', async () => {
    const storage = await testStorage('postgres', 'tables')
    const own = new URL(storage.databaseUrl as string)
    const silent = await FreezingProxy.start(own.hostname, Number(own.port))
    silent.freeze()
    const url = withHosts(storage, `127.0.0.1:${await freePort()}`, `127.0.0.1:${silent.port}`, own.host)
    const database = await open(`${url}?target_session_attrs=read-write`)
    await commit(database)
    await database.close()
    await silent.stop()
    await storage.remove()
  })

  test(
    'all connections leave a host that stops answering for the next host',
    thorough('0.8 CPU s: a server that stands still until a time limit'),
    async () => {
      const storage = await testStorage('postgres', 'tables')
      const own = new URL(storage.databaseUrl as string)
      const first = await FreezingProxy.start(own.hostname, Number(own.port))
      const database = await open(withHosts(storage, `127.0.0.1:${first.port}`, own.host), 3_000)
      await Promise.all([commit(database), commit(database), commit(database)])
      first.freeze()
      await assert.rejects(commit(database), 'the connection was there')
      await commit(database)
      await sql`select 1`.execute(database.read)
      await database.close()
      await first.stop()
      await storage.remove()
    },
  )

  test('a read-only database is refused at the start, and left when it becomes read-only later', async () => {
    const storage = await testStorage('postgres', 'tables')
    const database = await open(storage.databaseUrl as string)
    await commit(database)
    await setting(storage, 'default_transaction_read_only = on')
    // Simulates a failover after which the host name of the database leads to a standby.
    await run(
      storage,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await assert.rejects(async () => {
      // The node may not have noticed yet that the server has ended some connections.
      for (let tries = 0; tries < 20; tries++) await commit(database).catch((error) => refuseOther(error))
    }, /accepts no writes/)
    await assert.rejects(open(storage.databaseUrl as string), /accepts no writes.*standby/)
    const several = withHosts(
      storage,
      `127.0.0.1:${await freePort()}`,
      new URL(storage.databaseUrl as string).host,
    )
    await assert.rejects(open(several), /none of its hosts accepts writes: 127.*ECONNREFUSED.*; 127.*standby/)
    await setting(storage, 'default_transaction_read_only = off')
    await commit(database)
    await database.close()
    await storage.remove()
  })
})

test('reads follow the writes when the host name leads to another server', async () => {
  const storage = await testStorage('postgres', 'tables')
  let broken = 0
  const database = await openPostgresStore(
    storage.databaseUrl as string,
    10_000,
    () => void broken++,
    PROGRAM,
  )
  const readingSession = async (): Promise<unknown> => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.read)
    return rows[0]?.pid
  }
  await commit(database)
  const before = await readingSession()
  await setting(storage, 'default_transaction_read_only = on')
  await run(
    storage,
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query = 'commit'",
  )
  await until('the end of the writing session is known', async () => broken > 0)
  await assert.rejects(commit(database), /accepts no writes/)
  await setting(storage, 'default_transaction_read_only = off')
  await commit(database)
  assert.notEqual(await readingSession(), before)
  await database.close()
  await storage.remove()
})

test('one of several hosts without a free connection is reported as such', async () => {
  const storage = await testStorage('postgres', 'tables')
  const { host } = new URL(storage.databaseUrl as string)
  const role = `${nameOf(storage)}_few`
  await run(storage, `create role ${role} login password 'few' connection limit 0`)
  const several = withHosts(storage, `127.0.0.1:${await freePort()}`, host)
  await assert.rejects(open(several.replace(/\/\/[^@]*@/, `//${role}:few@`)), /too many connections/)
  await run(storage, `drop role ${role}`)
  await storage.remove()
})

const refuseOther = (error: Error): void => {
  if (/accepts no writes/.test(error.message)) throw error
}

test(
  'during the absence of a synchronous standby, waiting commits use no further connections',
  thorough('0.8 CPU s: a server that stands still until a time limit'),
  async (context) => {
    const server = await startPostgres(['-c', 'fsync=off'])
    const database = await open(server.url, 1_000)
    const admin = new pg.Client({ connectionString: server.url })
    await admin.connect()
    context.after(async () => {
      await Promise.all([database.close(), admin.end()])
      await server.stop()
    })
    await admin.query("alter system set synchronous_standby_names = 'away'")
    await admin.query('select pg_reload_conf()')
    const states = async (): Promise<(string | undefined)[]> => {
      const results = await database.commit([{ name: 'hold', items: [Promise.resolve()] }])
      return results.flat().map((result) => ('error' in result ? result.error.state : 'committed'))
    }
    const said = 'The database waits for a synchronous standby, which does not answer.'
    await until('it says so', async () => (await states())[0] === said)
    const waiting = async (): Promise<number | null> =>
      (await admin.query("select from pg_stat_activity where wait_event = 'SyncRep'")).rowCount
    const before = await waiting()
    for (let tries = 0; tries < 20; tries++) assert.deepEqual(await states(), [said])
    assert.equal(await waiting(), before)
    await sql`select 1`.execute(database.read)

    await admin.query('alter system reset synchronous_standby_names')
    await admin.query('select pg_reload_conf()')
    await until('it goes on', async () => (await states())[0] === 'committed')
  },
)

describe('a pooler', () => {
  test('that refuses startup parameters is reported with the remedy', async () => {
    const storage = await testStorage('postgres', 'tables')
    const pooler = await startPooler(storage, 'refuses')
    const error = await open(withHosts(storage, `127.0.0.1:${pooler.port}`)).catch((it) => it)
    assert.match(error.message, /PgBouncer.*unsupported startup parameter: statement_timeout/)
    assert.match(error.remedy, /max_prepared_statements/)
    await pooler.stop()
    await storage.remove()
  })

  test('that drops startup parameters is refused at the start, unless the role has the timeouts', async () => {
    const storage = await testStorage('postgres', 'tables')
    const pooler = await startPooler(storage, 'drops')
    const url = withHosts(storage, `127.0.0.1:${pooler.port}`)
    await assert.rejects(open(url), /timeouts that a node sets are not in force/)
    for (const name of TIMEOUTS) await setting(storage, `${name} = '3s'`)
    const database = await open(url)
    assert.deepEqual(await commit(database), { commits: 'on', locks: '3s', idle: '3s' })
    await database.close()
    await pooler.stop()
    await storage.remove()
  })

  test('that shares connections cannot lose commits', async () => {
    const storage = await testStorage('postgres', 'tables')
    const pooler = await startPooler(storage, 'shares')
    const url = withHosts(storage, `127.0.0.1:${pooler.port}`)
    for (const name of TIMEOUTS) await setting(storage, `${name} = '3s'`)
    await setting(storage, 'synchronous_commit = off')
    await assert.rejects(open(url), /synchronous_commit is off/)
    await setting(storage, 'synchronous_commit = on')
    await (await open(url)).close()
    await pooler.stop()
    await storage.remove()
  })
})

const TIMEOUTS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']

/** Starts a proxy that imitates only the beginning of a connection through PgBouncer. */
async function startPooler(
  { databaseUrl }: TestStorage,
  manner: 'refuses' | 'drops' | 'shares',
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const { hostname, port } = new URL(databaseUrl as string)
  const server: Server = createServer((near) => {
    near.on('error', () => {})
    near.once('data', (startup: Buffer) => {
      const words = startup.subarray(8).toString('latin1').split('\0')
      const found = words.filter((word) => TIMEOUTS.includes(word))
      if (manner === 'refuses' && found.includes('statement_timeout')) {
        near.end(errorResponse('unsupported startup parameter: statement_timeout'))
        return
      }
      const kept = words.filter(
        (word, at) => !TIMEOUTS.includes(word) && !TIMEOUTS.includes(words[at - 1] ?? ''),
      )
      const body = Buffer.from(kept.join('\0'), 'latin1')
      const head = Buffer.from(startup.subarray(0, 8))
      head.writeInt32BE(8 + body.length)
      const far = connect(Number(port), hostname)
      far.on('error', () => near.destroy())
      far.write(Buffer.concat([head, body]))
      near.pipe(far)
      if (manner !== 'shares') return void far.pipe(near)
      far.on('data', (chunk: Buffer) => near.write(withOtherKey(chunk)))
      far.on('end', () => near.end())
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.close()
      await once(server, 'close')
    },
  }
}

/**
 * Replaces the key data of the server with the key data of a pooler (PostgreSQL, 54.7 "Message Formats",
 * BackendKeyData).
 */
function withOtherKey(bytes: Buffer): Buffer {
  const at = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
  if (at >= 0) bytes.writeInt32BE(1, at + 5)
  return bytes
}

/** Builds an ErrorResponse (PostgreSQL, 54.7 "Message Formats"). */
function errorResponse(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`, 'latin1')
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(4 + fields.length, 1)
  return Buffer.concat([head, fields])
}
