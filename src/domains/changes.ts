// Changes, pauses, resumes and deletes sending domains.

import { type RecordKind, type RotationInterval, recordKind } from '../model/domain.ts'
import { type GuardSettings, guardColumns } from '../model/finding.ts'
import type { InboundMtaSts, InboundMx } from '../model/inbound-policy.ts'
import { changedMeanwhile, type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import { type Retention, type RetentionDays, retentionProblems } from '../model/retention.ts'
import { type TrackingWishes, trackingProblems, wantsTracking } from '../model/tracking.ts'
import { type Domain, listDomainRecords } from '../store/domains/domain-rows.ts'
import {
  type DomainOptions,
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

/**
 * Settings of a new domain, or changes of the settings of a domain. An omitted field of a change keeps its value, and
 * null resets a field to its default.
 */
export interface DomainChanges
  extends Partial<RetentionDays>,
    Partial<RotationInterval>,
    TrackingWishes,
    GuardSettings {
  readonly cfbl?: boolean
  readonly mta_sts?: InboundMtaSts
}

/**
 * Returns all validation problems of settings of a domain. A new domain, which is undefined, cannot track, because its
 * tracking host is not published yet.
 */
export async function changeProblems(
  { store }: DomainResources,
  domain: Domain | undefined,
  changes: DomainChanges,
  installation: InstallationLimits,
): Promise<FieldProblem[]> {
  const problems = [
    ...retentionProblems(changes, installation.retention, 'installation'),
    ...(await mtaStsProblems(store, domain, changes.mta_sts, installation)),
  ]
  if (!wantsTracking(changes)) return problems
  if (domain === undefined) return [...problems, ...trackingOfNew(changes)]
  return [...problems, ...trackingProblems(changes, await findTrackingRecord(store.read, domain.id))]
}

/** Settings of the installation that limit the settings of domains. */
export interface InstallationLimits {
  /** Retention of messages, which no domain may exceed. */
  readonly retention: Retention
  /** True if the mail host presents a certificate of an authority, as senders require that obey MTA-STS. */
  readonly hasCertificate: boolean
}

/** Records without which mail from senders that obey the policy would be lost, or the policy would not be found. */
const PUBLISHES_POLICY: ReadonlySet<RecordKind> = new Set(['inbound_mx', 'mta_sts_host', 'mta_sts'])

/**
 * Returns the problem of the mode `enforce` for a domain whose mail would be lost: senders that obey the policy deliver
 * only to the mail host that the policy names, and only if the host has a valid certificate (RFC 8461 §5).
 */
async function mtaStsProblems(
  { read }: DomainResources['store'],
  domain: Domain | undefined,
  mode: InboundMtaSts | undefined,
  { hasCertificate }: InstallationLimits,
): Promise<FieldProblem[]> {
  if (mode !== 'enforce' || domain?.mta_sts === 'enforce') return []
  const problem = (code: string, message: string): FieldProblem[] => [{ path: 'mta_sts', code, message }]
  if (!hasCertificate) {
    return problem(
      'no_certificate',
      'The mail host has no certificate of an authority, which senders would require; ask the operator to set POSTRIDER_ACME_EMAIL or POSTRIDER_SMTP_TLS_CERT.',
    )
  }
  if (domain?.mta_sts !== 'testing') {
    return problem(
      'testing_first',
      'Set the mode testing first, and publish the records that the domain then has.',
    )
  }
  const records = await listDomainRecords(read, domain.account_id, domain.id)
  const ofHosts = records.filter(({ purpose }) => PUBLISHES_POLICY.has(recordKind(purpose)))
  const missing = ofHosts.find(({ status }) => status !== 'found')
  if (ofHosts.length === 0) {
    return problem(
      'no_inbound_stream',
      'No inbound stream of the domain has an address; add an address first.',
    )
  }
  if (missing === undefined) return []
  return problem(
    'record_missing',
    `The ${missing.type} record ${missing.name} was not found; publish the record, verify the domain, and then change the mode.`,
  )
}

/** Returns a problem for each field that requests tracking of a domain that is being added. */
const trackingOfNew = (wishes: TrackingWishes): FieldProblem[] =>
  trackingProblems(wishes, undefined).map((problem) => ({
    ...problem,
    message:
      'Links in tracked mail lead to the tracking host of the domain; add the domain, publish its tracking record, verify the domain, and then change this.',
  }))

/** Returns the columns of settings of a domain. */
export function settingsOf({
  track_opens,
  track_links,
  cfbl,
  mta_sts,
  guard,
  ignore,
  ...days
}: DomainChanges): Partial<DomainOptions> {
  return {
    ...days,
    ...(track_opens === undefined ? {} : { track_opens: track_opens ? 1 : 0 }),
    ...(track_links === undefined ? {} : { track_links: track_links ? 1 : 0 }),
    ...(cfbl === undefined ? {} : { cfbl: cfbl ? 1 : 0 }),
    ...(mta_sts === undefined ? {} : { mta_sts }),
    ...guardColumns({ guard, ignore }),
  }
}

/** How a change that was confirmed or conditioned is to be made. */
export interface IfUnchanged {
  /** The domain as the caller has seen it; the change is refused if the domain is another one by now. */
  readonly seen?: Domain | undefined
}

/**
 * Changes settings of a domain. Throws `validation_failed` for a retention that is longer than the installation's
 * retention, for tracking before the DNS record of the tracking host was found, and for the mode `enforce` before the
 * policy is published; `changed_meanwhile` for a domain that differs from `seen`.
 */
export async function changeDomain(
  resources: DomainResources,
  domain: Domain,
  wanted: DomainChanges & IfUnchanged,
  installation: InstallationLimits & { readonly mx: InboundMx },
): Promise<DomainWithRecords> {
  const { seen, ...fields } = wanted
  const problems = await changeProblems(resources, domain, fields, installation)
  if (problems.length > 0) throw invalidFields(problems)
  const { store, clock } = resources
  const { mta_sts: mode, ...changes } = settingsOf(fields)
  const inbound = mode && { mode, mx: installation.mx }
  const change = { domain, seen, changes, inbound, now: clock.now() }
  const changed = await store.write(setDomainOptions, change)
  if (changed === 'other_version') throw changedMeanwhile()
  if (changed === undefined) throw new Problem('not_found', 'The domain has been deleted.')
  return { domain: changed, records: await listDomainRecords(store.read, domain.account_id, domain.id) }
}

/**
 * Deletes a domain. API keys of the domain stop working at once, and queued messages are cancelled; attempts in
 * progress continue to their end. Bounces, complaints and unsubscribe links of earlier messages keep working. Throws
 * `changed_meanwhile` for a domain that differs from `seen`.
 */
export async function deleteDomain(
  { store, clock }: DomainResources,
  domain: Domain,
  { seen }: IfUnchanged = {},
): Promise<void> {
  const now = clock.now()
  const deleted = await store.write(markDomainDeleted, { domain, seen, now })
  if (deleted === 'other_version') throw changedMeanwhile()
  if (deleted === 'gone') throw new Problem('not_found', 'The domain has been deleted.')
  await cancelMailOf(store, domain, now)
}
