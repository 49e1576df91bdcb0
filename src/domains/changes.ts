// Changes, pauses, resumes and deletes domains.

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

/** Pauses a domain: it accepts nothing, and waiting messages keep waiting. */
export const pauseDomain = (resources: DomainResources, domain: Domain): Promise<DomainWithRecords> =>
  setPaused(resources, domain, true)

/** Resumes a domain: it may send again as far as its records allow. */
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

/** Settings of a domain; omitted fields stay. */
export interface DomainChanges extends Partial<RetentionDays> {
  readonly track_opens?: boolean
  readonly track_links?: boolean
}

/** Returns all problems of changes to settings. */
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
 * Changes settings of a domain. Throws `validation_failed` for a longer retention than that of the installation, and
 * for tracking before the tracking host was found.
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

/** Throws `validation_failed` unless the typed name is that of the domain, in any case. */
export function requireTyped({ name }: Domain, typedName: string): void {
  if (typedName.trim().toLowerCase() === name) return
  const message = `Type the name of the domain, ${name}, to delete it.`
  throw invalidFields([{ path: 'domain', code: 'not_confirmed', message }])
}

/**
 * Deletes a domain: its keys stop at once, waiting messages are cancelled, attempts under way end. Bounces,
 * complaints and unsubscribe links of its mail keep working. Throws `validation_failed` unless the typed name is that
 * of the domain.
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
