// Removes reports by age: the files first, later the reports and their rows.

import { beforeIdsOf } from '../../lib/ids.ts'
import type { Database } from '../database/dialect.ts'

/** Earliest times that are kept. */
interface ReportsKept {
  readonly raw: number
  readonly rows: number
  readonly limit: number
}

/** Removes old files, rows and reports; the result is false if nothing was left to remove. */
export async function removeOldReports(db: Database, items: readonly ReportsKept[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { raw, rows, limit } of items) {
    const contents = await db
      .deleteFrom('report_contents')
      .where('report_id', 'in', (eb) =>
        eb
          .selectFrom('report_contents')
          .select('report_id')
          .where('report_id', '<', beforeIdsOf('rpt', raw))
          .orderBy('report_id')
          .limit(limit),
      )
      .returning('report_id')
      .execute()
    const old = await db
      .selectFrom('reports')
      .select(['id', 'domain_id', 'begin_at'])
      .where('id', '<', beforeIdsOf('rpt', rows))
      .orderBy('id')
      .limit(Math.ceil(limit / 100))
      .execute()
    for (const { id, domain_id, begin_at } of old) {
      await db
        .deleteFrom('dmarc_rows')
        .where('domain_id', '=', domain_id)
        .where('day', '=', new Date(Number(begin_at ?? 0)).toISOString().slice(0, 10))
        .where('report_id', '=', id)
        .execute()
      await db.deleteFrom('reports').where('id', '=', id).execute()
    }
    results.push(contents.length + old.length > 0)
  }
  return results
}
removeOldReports.unaudited = true
