// PostgreSQL: autovacuum comes to what the retention removes while it is a fiftieth of a table, not a fifth.

import { type Kysely, sql } from 'kysely'
import type { DialectName } from '../dialect.ts'

const ROWS = [
  ...['messages', 'message_words', 'recipients', 'attempts', 'events', 'event_feed', 'event_log'],
  ...['tracked_links', 'request_log', 'webhook_deliveries', 'bulk_rows', 'inbound_messages'],
]
/** Their bytes are in tables beside them. */
const CONTENTS = ['message_contents', 'inbound_contents', 'inbound_parsed']

const SETTINGS = ['autovacuum_vacuum_scale_factor = 0.02', 'autovacuum_vacuum_threshold = 1000']

/** Holds up neither readers nor writers. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  if (dialect !== 'postgres') return
  const set = (table: string, settings: readonly string[]) =>
    sql`alter table ${sql.table(table)} set (${sql.raw(settings.join(', '))})`.execute(db)
  for (const table of ROWS) await set(table, SETTINGS)
  for (const table of CONTENTS) {
    await set(table, [...SETTINGS, ...SETTINGS.map((setting) => `toast.${setting}`)])
  }
}
