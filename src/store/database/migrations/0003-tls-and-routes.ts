// TLS results and policies of destinations, and the relays that domains have of their own.

import { type Kysely, sql } from 'kysely'
import { CLUSTERED, COLUMN_TYPES, type DialectName } from '../dialect.ts'

export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[dialect]
  await sql`alter table messages add column require_tls ${integer} not null default 0`.execute(db)
  await sql`create table domain_relays (
    domain_id ${text} not null primary key,
    account_id ${text} not null,
    url ${text} not null,
    created_at ${integer} not null
  )`.execute(db)
  await sql`create table mta_sts_policies (
    domain ${text} not null primary key,
    policy_id ${text} not null,
    mode ${text} not null,
    mx ${text} not null,
    max_age ${integer} not null,
    fetched_at ${integer} not null,
    expires_at ${integer} not null
  )`.execute(db)
  await sql`create index mta_sts_policies_expiry on mta_sts_policies (expires_at)`.execute(db)
  await sql`create table tls_results (
    day ${text} not null,
    policy_domain ${text} not null,
    policy_type ${text} not null,
    mx ${text} not null,
    result ${text} not null,
    policy ${text} not null,
    sessions ${integer} not null,
    constraint tls_results_key primary key (day, policy_domain, policy_type, mx, result)
  )${CLUSTERED[dialect]}`.execute(db)
}
