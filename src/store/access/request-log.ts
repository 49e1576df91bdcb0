// The log of requests that keys made of the API, by account; kept for some days.

import { beforeIdsOf } from '../../lib/ids.ts'
import { type Database, insertRows, type Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'

export type RequestRow = Tables['request_log']

/** Writes entries; those of a second come together. */
export async function recordRequests(
  db: Database,
  items: readonly { readonly rows: readonly RequestRow[] }[],
): Promise<true[]> {
  await insertRows(
    db,
    'request_log',
    items.flatMap(({ rows }) => rows),
  )
  return items.map(() => true)
}
recordRequests.unaudited = true
recordRequests.isJson = true

/** Filter of the log. */
export interface RequestFilter {
  readonly keyId?: string | undefined
  /** Only those that were refused, or failed. */
  readonly refused?: boolean | undefined
}

/** The entries of an account, newest first, those before the ID `cursor` when it is given. */
export function listRequests(
  read: Read,
  accountId: string,
  { keyId, refused }: RequestFilter,
  limit: number,
  cursor: string | undefined,
): Promise<RequestRow[]> {
  let query = read.selectFrom('request_log').selectAll().where('account_id', '=', accountId)
  if (keyId !== undefined) query = query.where('key_id', '=', keyId)
  if (refused === true) query = query.where('status', '>=', 400)
  if (cursor !== undefined) query = query.where('id', '<', cursor)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

/** Rows that one write removes. */
const MAX_ROWS = 1_000

/** Removes the oldest entries of an account; false when there was nothing any more. */
export async function forgetRequests(db: Database, accountId: string, before: number): Promise<boolean> {
  const end = beforeIdsOf('rql', before)
  const oldest = await db
    .selectFrom('request_log')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '<', end)
    .orderBy('id')
    .limit(MAX_ROWS)
    .execute()
  const last = oldest.at(-1)
  if (last === undefined) return false
  await db.deleteFrom('request_log').where('account_id', '=', accountId).where('id', '<=', last.id).execute()
  return true
}
