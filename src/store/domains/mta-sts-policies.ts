// MTA-STS policies of recipient domains, stored so that they survive a restart.

import type { Database, Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'

export type StoredMtaStsPolicy = Tables['mta_sts_policies']

/** Stores policies in place of earlier policies of the same domains, and removes expired policies. */
export async function keepMtaStsPolicy(
  db: Database,
  items: readonly { readonly policy: StoredMtaStsPolicy; readonly now: number }[],
): Promise<true[]> {
  const now = Math.max(...items.map((item) => item.now))
  await db.deleteFrom('mta_sts_policies').where('expires_at', '<=', now).execute()
  for (const { policy } of items) {
    const { domain, ...values } = policy
    await db
      .insertInto('mta_sts_policies')
      .values(policy)
      .onConflict((on) => on.column('domain').doUpdateSet(values))
      .execute()
  }
  return items.map(() => true)
}

/** Returns the stored policy of a domain, which may have expired. */
export const findMtaStsPolicy = (read: Read, domain: string): Promise<StoredMtaStsPolicy | undefined> =>
  read.selectFrom('mta_sts_policies').selectAll().where('domain', '=', domain).executeTakeFirst()
