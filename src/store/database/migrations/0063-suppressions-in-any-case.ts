// Suppressions count in any case: their addresses stand in lower case.

import { type Kysely, sql } from 'kysely'

/** Of an address that is listed in several cases, the weightiest reason stays, and of those the oldest. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`delete from suppressions where (domain_id, stream, email) in (
    select domain_id, stream, email from (
      select domain_id, stream, email, row_number() over (
          partition by domain_id, stream, lower(email)
          order by case reason when 'complaint' then 0 when 'unsubscribe' then 1 when 'hard_bounce' then 2 else 3 end,
            created_at, email) as place
      from suppressions) as ranked
    where place > 1)`.execute(db)
  await sql`update suppressions set email = lower(email) where email <> lower(email)`.execute(db)
}
