// Suppressions of erased addresses, stored as hashes because the addresses are no longer stored.

import { createHash } from 'node:crypto'
import type { Database } from '../database/dialect.ts'
import { deleteRows, findRows, insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'

type Suppression = Tables['suppressions']

/** An address on a suppression list. */
export interface ListedAddress {
  readonly domain_id: string
  readonly stream: string
  readonly email: string
}

/**
 * Returns the SHA-256 hash of an address, case-insensitive. The domain is the salt, so that equal addresses of two
 * domains have different hashes.
 */
const hashOf = (domainId: string, email: string): string =>
  createHash('sha256').update(`suppression ${domainId} ${email.toLowerCase()}`).digest('base64url')

const keyOf = ({ domain_id, stream, email }: ListedAddress) => ({
  ...{ domain_id, stream },
  hash: hashOf(domain_id, email),
})

/** Returns an SQL expression for the rank of a reason; reasons given by the recipient rank highest. */
const weightOf = (column: string): string =>
  `case ${column} when 'complaint' then 3 when 'unsubscribe' then 2 when 'hard_bounce' then 1 else 0 end`

const WEIGHTIEST = `on conflict (domain_id, stream, hash) do update
  set reason = excluded.reason, created_at = excluded.created_at
  where ${weightOf('excluded.reason')} > ${weightOf('erased_suppressions.reason')}`

/** Replaces suppressions by hashes; if a hash already exists, the higher-ranking reason is kept. */
export async function hashSuppressions(db: Database, rows: readonly Suppression[]): Promise<void> {
  const hashed = rows.map((row) => ({
    ...keyOf(row),
    ...{ account_id: row.account_id, reason: row.reason, created_at: row.created_at },
  }))
  // Rows are written one by one, because an address may be listed in several spellings, and one statement cannot change
  // a row twice.
  for (const row of hashed) await insertRows(db, 'erased_suppressions', [row], WEIGHTIEST)
  await deleteRows(
    db,
    'suppressions',
    ['domain_id', 'stream', 'email'],
    rows.map(({ domain_id, stream, email }) => ({ domain_id, stream, email })),
  )
}

/**
 * Returns the suppressions of addresses that are stored as hashes.
 *
 * @param listed returns the addresses, which are needed only if a hash is stored
 */
export async function findErased(
  db: Database,
  listed: () => readonly ListedAddress[],
): Promise<Suppression[]> {
  const any = await db.selectFrom('erased_suppressions').select('hash').limit(1).executeTakeFirst()
  if (any === undefined) return []
  const addresses = listed()
  const byHash = Map.groupBy(addresses, (one) => Object.values(keyOf(one)).join(' '))
  const found = await findRows(
    db,
    'erased_suppressions',
    ['domain_id', 'stream', 'hash'],
    addresses.map(keyOf),
  )
  return found.flatMap(({ domain_id, stream, hash, account_id, reason, created_at }) =>
    (byHash.get(`${domain_id} ${stream} ${hash}`) ?? []).map(({ email }) => ({
      ...{ id: '', account_id, domain_id, stream, email, reason, created_at },
      ...{ message_id: null, replaced: null },
    })),
  )
}

/**
 * Removes hashed addresses from their lists, but complaints only with `force`; returns the numbers of removed and kept
 * entries.
 */
export async function removeErased(
  db: Database,
  addresses: readonly ListedAddress[],
  force: boolean,
): Promise<{ readonly removed: number; readonly kept: number }> {
  const found = await findErased(db, () => addresses)
  const going = found.filter(({ reason }) => force || reason !== 'complaint')
  const removed = await deleteRows(
    db,
    'erased_suppressions',
    ['domain_id', 'stream', 'hash'],
    going.map((row) => ({ ...keyOf(row), reason: row.reason })),
    { match: ['reason'] },
  )
  return { removed: removed.length, kept: found.length - going.length }
}
