// Pauses of mail: set by an operator, set by the owner of a domain, or caused by the suspension of an account.

import { CompiledQuery } from 'kysely'
import { type Hold, type HoldKind, holdOf } from '../../model/queue-state.ts'
import type { Database } from '../database/dialect.ts'

const ACTIVE = 'domains.deleted_at is null and domains.claim_token is null'
/**
 * The text of the query is built only once, because every commit of accepted messages and every claim runs the query.
 */
const PAUSED = CompiledQuery.raw(`
  select kind, value from queue_pauses
  union all select 'domain', name from domains where status = 'paused' and ${ACTIVE}
  union all select 'domain', domains.name from accounts join domains on domains.account_id = accounts.id
    where accounts.status = 'suspended' and ${ACTIVE}`)

/**
 * Returns all pauses: pauses set by operators, domains paused by their owners, and domains of suspended accounts. A
 * claimed, still unverified domain or a deleted domain pauses nothing.
 */
export async function listPaused(db: Database): Promise<Set<Hold>> {
  const { rows } = await db.executeQuery<{ kind: HoldKind; value: string }>(PAUSED)
  return new Set(rows.map(({ kind, value }) => holdOf(kind, value)))
}
