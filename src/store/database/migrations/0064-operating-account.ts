// The account that operates the installation is kept, instead of being the one with the least ID.

import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`insert into installation (name, value)
    select 'operating_account', id from accounts order by id limit 1`.execute(db)
}
