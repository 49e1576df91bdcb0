// Stores the results of DNS checks of domains, and settles the claims of domains that another account holds.

import { type DomainEventType, type RecordsState, stateAfterCheck } from '../../model/domain.ts'
import type { Database } from '../database/dialect.ts'
import { updateRows } from '../database/rows.ts'
import { markAccessChanged, markWorkspaceChanged } from '../node/installation.ts'
import { type Domain, type DomainRecord, keepDomainEvent, lockDomain } from './domain-rows.ts'
import { endDomain } from './domains.ts'

/** Result of a DNS check of a domain. */
export interface DomainCheck {
  readonly domain: Pick<Domain, 'id' | 'account_id'>
  readonly records: readonly Pick<
    DomainRecord,
    'domain_id' | 'purpose' | 'name' | 'status' | 'found' | 'note'
  >[]
  readonly looked: RecordsState
  /** True if the DNS record with the domain's claim token was found. */
  readonly claimProved: boolean
  /** Result of the check of the BIMI record as JSON; null for no record, undefined if the DNS did not answer. */
  readonly bimi?: string | null | undefined
  readonly now: number
}

/** A domain after a DNS check, and the domain event that the check caused. */
export interface CheckedDomain {
  readonly domain: Domain
  readonly event: DomainEventType | undefined
  /** Domain of another account that this domain has replaced. */
  readonly lost: Domain | undefined
}

/** Stores the result of a DNS check and updates the domain's state; returns undefined for a deleted domain. */
export async function recordDomainCheck(
  db: Database,
  items: readonly DomainCheck[],
): Promise<(CheckedDomain | undefined)[]> {
  const results: (CheckedDomain | undefined)[] = []
  for (const item of items) results.push(await recordOne(db, item))
  return results
}
recordDomainCheck.auditTarget = ({ domain }: { readonly domain: { readonly id: string } }): string =>
  domain.id
// The account that loses a domain to a claim also loses the API keys of the domain.
recordDomainCheck.takesAccess = true

async function recordOne(
  db: Database,
  { domain: asked, records, looked, claimProved, bimi, now }: DomainCheck,
): Promise<CheckedDomain | undefined> {
  const before = await lockDomain(db, asked)
  if (before === undefined) return undefined
  const { claimed, lost } = await settleClaim(db, before, claimProved, now)
  const { state, event } = stateAfterCheck(before, claimed ? looked : 'gone', now)
  const changes = {
    status: state.status,
    verified_at: state.verified_at,
    flagged_at: state.flagged_at,
    claim_token: claimed ? null : before.claim_token,
    checked_at: now,
    bimi: bimi === undefined ? before.bimi : bimi,
  }
  await db.updateTable('domains').set(changes).where('id', '=', before.id).execute()
  // The purpose of a checked record may meanwhile belong to another record, such as the record of a new signing key.
  await updateRows(db, 'domain_records', ['domain_id', 'purpose'], await dated(db, before.id, records, now), {
    match: ['name'],
  })
  if (event !== undefined) await keepDomainEvent(db, before, event, now, goneRecords(records))
  if (before.status !== state.status || claimed !== (before.claim_token === null)) {
    await markAccessChanged(db, now)
  }
  // The DNS records decide whether broadcast streams may send.
  await markWorkspaceChanged(db, now)
  return { domain: { ...before, ...changes }, event, lost }
}

/**
 * Returns checked records with the time since which each record is found. A lookup without an answer changes nothing;
 * the stored time is read in this transaction, because another check may have missed the record meanwhile.
 */
async function dated(
  db: Database,
  domainId: string,
  records: DomainCheck['records'],
  now: number,
): Promise<readonly (DomainCheck['records'][number] & Pick<DomainRecord, 'found_since'>)[]> {
  const stored = await db
    .selectFrom('domain_records')
    .select(['purpose', 'name', 'found_since'])
    .where('domain_id', '=', domainId)
    .execute()
  const keyOf = ({ purpose, name }: Pick<DomainRecord, 'purpose' | 'name'>): string => `${purpose} ${name}`
  const since = new Map(stored.map((record) => [keyOf(record), record.found_since]))
  return records.map((record) => {
    const before = since.get(keyOf(record)) ?? null
    const isAnswered = record.note !== 'unanswered'
    return {
      ...record,
      found_since: !isAnswered ? before : record.status === 'found' ? (before ?? now) : null,
    }
  })
}

const goneRecords = (records: DomainCheck['records']): object => {
  const not = records.filter((record) => record.status !== 'found')
  return not.length === 0 ? {} : { records: not.map(({ purpose, status }) => ({ purpose, status })) }
}

/**
 * Settles the claim of a domain. `claimed` is true if the claiming account now holds the domain; the former holder
 * loses the domain in the same transaction.
 */
async function settleClaim(
  db: Database,
  domain: Domain,
  proved: boolean,
  now: number,
): Promise<{ claimed: boolean; lost: Domain | undefined }> {
  if (domain.claim_token === null) return { claimed: true, lost: undefined }
  const held = await db
    .selectFrom('domains')
    .selectAll()
    .where('name', '=', domain.name)
    .where('deleted_at', 'is', null)
    .where('claim_token', 'is', null)
    .executeTakeFirst()
  const holder = held && (await lockDomain(db, held))
  if (holder !== undefined && !proved) return { claimed: false, lost: undefined }
  if (holder !== undefined) await endDomain(db, holder, 'lost', now)
  await db
    .deleteFrom('domain_records')
    .where('domain_id', '=', domain.id)
    .where('purpose', '=', 'claim')
    .execute()
  await keepDomainEvent(db, domain, 'claimed', now)
  return { claimed: true, lost: holder }
}
