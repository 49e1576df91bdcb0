// Reads the causes that hold recipients back, for pages that show waiting recipients.

import { sql } from 'kysely'
import type { Holding } from '../../model/held.ts'
import type { Read } from '../database/dialect.ts'

/**
 * Returns all causes that may hold recipients of these sending domains, each with its start time and note. The
 * conditions are the same as in `listPaused`.
 */
export async function listHoldings(read: Read, domainIds: readonly string[]): Promise<Holding[]> {
  if (domainIds.length === 0) return []
  const ofThese = sql`d.id in (${sql.join([...new Set(domainIds)])}) and d.deleted_at is null and d.claim_token is null`
  const { rows } = await sql<Holding>`
    select case kind when 'restored' then kind else kind || '_paused' end as cause, value, created_at as since,
      note, null as "domainId"
    from queue_pauses where kind <> 'domain'
    union all
    select 'domain_paused_by_operator', d.name, p.created_at, p.note, d.id
    from queue_pauses p join domains d on d.name = p.value where p.kind = 'domain' and ${ofThese}
    union all
    select 'domain_paused', d.name, coalesce(
      (select max(e.at) from domain_events e where e.domain_id = d.id and e.type = 'paused'), d.created_at), null, d.id
    from domains d where d.status = 'paused' and ${ofThese}
    union all
    select 'account_suspended', a.id, coalesce(a.suspended_at, a.created_at), null, d.id
    from domains d join accounts a on a.id = d.account_id where a.status = 'suspended' and ${ofThese}`.execute(
    read,
  )
  return rows
}
