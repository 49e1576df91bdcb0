// The MTA-STS policies of recipients' domains, kept so that a restart forgets none.

import type { Database, Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'

export type StoredMtaStsPolicy = Tables['mta_sts_policies']

/** Keeps policies in place of what was known of their domains, and drops those that have expired. */
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

/** Stored policy of a domain; it may have expired. */
export const findMtaStsPolicy = (read: Read, domain: string): Promise<StoredMtaStsPolicy | undefined> =>
  read.selectFrom('mta_sts_policies').selectAll().where('domain', '=', domain).executeTakeFirst()
