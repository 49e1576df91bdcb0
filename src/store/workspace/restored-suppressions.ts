// Carries suppressions that are newer than the backup of a restored store over from the earlier store.

import type { Database, Read } from '../database/dialect.ts'
import { findRows, insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'

type Suppression = Tables['suppressions']

/** Returns suppressions in the order of their keys, after the suppression `after`. */
export function listAllSuppressions(
  read: Read,
  limit: number,
  after: Suppression | undefined,
): Promise<Suppression[]> {
  let query = read
    .selectFrom('suppressions')
    .selectAll()
    .orderBy('domain_id')
    .orderBy('stream')
    .orderBy('email')
    .limit(limit)
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('domain_id', 'stream', 'email'), '>', tuple(after.domain_id, after.stream, after.email)),
    )
  }
  return query.execute()
}

/** Returns the hashes of all erased addresses; the number of hashes is small. */
export const listErasedSuppressions = (read: Read): Promise<Tables['erased_suppressions'][]> =>
  read.selectFrom('erased_suppressions').selectAll().execute()

const nameOf = ({ domain_id, stream, email }: Suppression) => `${domain_id} ${stream} ${email}`

/**
 * Adds suppressions that this store lacks or has in an older form; ignores domains and accounts that do not exist in
 * this store.
 * Returns the number of added suppressions.
 */
export async function addSuppressionsOfBefore(
  db: Database,
  items: readonly {
    readonly suppressions: readonly Suppression[]
    readonly erased: readonly Tables['erased_suppressions'][]
  }[],
): Promise<number[]> {
  const added: number[] = []
  for (const { suppressions, erased } of items) {
    const domains = await db.selectFrom('domains').select('id').execute()
    const accounts = await db.selectFrom('accounts').select('id').execute()
    const known = new Set([...domains, ...accounts].map(({ id }) => id))
    const isKnown = ({ domain_id }: { readonly domain_id: string }) => known.has(domain_id)
    const carried = suppressions.filter(isKnown)
    const keys = carried.map(({ domain_id, stream, email }) => ({ domain_id, stream, email }))
    const present = await findRows(db, 'suppressions', ['domain_id', 'stream', 'email'], keys)
    const times = new Map(present.map((row) => [nameOf(row), row.created_at]))
    const newer = carried.filter((row) => row.created_at > (times.get(nameOf(row)) ?? -1))
    await insertRows(
      db,
      'suppressions',
      newer,
      'on conflict (domain_id, stream, email) do update set id = excluded.id, reason = excluded.reason, message_id = excluded.message_id, created_at = excluded.created_at, replaced = excluded.replaced',
    )
    await insertRows(db, 'erased_suppressions', erased.filter(isKnown), 'on conflict do nothing')
    added.push(newer.length)
  }
  return added
}
