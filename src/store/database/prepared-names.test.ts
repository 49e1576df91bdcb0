// Prepared statements on connections to PostgreSQL: each text gets a name, regardless of earlier statements, and the
// server keeps a limited number of statements.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { connectTo } from '../../../test/support/partitions.ts'
import { type TestStorage, testStorage } from '../../../test/support/store.ts'
import { isConflict } from './dialect.ts'
import { Hosts } from './postgres-hosts.ts'
import { type GuardedClient, GuardedPool } from './postgres-pool.ts'
import { MAX_NAMES, PreparedNames } from './prepared-names.ts'

/** Number of prepared statements in addition to the statements under test: one statement checks each new connection. */
const LOOK = 1
const KEPT = `select statement, (generic_plans + custom_plans)::int as uses from pg_prepared_statements where name <> 'look'`

type Rows = { readonly rows: readonly { readonly [column: string]: unknown }[] }
type Query = (text: string, values?: readonly unknown[]) => Promise<Rows>

describe('the prepared statements of a connection', () => {
  let storage: TestStorage
  before(async () => {
    storage = await testStorage('postgres', 'tables')
  })
  after(() => storage.remove())

  const poolOf = (pipeline: boolean): GuardedPool =>
    new GuardedPool(
      { max: 1, pipeline, hosts: new Hosts(storage.databaseUrl as string), writes: true },
      () => {},
    )

  /**
   * Runs work on one connection, with `pipeline` as on writing connections, or without `pipeline` as on reading
   * connections.
   */
  async function onConnection(work: (query: Query) => Promise<void>, pipeline = true): Promise<void> {
    const pool = poolOf(pipeline)
    const client = await pool.connect()
    try {
      await work(queryOf(client))
    } finally {
      client.release()
      await pool.end()
    }
  }

  const queryOf = (client: GuardedClient): Query => {
    const query = client.query as unknown as (text: string, values: readonly unknown[]) => Promise<Rows>
    return (text, values = []) => query(text, values)
  }

  /**
   * Returns how often the server has used its prepared statement with this text; undefined if there is no such
   * statement.
   */
  async function usesOf(query: Query, text: string): Promise<unknown> {
    const { rows } = await query(KEPT)
    return rows.find(({ statement }) => statement === text)?.uses
  }

  const keptCount = async (query: Query): Promise<number> => (await query(KEPT)).rows.length

  async function runOthers(query: Query, count: number, kind = 'other'): Promise<void> {
    const texts = Array.from({ length: count }, (_, other) => `select ${other} as ${kind}, $1::int as value`)
    await Promise.all(texts.map((text) => query(text, [1])))
  }

  test('include a text that comes after 2,000 others, from its first use on', () =>
    onConnection(async (query) => {
      await runOthers(query, 2_000)
      const late = 'select $1::int as late'
      for (let uses = 1; uses <= 3; uses++) {
        assert.equal((await query(late, [uses])).rows[0]?.late, uses)
        assert.equal(await usesOf(query, late), uses)
      }
    }))

  test('never exceed the bound', () =>
    onConnection(async (query) => {
      for (let round = 0; round < 5; round++) {
        await runOthers(query, 150, `round_${round}`)
        assert.ok((await keptCount(query)) <= MAX_NAMES)
      }
      assert.equal(await keptCount(query), MAX_NAMES, 'and not less, once there were so many')
      const { rows } = await query('select count(*)::int as count from pg_prepared_statements')
      assert.ok((rows[0]?.count as number) <= MAX_NAMES + LOOK)
    }))

  test('keep repeated texts despite texts that come once and texts of other sizes', () =>
    onConnection(async (query) => {
      const frequent = Array.from({ length: 100 }, (_, index) => `select $1::int as frequent_${index}`)
      for (let uses = 0; uses < 6; uses++) await Promise.all(frequent.map((text) => query(text, [1])))
      for (let size = 1; size <= 300; size++) {
        const list = Array.from({ length: size }, (_, index) => `$${index + 1}::int`)
        const frequentOne = frequent[size % frequent.length] as string
        await Promise.all([
          query(`select 1 where 1 in (${list})`, Array(size).fill(1)),
          query(frequentOne, [1]),
        ])
      }
      const { rows } = await query(KEPT)
      const kept = new Map(rows.map(({ statement, uses }) => [statement, uses as number]))
      for (const text of frequent) assert.equal(kept.get(text), 9, `${text} was prepared once`)
    }))

  test('belong to one connection: the next connection prepares its own', async () => {
    const text = 'select $1::int as own'
    for (let connections = 0; connections < 2; connections++) {
      await onConnection(async (query) => {
        await query(text, [1])
        assert.equal(await usesOf(query, text), 1)
      })
    }
  })

  test('make room when each is answered before the next is sent', () =>
    onConnection(async (query) => {
      for (let value = 0; value < MAX_NAMES + 50; value++) await query(`select ${value} as value`)
      for (const value of [0, MAX_NAMES, MAX_NAMES + 49]) {
        assert.equal((await query(`select ${value} as value`)).rows[0]?.value, value)
      }
      assert.equal(await keptCount(query), MAX_NAMES)
    }, false))

  test('keep working while they make room for each other, sent together', () =>
    onConnection(async (query) => {
      const texts = Array.from({ length: 3 * MAX_NAMES }, (_, index) => `select $1::int + ${index} as sum`)
      for (let round = 0; round < 3; round++) {
        // The driver sends statements that begin together in one write, even if the same text occurs twice before it is
        // prepared.
        const answers = await Promise.all(
          texts.flatMap((text) => [query(text, [round]), query(text, [round])]),
        )
        const expected = texts.flatMap((_, index) => [index + round, index + round])
        assert.deepEqual(
          answers.map(({ rows }) => rows[0]?.sum),
          expected,
        )
        assert.ok((await keptCount(query)) <= MAX_NAMES)
      }
    }))

  test('exclude statements that could not be prepared', () =>
    onConnection(async (query) => {
      const fine = 'select $1::int as fine'
      const failing = 'select 1 / $1::int as failing'
      const unknown = 'select $1::int from nowhere'
      const attempt = async (): Promise<void> => {
        await query('begin')
        const ends = await Promise.allSettled([
          query(failing, [0]),
          query(fine, [1]),
          query(fine, [1]),
          query(unknown, [1]),
        ])
        const codes = ends.map((end) => (end.status === 'rejected' ? end.reason.code : undefined))
        assert.deepEqual(codes, ['22012', '25P02', '25P02', '25P02'])
        await query('rollback')
      }
      await attempt()
      assert.equal(await usesOf(query, fine), undefined, 'its preparation was refused')
      await assert.rejects(query(unknown, [1]), { code: '42P01' })
      await assert.rejects(query(unknown, [1]), { code: '42P01' })
      assert.equal((await query(failing, [1])).rows[0]?.failing, 1)
      assert.equal(await usesOf(query, failing), 1, 'one that failed when it ran stays prepared')
      assert.equal((await query(fine, [2])).rows[0]?.fine, 2)
      await attempt()
      assert.equal((await query(fine, [3])).rows[0]?.fine, 3, 'also when it was prepared before')
    }))

  test('make room in a failed transaction, and statements closed in it are prepared again', () =>
    onConnection(async (query) => {
      const first = 'select $1::int as first'
      await query(first, [1])
      await runOthers(query, MAX_NAMES - 2)
      await query('begin')
      await assert.rejects(query('select 1 / 0'))
      // Each statement displaces another prepared statement and is refused.
      await assert.rejects(runOthers(query, 2 * MAX_NAMES, 'refused'), { code: '25P02' })
      await query('rollback')
      assert.equal((await query(first, [2])).rows[0]?.first, 2)
      await runOthers(query, MAX_NAMES)
      assert.equal((await query(first, [3])).rows[0]?.first, 3)
      assert.ok((await keptCount(query)) <= MAX_NAMES)
    }))

  test('report a changed table as a conflict once, whatever ran before', async () => {
    for (const others of [0, MAX_NAMES - 1, MAX_NAMES, 1_000]) {
      const pool = poolOf(true)
      const run = async (work: (query: Query) => Promise<unknown>): Promise<unknown> => {
        const client = await pool.connect()
        try {
          return await work(queryOf(client))
        } finally {
          client.release()
        }
      }
      const change = (query: Query) =>
        query("update installation set value = 'x' where name = 'a' returning *")
      await run((query) => runOthers(query, others))
      await run(change)
      const migrating = await connectTo(storage)
      await migrating.query(`alter table installation add column more_${others} integer`)
      await migrating.end()
      await assert.rejects(run(change), (error) => isConflict(error), `after ${others} others`)
      for (let uses = 0; uses < 3; uses++) await run(change)
      await pool.end()
    }
  })
})

