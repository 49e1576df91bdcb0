// Domains that are flagged, claimed and deleted; figures of what was sent; searching messages; the nodes that run.

import { type Kysely, sql } from 'kysely'
import { DELIVERY_TIME_BOUNDS, deliveryTimeColumn } from '../../../model/delivery-time.ts'
import { subjectWords, wordList } from '../../../model/subject-words.ts'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** Adds tables, columns and indexes, and fills them from what is there. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await changeDomains(db, dialect)
  await addFigures(db, dialect)
  await addSearch(db, dialect)
  await addTable(db, dialect, 'nodes', ['id'], {
    id: 'text',
    host_name: 'text',
    roles: 'text',
    version: 'text',
    started_at: 'integer',
    seen_at: 'integer',
  })
  await addTable(db, dialect, 'duties', ['name'], { name: 'text', holder: 'text', until_at: 'integer' })
}

function addTable(
  db: Kysely<unknown>,
  dialect: DialectName,
  name: string,
  key: readonly string[],
  columns: Record<string, string>,
): Promise<void> {
  const types: Record<string, unknown> = COLUMN_TYPES[dialect] as never
  let builder = db.schema.createTable(name)
  for (const [column, description] of Object.entries(columns)) {
    const [type = '', ...marks] = description.split(' ')
    builder = builder.addColumn(column, types[type] as never, (made) =>
      marks.includes('null') ? made : made.notNull(),
    )
  }
  return builder
    .addPrimaryKeyConstraint(`${name}_key`, [...key] as never)
    .modifyEnd(CLUSTERED[dialect])
    .execute()
}

/**
 * A name may be there more than once: deleted, or claimed by an account that has not proved it yet. SQLite cannot drop
 * what makes a column unique, so the table is made anew.
 */
async function changeDomains(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await db.schema.alterTable('domains').renameTo('domains_before').execute()
  await addTable(db, dialect, 'domains', ['id'], {
    id: 'text',
    account_id: 'text',
    name: 'text',
    status: 'text',
    created_at: 'integer',
    verified_at: 'integer null',
    checked_at: 'integer null',
    flagged_at: 'integer null',
    claim_token: 'text null',
    deleted_at: 'integer null',
  })
  await sql`
    insert into domains (id, account_id, name, status, created_at, verified_at, checked_at)
    select id, account_id, name, status, created_at, verified_at, checked_at from domains_before`.execute(db)
  await db.schema.dropTable('domains_before').execute()
  await sql`
    create unique index domains_by_name on domains (name)
    where deleted_at is null and claim_token is null`.execute(db)
  await sql`
    create unique index domains_by_account on domains (account_id, name) where deleted_at is null`.execute(db)
  await sql`create index domains_paused on domains (name) where status = 'paused'`.execute(db)
  await sql`create index accounts_suspended on accounts (id) where status = 'suspended'`.execute(db)
  await sql`create index domains_to_check on domains (checked_at) where deleted_at is null`.execute(db)
  await db.schema
    .alterTable('dkim_keys')
    .addColumn('state', COLUMN_TYPES[dialect].text as never, (column) =>
      column.notNull().defaultTo(sql.lit('signing')),
    )
    .execute()
  await db.schema
    .alterTable('domain_records')
    .addColumn('note', COLUMN_TYPES[dialect].text as never)
    .execute()
  await addTable(db, dialect, 'domain_events', ['domain_id', 'id'], {
    id: 'text',
    account_id: 'text',
    domain_id: 'text',
    type: 'text',
    at: 'integer',
    detail: 'text',
  })
}

const COUNTED = [
  'accepted',
  'delivered',
  'deferred',
  'bounced',
  'failed',
  'suppressed',
  'cancelled',
  'complained',
  'unsubscribed',
  'opened',
  'clicked',
]

async function addFigures(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const times = DELIVERY_TIME_BOUNDS.map((_, index) => deliveryTimeColumn(index))
  const figures = [...COUNTED, ...times]
  await addTable(db, dialect, 'message_counts', ['account_id', 'hour_at', 'domain_id', 'stream', 'shard'], {
    account_id: 'text',
    domain_id: 'text',
    stream: 'text',
    hour_at: 'integer',
    shard: 'integer',
    ...Object.fromEntries(figures.map((column) => [column, 'integer'])),
  })
  const counts = COUNTED.map((type) => sql`sum(case when e.type = ${sql.lit(type)} then 1 else 0 end)`)
  const took = sql`e.at - coalesce(m.send_at, m.created_at)`
  const within = DELIVERY_TIME_BOUNDS.map((bound, index) => {
    const from = DELIVERY_TIME_BOUNDS[index - 1]
    const above = from === undefined ? sql`1 = 1` : sql`${took} >= ${sql.lit(from)}`
    const below = bound === Number.POSITIVE_INFINITY ? sql`1 = 1` : sql`${took} < ${sql.lit(bound)}`
    return sql`sum(case when e.type = 'delivered' and ${above} and ${below} then 1 else 0 end)`
  })
  await sql`
    insert into message_counts
      (account_id, domain_id, stream, hour_at, shard, ${sql.join(figures.map((name) => sql.ref(name)))})
    select m.account_id, m.domain_id, m.stream, e.at - e.at % 3600000, 0, ${sql.join([...counts, ...within])}
    from events e join messages m on m.domain_id = e.domain_id and m.id = e.message_id
    group by m.account_id, m.domain_id, m.stream, e.at - e.at % 3600000`.execute(db)
}

interface Searched {
  messages: { domain_id: string; id: string; subject: string; words: string }
  message_words: { domain_id: string; word: string; message_id: string }
}

const BACKFILLED = 500

async function addSearch(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await db.schema
    .alterTable('messages')
    .addColumn('words', COLUMN_TYPES[dialect].text as never, (column) =>
      column.notNull().defaultTo(sql.lit('')),
    )
    .execute()
  await addTable(db, dialect, 'message_words', ['domain_id', 'word', 'message_id'], {
    domain_id: 'text',
    word: 'text',
    message_id: 'text',
  })
  await fillWords(db as Kysely<Searched>)
  // Most messages are delivered, so that those are found soon without an index.
  await sql`create index messages_by_status on messages (domain_id, status, id) where status <> 'delivered'`.execute(
    db,
  )
  await sql`create index messages_by_tag on messages (domain_id, tag, id) where tag is not null`.execute(db)
  await sql`create index messages_by_stream on messages (domain_id, stream, id)`.execute(db)
}

async function fillWords(db: Kysely<Searched>): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('messages')
      .select(['domain_id', 'id', 'subject'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(BACKFILLED)
      .execute()
    for (const { domain_id, id, subject } of rows) {
      const words = subjectWords(subject)
      if (words.length === 0) continue
      await db
        .updateTable('messages')
        .set({ words: wordList(words) })
        .where('domain_id', '=', domain_id)
        .where('id', '=', id)
        .execute()
      await db
        .insertInto('message_words')
        .values(words.map((word) => ({ domain_id, word, message_id: id })))
        .execute()
    }
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
  }
}
