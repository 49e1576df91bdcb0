// Pauses of mail: by operators, of paused domains, and of domains whose account is suspended.

import { CompiledQuery } from 'kysely'
import { type Hold, type HoldKind, holdOf } from '../../model/queue-state.ts'
import type { Database } from '../database/dialect.ts'

const ACTIVE = 'deleted_at is null and claim_token is null'
/** As text, because every commit of accepted messages and every claim runs it. */
const PAUSED = CompiledQuery.raw(`
  select kind, value from queue_pauses
  union all select 'domain', name from domains where status = 'paused' and ${ACTIVE}
  union all select 'domain', domains.name from accounts join domains on domains.account_id = accounts.id
    where accounts.status = 'suspended' and ${ACTIVE}`)

/**
 * Returns all pauses: by operators, of domains that their owners have paused, and of domains whose account is
 * suspended. A domain that is merely claimed, or deleted, pauses nothing.
 */
export async function listPaused(db: Database): Promise<Set<Hold>> {
  const { rows } = await db.executeQuery<{ kind: HoldKind; value: string }>(PAUSED)
  return new Set(rows.map(({ kind, value }) => holdOf(kind, value)))
}
