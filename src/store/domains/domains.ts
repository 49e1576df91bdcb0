// Domains with the last known state of their DNS records and with their history.

import { maySend, type RotationInterval, rotationAt } from '../../model/domain.ts'
import type { GuardColumns } from '../../model/finding.ts'
import type { InboundMtaSts, InboundMx } from '../../model/inbound-policy.ts'
import type { RetentionDays } from '../../model/retention.ts'
import { type Database, isPostgres, type Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import { endKeys } from '../events/key-events.ts'
import { markAccessChanged, markWorkspaceChanged } from '../node/installation.ts'
import { deleteWebhooksOf } from '../webhooks/webhooks.ts'
import { fitInboundRecords } from '../workspace/inbound-addresses.ts'
import { firstStreams } from '../workspace/streams.ts'
import {
  type DkimKey,
  type Domain,
  type DomainRecord,
  findDomain,
  keepDomainEvent,
  lockDomain,
} from './domain-rows.ts'

/**
 * Result of creating a domain. `held` means that another account has a domain of this name, `repeated` that the account
 * itself has a domain of this name, `too_many` that the account has the maximum number of domains, and `limit` that the
 * operator permits the account no more domains.
 */
export type CreatedDomain = 'created' | 'held' | 'repeated' | 'too_many' | 'limit'

/** Maximum number of domains of an account. */
export const MAX_DOMAINS = 1_000

/**
 * Creates domains with their keys, records and streams. A domain with a claim token can be created while another
 * account holds a domain of the same name.
 */
export async function createDomain(
  db: Database,
  items: readonly {
    readonly domain: Domain
    readonly dkimKeys: readonly DkimKey[]
    readonly records: readonly DomainRecord[]
  }[],
): Promise<CreatedDomain[]> {
  const results: CreatedDomain[] = []
  for (const { domain, dkimKeys, records } of items) {
    const refusal = await refusalOfMore(db, domain.account_id)
    if (refusal !== undefined) {
      results.push(refusal)
      continue
    }
    const rows = await db
      .insertInto('domains')
      .values(domain)
      .onConflict((on) => on.doNothing())
      .returning('id')
      .execute()
    if (rows.length > 0) {
      await insertRows(db, 'dkim_keys', dkimKeys)
      await insertRows(db, 'domain_records', records)
      await insertRows(db, 'streams', firstStreams(domain))
      await keepDomainEvent(db, domain, 'added', domain.created_at)
      await markAccessChanged(db, domain.created_at)
      results.push('created')
      continue
    }
    const own = await findDomain(db as Read, domain.account_id, domain.name)
    results.push(own === undefined ? 'held' : 'repeated')
  }
  return results
}
createDomain.auditTarget = ({ domain }: { readonly domain: { readonly id: string } }): string => domain.id

/** Limits that the operator sets for an account. */
export interface ObjectLimits {
  readonly domains: number | null
  readonly keys: number | null
  /** True for an account that was deleted and gets no further objects. */
  readonly isDeleted: boolean
}

/** Returns the limits of an account, and locks its row until the transaction ends. */
export async function lockLimits(db: Database, accountId: string): Promise<ObjectLimits> {
  const query = db
    .selectFrom('accounts')
    .select(['domains_limit', 'keys_limit', 'deleted_at'])
    .where('id', '=', accountId)
  const row = await (isPostgres(db) ? query.forUpdate() : query).executeTakeFirst()
  const { domains_limit: domains = null, keys_limit: keys = null, deleted_at: deletedAt = null } = row ?? {}
  return { domains, keys, isDeleted: deletedAt !== null }
}

/** Returns the reason why an account gets no further domain; undefined if there is none. */
async function refusalOfMore(db: Database, accountId: string): Promise<'too_many' | 'limit' | undefined> {
  const { domains: limit, isDeleted } = await lockLimits(db, accountId)
  const row = await db
    .selectFrom('domains')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  const count = Number(row?.count ?? 0)
  if (isDeleted || (limit !== null && count >= limit)) return 'limit'
  return count >= MAX_DOMAINS ? 'too_many' : undefined
}

/**
 * Ends a domain: revokes the API keys, and removes the relay and the webhooks immediately. The mail and links of the
 * domain remain.
 */
export async function endDomain(
  db: Database,
  domain: Domain,
  type: 'deleted' | 'lost',
  now: number,
): Promise<void> {
  await db.updateTable('domains').set({ deleted_at: now }).where('id', '=', domain.id).execute()
  await endKeys(db, { accountId: domain.account_id, domainId: domain.id }, 'domain_deleted', now)
  await db.deleteFrom('domain_relays').where('domain_id', '=', domain.id).execute()
  await deleteWebhooksOf(db, domain.id, now)
  await keepDomainEvent(db, domain, type, now)
  await markAccessChanged(db, now)
  await markWorkspaceChanged(db, now)
}

/** True if a domain has the columns that a caller has seen; also true if the caller names no version. */
const isAsSeen = (domain: Domain, seen: Domain | undefined): boolean =>
  seen === undefined ||
  (Object.keys(seen) as (keyof Domain)[]).every((column) => domain[column] === seen[column])

/**
 * Deletes domains. The result is `gone` for a domain that is already deleted, and `other_version` for a domain that
 * differs from the row `seen`.
 */
export async function deleteDomain(
  db: Database,
  items: readonly {
    readonly domain: Pick<Domain, 'id' | 'account_id'>
    readonly seen?: Domain | undefined
    readonly now: number
  }[],
): Promise<('deleted' | 'gone' | 'other_version')[]> {
  const results: ('deleted' | 'gone' | 'other_version')[] = []
  for (const { domain, seen, now } of items) {
    const found = await lockDomain(db, domain)
    const isDeletable = found !== undefined && isAsSeen(found, seen)
    if (isDeletable) await endDomain(db, found, 'deleted', now)
    results.push(isDeletable ? 'deleted' : found === undefined ? 'gone' : 'other_version')
  }
  return results
}
deleteDomain.auditTarget = ({ domain }: { readonly domain: { readonly id: string } }): string => domain.id
deleteDomain.takesAccess = true

/** Deletes all domains of an account; returns the domains. */
export async function endDomainsOf(db: Database, accountId: string, now: number): Promise<Domain[]> {
  const domains = await db
    .selectFrom('domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  const ended: Domain[] = []
  for (const domain of domains) {
    const found = await lockDomain(db, domain)
    if (found === undefined) continue
    await endDomain(db, found, 'deleted', now)
    ended.push(found)
  }
  return ended
}

/** Options of a domain. */
export type DomainOptions = Pick<
  Domain,
  | keyof RetentionDays
  | keyof GuardColumns
  | keyof RotationInterval
  | 'track_opens'
  | 'track_links'
  | 'cfbl'
  | 'mta_sts'
>

/**
 * Changes the given options of a domain, and adapts the records of its inbound hosts to its mode of MTA-STS. Returns
 * undefined if the domain is deleted, and `other_version` if it differs from the row `seen`.
 */
export async function setDomainOptions(
  db: Database,
  items: readonly {
    readonly domain: Pick<Domain, 'id' | 'account_id'>
    readonly seen?: Domain | undefined
    readonly changes: Partial<Omit<DomainOptions, 'mta_sts'>>
    /** Mode of MTA-STS, with the hosts in the records that the mode requires. */
    readonly inbound?: { readonly mode: InboundMtaSts; readonly mx: InboundMx } | undefined
    readonly now: number
  }[],
): Promise<(Domain | 'other_version' | undefined)[]> {
  const results: (Domain | 'other_version' | undefined)[] = []
  for (const { domain: asked, seen, changes: given, inbound, now } of items) {
    const domain = await lockDomain(db, asked)
    if (domain !== undefined && !isAsSeen(domain, seen)) {
      results.push('other_version')
      continue
    }
    const isOtherMode = inbound !== undefined && inbound.mode !== domain?.mta_sts
    const changes = isOtherMode ? { ...given, mta_sts: inbound.mode, mta_sts_since: now } : given
    if (domain === undefined || Object.keys(changes).length === 0) {
      results.push(domain)
      continue
    }
    const all = { ...changes, ...(await dueColumns(db, domain, changes)) }
    await db.updateTable('domains').set(all).where('id', '=', domain.id).execute()
    const owner = { accountId: domain.account_id, domainId: domain.id }
    if (isOtherMode) await fitInboundRecords(db, owner, inbound.mx)
    // Streams inherit the tracking options of their domain.
    await markWorkspaceChanged(db, now)
    results.push({ ...domain, ...all })
  }
  return results
}

/** Returns the time at which new keys are due by a changed interval, counted from the creation of the present key. */
async function dueColumns(
  db: Database,
  domain: Domain,
  { rotate_every_days: days }: Partial<DomainOptions>,
): Promise<Partial<Domain>> {
  if (days === undefined || days === domain.rotate_every_days) return {}
  const key = await db
    .selectFrom('dkim_keys')
    .select('created_at')
    .where('domain_id', '=', domain.id)
    .where('state', '=', 'signing')
    .where('algorithm', '=', 'rsa-sha256')
    .executeTakeFirst()
  return { rotate_at: rotationAt(days, Number(key?.created_at ?? domain.created_at)) }
}

setDomainOptions.auditTarget = ({ domain }: { readonly domain: { readonly id: string } }): string => domain.id

/**
 * Pauses or resumes domains; returns undefined for a deleted domain. A resumed domain may send only if its DNS records
 * permit this.
 */
export async function setDomainPaused(
  db: Database,
  items: readonly {
    readonly domain: Pick<Domain, 'id' | 'account_id'>
    readonly paused: boolean
    readonly now: number
  }[],
): Promise<(Domain | undefined)[]> {
  const results: (Domain | undefined)[] = []
  for (const { domain: asked, paused, now } of items) {
    const domain = await lockDomain(db, asked)
    if (domain === undefined || (domain.status === 'paused') === paused) {
      results.push(domain)
      continue
    }
    const status = paused ? 'paused' : maySend(domain, now) ? 'verified' : 'pending'
    await db.updateTable('domains').set({ status }).where('id', '=', domain.id).execute()
    await keepDomainEvent(db, domain, paused ? 'paused' : 'resumed', now)
    await markAccessChanged(db, now)
    results.push({ ...domain, status })
  }
  return results
}
setDomainPaused.auditTarget = ({ domain }: { readonly domain: { readonly id: string } }): string => domain.id
setDomainPaused.takesAccess = true
