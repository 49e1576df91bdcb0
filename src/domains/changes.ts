// Changes, pauses, resumes and deletes sending domains.

import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import { type Retention, type RetentionDays, retentionProblems } from '../model/retention.ts'
import { trackingProblems, wantsTracking } from '../model/tracking.ts'
import {
  type Domain,
  listDomainRecords,
  deleteDomain as markDomainDeleted,
  setDomainOptions,
  setDomainPaused,
} from '../store/domains/domains.ts'
import { findTrackingRecord } from '../store/domains/tracking-hosts.ts'
import { cancelMailOf, type DomainResources, type DomainWithRecords } from './domains.ts'

/** Pauses a domain; a paused domain accepts no messages, and its queued messages keep waiting. */
export const pauseDomain = (resources: DomainResources, domain: Domain): Promise<DomainWithRecords> =>
  setPaused(resources, domain, true)

/** Resumes a domain; the domain may send again if its required DNS records are published. */
export const resumeDomain = (resources: DomainResources, domain: Domain): Promise<DomainWithRecords> =>
  setPaused(resources, domain, false)

async function setPaused(
  { store, clock }: DomainResources,
  domain: Domain,
  paused: boolean,
): Promise<DomainWithRecords> {
  const changed = await store.write(setDomainPaused, { domain, paused, now: clock.now() })
  if (changed === undefined) throw new Problem('not_found', 'The domain has been deleted.')
  return { domain: changed, records: await listDomainRecords(store.read, domain.account_id, domain.id) }
}

/** Changes of a domain's settings; omitted fields keep their value. */
export interface DomainChanges extends Partial<RetentionDays> {
  readonly track_opens?: boolean
  readonly track_links?: boolean
}

/** Returns all validation problems of changes to a domain's settings. */
export async function changeProblems(
  { store }: DomainResources,
  domain: Domain,
  { track_opens: opens, track_links: links, ...days }: DomainChanges,
  installation: Retention,
): Promise<FieldProblem[]> {
  const wishes = { ...(opens ? { track_opens: opens } : {}), ...(links ? { track_links: links } : {}) }
  return [
    ...retentionProblems(days, installation, 'installation'),
    ...(wantsTracking(wishes)
      ? trackingProblems(wishes, await findTrackingRecord(store.read, domain.id))
      : []),
  ]
}

/**
 * Changes settings of a domain. Throws `validation_failed` for a retention that is longer than the installation's
 * retention, and for tracking before the DNS record of the tracking host was found.
 */
export async function changeDomain(
  resources: DomainResources,
  domain: Domain,
  wanted: DomainChanges,
  installation: Retention,
): Promise<DomainWithRecords> {
  const problems = await changeProblems(resources, domain, wanted, installation)
  if (problems.length > 0) throw invalidFields(problems)
  const { store, clock } = resources
  const { track_opens: opens, track_links: links, ...days } = wanted
  const changes = {
    ...days,
    ...(opens === undefined ? {} : { track_opens: opens ? 1 : 0 }),
    ...(links === undefined ? {} : { track_links: links ? 1 : 0 }),
  }
  const changed = await store.write(setDomainOptions, { domain, changes, now: clock.now() })
  if (changed === undefined) throw new Problem('not_found', 'The domain has been deleted.')
  return { domain: changed, records: await listDomainRecords(store.read, domain.account_id, domain.id) }
}

/** Throws `validation_failed` unless the typed name equals the domain name (case-insensitive). */
export function requireTyped({ name }: Domain, typedName: string): void {
  if (typedName.trim().toLowerCase() === name) return
  const message = `Type the name of the domain, ${name}, to delete it.`
  throw invalidFields([{ path: 'domain', code: 'not_confirmed', message }])
}

/**
 * Deletes a domain. API keys of the domain stop working at once, and queued messages are cancelled; attempts in
 * progress continue to their end. Bounces, complaints and unsubscribe links of earlier messages keep working. Throws
 * `validation_failed` unless the typed name equals the domain name.
 */
export async function deleteDomain(
  { store, clock }: DomainResources,
  domain: Domain,
  typedName: string,
): Promise<void> {
  requireTyped(domain, typedName)
  const now = clock.now()
  if (!(await store.write(markDomainDeleted, { domain, now }))) {
    throw new Problem('not_found', 'The domain has been deleted.')
  }
  await cancelMailOf(store, domain, now)
}
