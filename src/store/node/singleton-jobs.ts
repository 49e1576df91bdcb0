// Singleton jobs: work that one node does for all of them.

import type { Database } from '../database/dialect.ts'

/**
 * Claims or renews a job until a time; false while another node holds it. One that is held for more than twice as long
 * as asked for was claimed by a clock that was ahead: nobody waits for it.
 */
export async function claimSingletonJob(
  db: Database,
  items: readonly {
    readonly name: string
    readonly holder: string
    readonly now: number
    readonly until: number
  }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { name, holder, now, until } of items) {
    const rows = await db
      .insertInto('duties')
      .values({ name, holder, until_at: until })
      .onConflict((on) =>
        on
          .column('name')
          .doUpdateSet({ holder, until_at: until })
          .where((eb) =>
            eb.or([
              eb('duties.holder', '=', holder),
              eb('duties.until_at', '<=', now),
              eb('duties.until_at', '>', until + (until - now)),
            ]),
          ),
      )
      .returning('name')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}
