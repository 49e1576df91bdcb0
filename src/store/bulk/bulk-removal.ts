// Removes bulks that exceed their retention or were never completed; each step removes a limited number of rows.

import type { OldWork } from '../../lib/leased-runs.ts'
import type { Database } from '../database/dialect.ts'
import type { Bulk } from './bulks.ts'

/**
 * Removes some rows of a finished bulk whose content no message needs, or of a bulk whose rows were never completed;
 * returns true if more rows may remain to be removed.
 */
export async function forgetBulks(db: Database, items: readonly OldWork[]): Promise<boolean[]> {
  const more: boolean[] = []
  for (const { made, unfinished, limit } of items) {
    const old = await db
      .selectFrom('bulks')
      .select(['account_id', 'id'])
      .where((eb) =>
        eb.or([
          eb.and([eb('finished_at', 'is not', null), eb('created_at', '<', made), eb('contents', '=', 0)]),
          eb.and([eb('status', '=', 'loading'), eb('created_at', '<', unfinished)]),
        ]),
      )
      .limit(1)
      .executeTakeFirst()
    if (old !== undefined) await forgetRows(db, old, limit)
    more.push(old !== undefined)
  }
  return more
}
forgetBulks.unaudited = true

/** Removes some rows of a bulk that was not accepted; returns true if the bulk has more rows. */
export async function discardBulk(
  db: Database,
  items: readonly { readonly accountId: string; readonly id: string; readonly limit: number }[],
): Promise<boolean[]> {
  const more: boolean[] = []
  for (const { accountId: account_id, id, limit } of items) {
    // An earlier write with an unknown result may have queued the bulk; the update locks the bulk until the commit.
    const loading = await db
      .updateTable('bulks')
      .set({ status: 'loading' })
      .where('account_id', '=', account_id)
      .where('id', '=', id)
      .where('status', '=', 'loading')
      .returning('id')
      .execute()
    more.push(loading.length > 0 && (await forgetRows(db, { account_id, id }, limit)))
  }
  return more
}
discardBulk.unaudited = true

/** Removes rows, and the bulk itself together with its last rows; returns true if the bulk may have more rows. */
async function forgetRows(
  db: Database,
  { account_id, id }: Pick<Bulk, 'account_id' | 'id'>,
  limit: number,
): Promise<boolean> {
  const lines = db
    .selectFrom('bulk_rows')
    .select('line')
    .where('bulk_id', '=', id)
    .orderBy('line')
    .limit(limit)
  const removed = await db
    .deleteFrom('bulk_rows')
    .where('bulk_id', '=', id)
    .where('line', 'in', lines)
    .returning('line')
    .execute()
  if (removed.length === limit) return true
  await db.deleteFrom('bulk_contents').where('bulk_id', '=', id).execute()
  await db.deleteFrom('bulks').where('account_id', '=', account_id).where('id', '=', id).execute()
  return false
}
