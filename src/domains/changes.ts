// Pausing, resuming and deleting a domain.

import { invalidFields, Problem } from '../model/problem.ts'
import { type Retention, type RetentionDays, retentionProblems } from '../model/retention.ts'
import {
  type Domain,
  listDomainRecords,
  deleteDomain as markDomainDeleted,
  setDomainPaused,
  setDomainRetention,
} from '../store/domains/domains.ts'
import { cancelMailOf, type DomainResources, type DomainWithRecords } from './domains.ts'

/** While it is paused nothing is accepted from it, and what waits goes on waiting. */
export const pauseDomain = (resources: DomainResources, domain: Domain): Promise<DomainWithRecords> =>
  setPaused(resources, domain, true)

/** It may send again as far as its records allow. */
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

/**
 * Sets how long a domain keeps its messages, in the fields that are given. Throws `validation_failed` for more than the
 * installation keeps.
 */
export async function setRetention(
  { store }: DomainResources,
  domain: Domain,
  days: Partial<RetentionDays>,
  installation: Retention,
): Promise<DomainWithRecords> {
  const problems = retentionProblems(days, installation, 'installation')
  if (problems.length > 0) throw invalidFields(problems)
  const changed = await store.write(setDomainRetention, { domain, days })
  if (changed === undefined) throw new Problem('not_found', 'The domain has been deleted.')
  return { domain: changed, records: await listDomainRecords(store.read, domain.account_id, domain.id) }
}

/**
 * Deletes a domain: its keys stop at once, what waits is cancelled, attempts under way end. Bounces, complaints and
 * unsubscribe links of its mail go on working. Throws `validation_failed` unless its name is typed.
 */
export async function deleteDomain(
  { store, clock }: DomainResources,
  domain: Domain,
  typedName: string,
): Promise<void> {
  if (typedName.trim().toLowerCase() !== domain.name) {
    const message = `Type the name of the domain, ${domain.name}, to delete it.`
    throw invalidFields([{ path: 'domain', code: 'not_confirmed', message }])
  }
  const now = clock.now()
  if (!(await store.write(markDomainDeleted, { domain, now }))) {
    throw new Problem('not_found', 'The domain has been deleted.')
  }
  await cancelMailOf(store, domain, now)
}
