// Revocations of links that work without a login; a revocation applies to all links that show one message or domain.

import { sql } from 'kysely'
import type { Database, Read } from '../database/dialect.ts'

export interface RevokeLinks {
  /** ID of the message or domain that the revoked links show. */
  readonly subject: string
  readonly now: number
  /** Links created before this time have expired, so that earlier revocations can be removed. */
  readonly expired: number
}

/**
 * Revokes all existing links to a subject. Each revocation time of a subject is later than the previous revocation
 * time, even if the clock was set back.
 */
export async function revokeLinks(db: Database, items: readonly RevokeLinks[]): Promise<true[]> {
  for (const { subject, now, expired } of items) {
    await db.deleteFrom('link_revocations').where('revoked_at', '<', expired).execute()
    await db
      .insertInto('link_revocations')
      .values({ subject, revoked_at: now })
      .onConflict((on) =>
        on.column('subject').doUpdateSet({
          revoked_at: sql`case when link_revocations.revoked_at < ${now} then ${now} else link_revocations.revoked_at + 1 end`,
        }),
      )
      .execute()
  }
  return items.map(() => true)
}
revokeLinks.auditTarget = ({ subject }: RevokeLinks): string => subject

/** Returns the time of the last revocation of links to a subject, in milliseconds since the epoch. */
export async function findRevocation(read: Read, subject: string): Promise<number | undefined> {
  const row = await read
    .selectFrom('link_revocations')
    .select('revoked_at')
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.revoked_at
}
