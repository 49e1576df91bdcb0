// The queue gets a table of its own, with a row for each recipient that is not final; the recipients are history.

import { type Kysely, sql } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

/** A lease that ends so long after it was taken was renewed. */
const RENEWED_MS = 65_000

/** Makes the table, carries over the rows that wait, and drops the columns and indexes that they needed. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await makeQueue(db, dialect)
  await carryOver(db)
  await undoSending(db)
  await sql`drop index recipients_by_destination`.execute(db)
  await dropColumns(db, dialect)
}

async function makeQueue(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  await sql`create table queue (
    message_id ${text} not null,
    position ${integer} not null,
    account_id ${text} not null,
    domain_id ${text} not null,
    destination ${text} not null,
    stream ${text} not null,
    size ${integer} not null,
    state ${text} not null,
    waits_for ${text} not null,
    start_tag ${integer} not null,
    due_at ${integer},
    lease ${text},
    lease_until ${integer},
    active_since ${integer},
    renewed ${integer} not null,
    attempts ${integer} not null,
    faults ${integer} not null,
    possible_duplicate ${integer} not null,
    constraint queue_key primary key (message_id, position)
  )${CLUSTERED[dialect]}`.execute(db)
  // Each row is in one of them, by what it waits for.
  await sql`create index queue_by_order on queue (state, waits_for, start_tag)
    where due_at is null and lease_until is null`.execute(db)
  await sql`create index queue_by_due on queue (due_at) where due_at is not null`.execute(db)
  await sql`create index queue_by_lease_end on queue (lease_until) where lease_until is not null`.execute(db)
  if (dialect === 'postgres') {
    // Its rows come and go: they are cleared away long before they are a fifth of it.
    await sql`alter table queue set (
      fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)`.execute(db)
    // Room for some of the outcomes beside their rows, where no index hears of them.
    await sql`alter table recipients set (fillfactor = 85)`.execute(db)
  }
}

/** Carries over the rows that wait: as many as the queue is long, however long the history. */
async function carryOver(db: Kysely<unknown>): Promise<void> {
  const begins = (lane: string) => sql`substr(r.lane, 1, ${sql.lit(lane.length)}) = ${sql.lit(lane)}`
  await sql`
    insert into queue (message_id, position, account_id, domain_id, destination, stream, size, state, waits_for,
      start_tag, due_at, lease, lease_until, active_since, renewed, attempts, faults, possible_duplicate)
    select r.message_id, r.position, r.account_id, r.domain_id, r.destination, m.stream, m.size,
      case when r.lane = 'leased' then 'active'
        when ${begins('full ')} then 'throttled' when ${begins('paused ')} then 'held'
        when r.lane = 'quarantine' then 'quarantined'
        when r.lane <> 'waiting' then r.lane
        when r.attempts > 0 then 'deferred' when r.status = 'scheduled' then 'scheduled' else 'paced' end,
      case when ${begins('full ')} then substr(r.lane, 6) when ${begins('paused ')} then substr(r.lane, 8) else '' end,
      r.next_attempt_at,
      case when r.lane = 'waiting' then r.next_attempt_at end,
      case when r.lane = 'leased' then r.lease end,
      case when r.lane = 'leased' then r.next_attempt_at end,
      case when r.lane = 'leased' then r.last_event_at end,
      case when r.lane = 'leased' and r.next_attempt_at - r.last_event_at > ${sql.lit(RENEWED_MS)} then 1 else 0 end,
      r.attempts, r.faults, r.possible_duplicate
    from recipients r join messages m on m.domain_id = r.domain_id and m.id = r.message_id
    where r.lane is not null`.execute(db)
}

/** That an attempt is under way is told by the queue alone. */
async function undoSending(db: Kysely<unknown>): Promise<void> {
  const active = sql`select message_id, position from queue where state = 'active'`
  await sql`
    update recipients set status = case when attempts > 0 then 'deferred' else 'queued' end
    where (message_id, position) in (${active})`.execute(db)
  await sql`
    update messages set status = 'queued'
    where (domain_id, id) in (select domain_id, message_id from queue where state = 'active')
      and not exists (
        select 1 from recipients r
        where r.message_id = messages.id and r.status not in ('queued', 'scheduled', 'suppressed', 'cancelled'))`.execute(
    db,
  )
}

const DROPPED = ['lane', 'next_attempt_at', 'lease', 'faults', 'possible_duplicate']
const KEPT = `message_id, position, account_id, domain_id, role, email, name, destination, status, attempts,
  last_event_at, smtp_code, smtp_response, mx`

/**
 * Without the columns a node of an older version can accept nothing that no queue knows of. SQLite would write the table
 * anew for each column, and writes it once instead.
 */
async function dropColumns(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  await sql`drop index recipients_by_lane`.execute(db)
  if (dialect === 'postgres') {
    for (const column of DROPPED) await sql`alter table recipients drop column ${sql.ref(column)}`.execute(db)
    return
  }
  await sql`create table recipients_new (
    message_id text not null, position integer not null, account_id text not null, domain_id text not null,
    role text not null, email text not null, name text, destination text not null, status text not null,
    attempts integer not null, last_event_at integer not null, smtp_code integer, smtp_response text, mx text,
    constraint recipients_key primary key (message_id, position)
  ) without rowid`.execute(db)
  await sql`insert into recipients_new select ${sql.raw(KEPT)} from recipients order by message_id, position`.execute(
    db,
  )
  await sql`drop table recipients`.execute(db)
  await sql`alter table recipients_new rename to recipients`.execute(db)
  await sql`create index recipients_by_email on recipients (domain_id, email, message_id)`.execute(db)
}