describe('the names of a connection', () => {
  /** Returns a `PreparedNames` whose statements are prepared immediately, and the list of closed names. */
  function names() {
    const closed: string[] = []
    const all = new PreparedNames((name) => closed.push(name))
    const use = (text: string): string | undefined => {
      const taken = all.take(text)
      if (taken !== undefined) taken.isParsed = true
      return taken?.name
    }
    return { all, closed, use }
  }

  test('stay with the texts that are used most', () => {
    const { all, closed, use } = names()
    const names0 = Array.from({ length: MAX_NAMES }, (_, index) => use(`select ${index}`))
    for (let index = 0; index < 200; index++) use(`select ${index}`)
    for (let index = 1_000; index < 1_000 + MAX_NAMES - 200; index++) use(`select ${index}`)
    assert.deepEqual(closed, names0.slice(200))
    assert.equal(all.size, MAX_NAMES)
  })

  test('are not taken from statements that wait for their first answer, and a text gets no second one meanwhile', () => {
    const { all, closed, use } = names()
    const waiting = Array.from({ length: MAX_NAMES }, (_, index) => all.take(`select ${index}`))
    assert.equal(use('select 1000'), undefined)
    assert.equal(use('select 3'), undefined)
    assert.deepEqual(closed, [])
    for (const statement of waiting) if (statement !== undefined) statement.isParsed = true
    assert.equal(use('select 3'), waiting[3]?.name)
    assert.notEqual(use('select 1000'), undefined)
    assert.deepEqual(closed, [waiting[0]?.name])
  })

  test('are given only to statements about rows of a limited length', () => {
    const { use } = names()
    for (const text of ['begin', 'commit', 'set x = 1', `select '${'x'.repeat(4_096)}'`]) {
      assert.equal(use(text), undefined, text)
    }
    for (const text of [
      'select 1',
      'with x as (select 1) select',
      'insert into x',
      'update x',
      'delete from x',
    ]) {
      assert.match(use(text) ?? '', /^s\d+$/, text)
    }
  })
})
