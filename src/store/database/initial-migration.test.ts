// The initial migration makes the tables that the migrations before it made, on both databases.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { createTestDatabase } from '../../../test/support/postgres.ts'
import type { DialectName } from './dialect.ts'
import { migrate } from './migrate.ts'
import { up } from './migrations/0001-initial.ts'
import { asKyselyDatabase } from './sqlite-connection.ts'

type Make = (db: Kysely<never>, dialect: DialectName) => Promise<unknown>

const WAYS: Readonly<Record<string, Make>> = {
  before: (db, dialect) => migrate(db, dialect),
  initial: (db, dialect) => up(db as never, dialect),
}

type Row = Readonly<Record<string, unknown>>
/** The answers of these statements, and the rows that there are from the beginning. */
const lists = async (db: Kysely<never>, texts: Readonly<Record<string, string>>): Promise<object> => {
  const all: Record<string, readonly Row[]> = {}
  for (const [name, text] of Object.entries(texts)) {
    const { rows } = await sql.raw<Row>(text).execute(db)
    all[name] = rows
      .filter((row) => !JSON.stringify(row).includes('kysely_migration'))
      .map((row) =>
        JSON.parse(
          JSON.stringify(row)
            .replace(/\s+/g, ' ')
            .replaceAll(/\\"|\\n */g, ' ')
            .replace(/ +/g, ' '),
        ),
      )
  }
  for (const { name } of await db.introspection.getTables()) {
    const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(db)
    if (rows.length > 0) all[`rows of ${name}`] = rows
  }
  return all
}

async function onSqlite(make: Make): Promise<object> {
  const file = new DatabaseSync(':memory:')
  const db = new Kysely<never>({ dialect: new SqliteDialect({ database: asKyselyDatabase(file) as never }) })
  await make(db, 'sqlite')
  return lists(db, {
    tables: `select name, sql like '%without rowid%' as clustered from sqlite_master where type = 'table' order by name`,
    columns: `select t.name, c.cid, c.name as column, lower(c.type) as type, c."notnull" or c.pk > 0 as needed, c.dflt_value, c.pk
      from sqlite_master t, pragma_table_info(t.name) c where t.type = 'table' order by t.name, c.cid`,
    unique: `select t.name, i.origin, i."unique", x.seqno, x.name as column from sqlite_master t, pragma_index_list(t.name) i,
      pragma_index_info(i.name) x where t.type = 'table' and i.origin <> 'c' order by t.name, i.origin, x.name, x.seqno`,
    indexes: `select lower(replace(sql, '"', '')) as made from sqlite_master where type = 'index' and sql is not null order by name`,
    others: `select * from sqlite_master where type not in ('table', 'index')`,
  })
}

async function onPostgres(make: Make): Promise<object> {
  const database = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: database.url })
  // Its connections end with the database.
  pool.on('error', () => {})
  const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) })
  await make(db, 'postgres')
  const found = await lists(db, {
    relations: `select c.relname, c.relkind, c.relpersistence, array(select unnest(c.reloptions) order by 1) as options,
      c.relispartition, array(select unnest(t.reloptions) order by 1) as toast, pg_get_expr(c.relpartbound, c.oid) as bound,
      pg_get_partkeydef(c.oid) as divided
      from pg_class c left join pg_class t on t.oid = c.reltoastrelid
      where c.relnamespace = 'public'::regnamespace order by 1`,
    columns: `select c.relname, row_number() over (partition by c.relname order by a.attnum) as place, a.attname,
      format_type(a.atttypid, a.atttypmod) as type, a.attnotnull, pg_get_expr(d.adbin, d.adrelid) as value, co.collname,
      a.attstorage, a.attcompression, a.attstattarget, a.attidentity, a.attgenerated
      from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      left join pg_collation co on co.oid = a.attcollation
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not attisdropped order by 1, 2`,
    indexes: `select indexdef from pg_indexes where schemaname = 'public' order by indexname`,
    constraints: `select conname, conrelid::regclass::text as rel, contype, pg_get_constraintdef(oid) as def from pg_constraint
      where connamespace = 'public'::regnamespace and contype <> 'n' order by 2, 1`,
    functions: `select proname from pg_proc where pronamespace = 'public'::regnamespace`,
    triggers: `select tgname from pg_trigger where not tgisinternal`,
  })
  await db.destroy()
  await database.drop()
  return found
}

for (const [name, dump] of Object.entries({ sqlite: onSqlite, postgres: onPostgres })) {
  test(`the initial migration equals the sum of those before it, on ${name}`, async (context) => {
    const [before, initial] = [await dump(WAYS.before as Make), await dump(WAYS.initial as Make)]
    const found = Object.entries(before).map(([kind, list]) => `${kind} ${(list as Row[]).length}`)
    context.diagnostic(`equal: ${found.join(', ')}`)
    assert.deepEqual(initial, before)
  })
}
