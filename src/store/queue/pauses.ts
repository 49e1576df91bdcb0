// What holds mail back: the pauses of operators, and domains that are paused or whose account is suspended.

import { sql } from 'kysely'
import { held, type PauseKind, type QueueState } from '../../model/queue-state.ts'
import type { Database } from '../database/dialect.ts'

/**
 * The states of all pauses: those of operators, and of domains that their holders have paused or whose account is
 * suspended. A claim on a domain, or a deleted one, pauses nothing.
 */
export async function listPaused(db: Database): Promise<Set<QueueState>> {
  const active = sql`deleted_at is null and claim_token is null`
  const { rows } = await sql<{ kind: PauseKind; value: string }>`
    select kind, value from queue_pauses
    union all select 'domain', name from domains where status = 'paused' and ${active}
    union all select 'domain', domains.name from accounts join domains on domains.account_id = accounts.id
      where accounts.status = 'suspended' and ${active}`.execute(db)
  return new Set(rows.map(({ kind, value }) => held(kind, value)))
}
