// Adding a sending domain, and verifying it by its DNS records.

import { parse } from 'tldts'
import type { Resolver } from '../dns/resolver.ts'
import type { Clock } from '../lib/clock.ts'
import { newId, randomBase62 } from '../lib/ids.ts'
import { recalled } from '../lib/repeatable-run.ts'
import { type DomainEventType, domainName, type Looked } from '../model/domain.ts'
import { Problem } from '../model/problem.ts'
import { NO_RETENTION_DAYS } from '../model/retention.ts'
import type { Store } from '../store/database/store.ts'
import {
  createDomain,
  type Domain,
  type DomainRecord,
  listDomainRecords,
  MAX_DOMAINS,
  recordDomainCheck,
} from '../store/domains/domains.ts'
import { cancelRecipients, type OperatorBatch } from '../store/queue/queue-control.ts'
import { makeDkimKeys } from './dkim-keys.ts'
import { type Look, lookUp, type PointTo, recordsFor } from './records.ts'

/** A domain and its records. */
export interface DomainWithRecords {
  readonly domain: Domain
  readonly records: readonly DomainRecord[]
}

/** Store and clock of changes to domains. */
export interface DomainResources {
  readonly store: Store
  readonly clock: Clock
}

/** Input of adding a domain. */
export interface AddDomain extends DomainResources, PointTo {
  readonly accountId: string
  readonly name: string
  /** Only the playground's own domain is born verified. */
  readonly verified?: boolean
}

/**
 * Adds a domain with a DKIM key of each algorithm. One that another account holds gets a record as well that proves
 * whose it is. Throws `validation_failed` for a name that is none or a public suffix, `conflict` when this account has it already.
 */
export async function addDomain(options: AddDomain): Promise<DomainWithRecords> {
  const { store } = options
  const name = nameOfOwn(options.name)
  for (const claim of [null, randomBase62(32)]) {
    const made = await recalled(() => makeDomain(options, name, claim))
    const created = await store.write(createDomain, made)
    if (created === 'created') return { domain: made.domain, records: made.records }
    if (created === 'repeated') break
    if (created === 'too_many') {
      throw new Problem('conflict', `An account has at most ${MAX_DOMAINS} domains; delete one first.`)
    }
  }
  throw new Problem('conflict', `${name} has been added already.`)
}

/** The only spelling of a name that an account may add. Throws as `addDomain` does. */
export function nameOfOwn(given: string): string {
  const name = domainName(given)
  refusePublicSuffix(name)
  return name
}

/**
 * Throws `validation_failed` for a name under which others register theirs, as `co.uk`. What a company offers below its own
 * name, as `github.io`, is that company's.
 */
function refusePublicSuffix(name: string): void {
  if (parse(name, { allowPrivateDomains: false }).publicSuffix !== name) return
  const message = `${name} is a public suffix, under which others register names; give a name such as example.${name}.`
  throw new Problem('validation_failed', message, {
    errors: [{ path: 'domain', code: 'invalid_domain', message }],
  })
}

async function makeDomain(options: AddDomain, name: string, claim: string | null) {
  const { store, clock, accountId, verified = false } = options
  const now = clock.now()
  const domain: Domain = {
    id: newId('dom', now),
    account_id: accountId,
    name,
    status: verified ? 'verified' : 'pending',
    created_at: now,
    verified_at: verified ? now : null,
    checked_at: null,
    flagged_at: null,
    claim_token: claim,
    deleted_at: null,
    ...NO_RETENTION_DAYS,
    track_opens: 0,
    track_links: 0,
  }
  const dkimKeys = await makeDkimKeys(store, domain, 'signing', now)
  const records = recordsFor(domain, dkimKeys, options).map((record) =>
    verified ? { ...record, status: 'found' as const } : record,
  )
  return { domain, dkimKeys, records }
}

/** A domain after a look, and what happened by it. */
export interface VerifiedDomain extends DomainWithRecords {
  readonly event: DomainEventType | undefined
}

/**
 * Looks every record up now and keeps what was found. With the required ones in place the domain is verified; one
 * that was verified may send for three more days once its records are gone. A paused domain stays paused; a claimed
 * one passes to its account when the claim's record is there. Throws `not_found` when it was deleted meanwhile.
 */
export async function verifyDomain(
  { store, clock }: DomainResources,
  resolver: Resolver,
  domain: Domain,
): Promise<VerifiedDomain> {
  const records = await listDomainRecords(store.read, domain.account_id, domain.id)
  const looks = await Promise.all(records.map((record) => lookUp(resolver, record, domain.name)))
  const checked = records.map((record, index) => ({ record, look: looks[index] as Look }))
  const result = await store.write(recordDomainCheck, {
    domain: { id: domain.id, account_id: domain.account_id },
    records: checked.map(({ record: { domain_id, purpose, name }, look: { status, found, note } }) => ({
      domain_id,
      purpose,
      name,
      status,
      found: JSON.stringify(found),
      note,
    })),
    looked: lookedAt(checked),
    claimProved: checked.some(({ record, look }) => record.purpose === 'claim' && isThere(look)),
    now: clock.now(),
  })
  if (result === undefined) throw new Problem('not_found', 'The domain has been deleted.')
  if (result.lost !== undefined) await cancelMailOf(store, result.lost, clock.now())
  const after = await listDomainRecords(store.read, domain.account_id, domain.id)
  return { domain: result.domain, records: after, event: result.event }
}

/** Seen now, not only before. */
const isThere = ({ status, note }: Look): boolean => status === 'found' && note !== 'unanswered'

function lookedAt(checked: readonly { readonly record: DomainRecord; readonly look: Look }[]): Looked {
  const required = checked.filter(({ record }) => record.required === 1 && record.purpose !== 'claim')
  if (required.every(({ look }) => isThere(look))) return 'complete'
  return required.some(({ look }) => look.note !== 'unanswered' && look.status !== 'found')
    ? 'gone'
    : 'unclear'
}

/**
 * Cancels what waits from a domain that is gone, some hundreds at a time. What is in an attempt just now ends by
 * itself; what would be tried again is cancelled by the node that claims it.
 */
export async function cancelMailOf(
  store: Store,
  { id: domainId, account_id: accountId }: Pick<Domain, 'id' | 'account_id'>,
  now: number,
): Promise<void> {
  const selection = { owner: { accountId, domainId } }
  // Each round takes some hundreds, and mail is accepted in between.
  for (let after: OperatorBatch['next']; ; ) {
    const { next } = await store.write(cancelRecipients, { selection, after, by: 'domain', now })
    if (next === undefined) return
    after = next
  }
}
