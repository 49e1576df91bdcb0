// Adds sending domains, and verifies sending domains by their DNS records.

import { parse } from 'tldts'
import type { Resolver } from '../dns/resolver.ts'
import type { Clock } from '../lib/clock.ts'
import { newId, randomBase62 } from '../lib/ids.ts'
import { recalled } from '../lib/repeatable-run.ts'
import {
  type DomainEventType,
  domainName,
  NO_ROTATION,
  type RecordsState,
  rotationAt,
} from '../model/domain.ts'
import { NO_GUARD } from '../model/finding.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import { NO_RETENTION_DAYS } from '../model/retention.ts'
import type { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import type { Store } from '../store/database/store.ts'
import { recordDomainCheck } from '../store/domains/domain-checks.ts'
import {
  type Domain,
  type DomainRecord,
  findDomain,
  listDomainRecords,
} from '../store/domains/domain-rows.ts'
import { createDomain, type DomainOptions, MAX_DOMAINS } from '../store/domains/domains.ts'
import { cancelRecipients, type OperatorBatch } from '../store/queue/queue-control.ts'
import { checkBimi, findBimi } from './bimi.ts'
import { makeDkimKeys, type OwnDkim, selectorProblem } from './dkim-keys.ts'
import { ask, lookUp, type PointTo, type RecordCheck, recordsFor } from './records.ts'

/** Sending domain with its DNS records. */
export interface DomainWithRecords {
  readonly domain: Domain
  readonly records: readonly DomainRecord[]
}

/** Store and clock for changes to domains. */
export interface DomainResources {
  readonly store: Store
  readonly clock: Clock
  /** Client that fetches the logos of BIMI records; without it, no logo is fetched. */
  readonly http?: Pick<OutgoingHttp, 'request'> | undefined
}

/** Input for adding a domain. */
export interface AddDomain extends DomainResources, PointTo {
  readonly accountId: string
  readonly name: string
  /** True only for the domain of the playground, which needs no verification. */
  readonly verified?: boolean
  /** DKIM key that the owner chooses; absent for generated keys with generated selectors. */
  readonly dkim?: OwnDkim | undefined
  /** Options of the domain; absent options have their defaults. */
  readonly settings?: Partial<DomainOptions>
}

/**
 * Adds a domain with a DKIM key for each algorithm. A domain that another account has added also needs a DNS record
 * that proves ownership. Throws `validation_failed` for an invalid name, a public suffix or a selector in use, and
 * `conflict` if this account has already added the domain.
 */
export async function addDomain(options: AddDomain): Promise<DomainWithRecords> {
  const { store, dkim } = options
  const name = nameOfOwn(options.name)
  const fault = dkim && (await recalled(() => faultOf(options, name, dkim)))
  if (fault === 'repeated') throw await added(options, name)
  if (fault !== undefined) throw invalidFields([fault])
  for (const claim of [null, randomBase62(32)]) {
    const made = await recalled(() => makeDomain(options, name, claim))
    const created = await store.write(createDomain, made)
    if (created === 'created') return { domain: made.domain, records: made.records }
    if (created === 'repeated') break
    if (created === 'limit') throw domainsLimit()
    if (created === 'too_many') {
      throw new Problem('conflict', `An account has at most ${MAX_DOMAINS} domains; delete one first.`)
    }
  }
  throw await added(options, name)
}

/**
 * Returns the problem of a selector in use. A domain that the account has already added is reported as such, because the
 * domain itself uses the selector.
 */
async function faultOf(
  { store, accountId }: AddDomain,
  name: string,
  dkim: OwnDkim,
): Promise<FieldProblem | 'repeated' | undefined> {
  if ((await findDomain(store.read, accountId, name)) !== undefined) return 'repeated'
  return selectorProblem(store, name, dkim)
}

/** Returns the problem of a domain that the account has already added. */
async function added({ store, accountId }: AddDomain, name: string): Promise<Problem> {
  const found = await findDomain(store.read, accountId, name)
  const existing = found === undefined ? {} : { existing: { domain_id: found.id } }
  return new Problem('conflict', `${name} has already been added.`, existing)
}

const domainsLimit = (): Problem => {
  const message = 'The account has as many domains as the operator permits; delete one, or ask for more.'
  return new Problem('limit_reached', message, { errors: [{ path: '', code: 'domains_limit', message }] })
}

/** Returns the canonical form of a domain name. Throws `validation_failed` like `addDomain`. */
export function nameOfOwn(given: string): string {
  const name = domainName(given)
  refusePublicSuffix(name)
  return name
}

/**
 * Throws `validation_failed` for a public suffix of a registry, such as `co.uk`. Private suffixes, such as `github.io`,
 * may be added, because each private suffix belongs to a company.
 */
function refusePublicSuffix(name: string): void {
  if (parse(name, { allowPrivateDomains: false }).publicSuffix !== name) return
  const message = `${name} is a public suffix, under which others register names; give a name such as example.${name}.`
  throw new Problem('validation_failed', message, {
    errors: [{ path: 'domain', code: 'public_suffix', message }],
  })
}

async function makeDomain(options: AddDomain, name: string, claim: string | null) {
  const { store, clock, accountId, verified = false, settings } = options
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
    cfbl: 1,
    mta_sts: 'off',
    mta_sts_since: null,
    track_links: 0,
    ...NO_ROTATION,
    bimi: null,
    ...NO_GUARD,
    ...settings,
    rotate_at: rotationAt(settings?.rotate_every_days ?? null, now),
  }
  const dkimKeys = await makeDkimKeys(store, domain, 'signing', now, options.dkim)
  const records = recordsFor(domain, dkimKeys, options).map((record) =>
    verified ? { ...record, status: 'found' as const } : record,
  )
  return { domain, dkimKeys, records }
}

/** Domain after a check of its records, with the event that the check caused. */
export interface VerifiedDomain extends DomainWithRecords {
  readonly event: DomainEventType | undefined
}

/**
 * Looks up every DNS record of a domain now and stores the results. A domain with all required records is verified; a
 * verified domain may send for three more days after its records have disappeared. A paused domain stays paused. A
 * domain that another account had added passes to this account once the claim record is found. Throws `not_found` if
 * the domain has been deleted.
 */
export async function verifyDomain(
  { store, clock, http }: DomainResources,
  resolver: Resolver,
  domain: Domain,
): Promise<VerifiedDomain> {
  const records = await listDomainRecords(store.read, domain.account_id, domain.id)
  const [found, ...checks] = await Promise.all([
    findBimi((name) => ask(resolver, 'TXT', name), domain.name),
    ...records.map((record) => lookUp(resolver, record, domain.name)),
  ])
  const checked = records.map((record, index) => ({ record, check: checks[index] as RecordCheck }))
  const known = { http, now: clock.now(), dmarc: dmarcIn(checked), last: domain.bimi }
  const bimi = found && JSON.stringify(await checkBimi(found, known))
  const result = await store.write(recordDomainCheck, {
    domain: { id: domain.id, account_id: domain.account_id },
    records: checked.map(({ record: { domain_id, purpose, name }, check: { status, found, note } }) => ({
      domain_id,
      purpose,
      name,
      status,
      found: JSON.stringify(found),
      note,
    })),
    looked: stateOf(checked),
    claimProved: checked.some(({ record, check }) => record.purpose === 'claim' && isThere(check)),
    bimi,
    now: clock.now(),
  })
  if (result === undefined) throw new Problem('not_found', 'The domain has been deleted.')
  if (result.lost !== undefined) await cancelMailOf(store, result.lost, clock.now())
  const after = await listDomainRecords(store.read, domain.account_id, domain.id)
  return { domain: result.domain, records: after, event: result.event }
}

type Checked = readonly { readonly record: DomainRecord; readonly check: RecordCheck }[]

/** Returns the DMARC record that a check has found at the domain or above it. */
const dmarcIn = (checked: Checked): string | undefined =>
  checked.find(({ record, check }) => record.purpose === 'dmarc' && check.status === 'found')?.check.found[0]

/** True if a domain may send, and a check has found every record that sending requires. */
export const isVerified = ({ domain, records }: DomainWithRecords): boolean =>
  domain.status === 'verified' &&
  records.every(
    ({ required, purpose, status }) => required !== 1 || purpose === 'claim' || status === 'found',
  )

/** True if this check has found the record; false if only an earlier check has found the record. */
const isThere = ({ status, note }: RecordCheck): boolean => status === 'found' && note !== 'unanswered'

function stateOf(checked: Checked): RecordsState {
  const required = checked.filter(({ record }) => record.required === 1 && record.purpose !== 'claim')
  if (required.every(({ check }) => isThere(check))) return 'complete'
  return required.some(({ check }) => check.note !== 'unanswered' && check.status !== 'found')
    ? 'gone'
    : 'unclear'
}

/**
 * Cancels the queued messages of a deleted domain. Attempts in progress continue to their end; a recipient that such an
 * attempt defers is cancelled when a node claims the next attempt.
 */
export async function cancelMailOf(
  store: Store,
  { id: domainId, account_id: accountId }: Pick<Domain, 'id' | 'account_id'>,
  now: number,
): Promise<void> {
  const selection = { owner: { accountId, domainId } }
  // Each write cancels a few hundred recipients, so that other messages can be accepted in between.
  for (let after: OperatorBatch['next']; ; ) {
    const { next } = await store.write(cancelRecipients, { selection, after, by: 'domain', now })
    if (next === undefined) return
    after = next
  }
}
