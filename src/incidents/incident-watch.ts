// Looks for incidents every minute, on one node at a time: opens an incident when two looks in a row find the failures
// of a group unusual, keeps the figures of open incidents, and closes the incidents that are over.

import { type FailureKind, failureKind, type IncidentCause, type IncidentScope } from '../model/incident.ts'
import { reading } from '../store/database/store.ts'
import {
  domainsWithFailures,
  domainsWithIncidents,
  historyOf,
  incidentsSince,
  lastFailureAt,
  type StepCount,
  sampleAttempts,
  stepsOf,
} from '../store/incidents/incident-facts.ts'
import {
  COUNTS_KEPT_MS,
  changeIncident,
  closeIncident,
  forgetIncidents,
  type IncidentRow,
  openIncident,
} from '../store/incidents/incidents.ts'
import { type JobResources, SingletonJob } from '../store/node/singleton-jobs.ts'
import { STEP_MS } from '../store/readers/reply-counts.ts'
import {
  candidatesOf,
  countsWithin,
  evidenceOf,
  type Finding,
  figuresOf,
  findUnusual,
  firstStepAt,
  type Group,
  groupsOf,
  incidentName,
  partOf,
  scopeOf,
  seriesOf,
  seriesSince,
  stepAt,
  usualOf,
} from './domain-look.ts'
import type { IncidentNotices } from './incident-notices.ts'
import { overSince, shareOf, type Tally } from './statistics.ts'

const LOOK_EVERY_MS = 60_000
const JOB = {
  name: 'incidents',
  lease: 'look for incidents',
  leaseMs: 5 * LOOK_EVERY_MS,
  everyMs: LOOK_EVERY_MS,
  failure: 'incidents cannot be looked for',
} as const
/** Maximum time between the two looks that open an incident. */
const TWO_LOOKS_MS = 3 * LOOK_EVERY_MS
/** Period from which the usual share of failures is taken; the last hour may belong to the incident. */
const USUAL_MS = 7 * 86_400_000
const UNUSUAL_MS = 3_600_000
/** Time after which an incident without a further failure is over, although there were too few attempts to tell. */
const SILENT_MS = 86_400_000
/** Time after the opening in which the scope of an incident may still become known. */
const SCOPE_MS = 3_600_000
/** Period of the sample of attempts, at most. */
const SAMPLE_MS = 6 * 3_600_000
const FORGET_EVERY_MS = 3_600_000
const FORGET_ROWS = 5_000
/** Time for which closed incidents are kept. */
const KEPT_MS = 400 * 86_400_000

export interface IncidentWatchOptions extends JobResources {
  readonly notices: IncidentNotices
}

interface WatchedDomain {
  readonly accountId: string
  readonly domainId: string
}

export class IncidentWatch extends SingletonJob {
  readonly #options: IncidentWatchOptions
  /** Times of the last look that found a group unusual, by domain and incident. */
  #suspected: ReadonlyMap<string, number> = new Map()
  #forgotAt = Number.NEGATIVE_INFINITY

  constructor(options: IncidentWatchOptions) {
    super(options, JOB)
    this.#options = options
  }

  /** Looks at each domain with failures or open incidents once, and sends the pending mail. */
  protected async round(): Promise<void> {
    const { store, clock, log, notices } = this.#options
    const now = clock.now()
    const failing = await reading(domainsWithFailures(store.read, now - 2 * STEP_MS))
    const troubled = await reading(domainsWithIncidents(store.read))
    const domains = new Map<string, WatchedDomain & { readonly isDeleted?: boolean }>(
      [...failing, ...troubled].map((one) => [one.domainId, one]),
    )
    const suspected = new Map<string, number>()
    for (const domain of domains.values()) {
      if (!(await this.goesOn())) return
      try {
        if (domain.isDeleted) await this.#closeAll(domain, now)
        else await this.#look(domain, now, suspected)
      } catch (error) {
        log.error({ err: error, domainId: domain.domainId }, 'a domain could not be looked at for incidents')
      }
    }
    this.#suspected = suspected
    await notices.run()
    await this.#forget(now)
  }

  async #closeAll({ domainId }: WatchedDomain, now: number): Promise<void> {
    const { store } = this.#options
    for (const { name, state } of await reading(incidentsSince(store.read, domainId, now)))
      if (state === 'open') await store.write(closeIncident, { domainId, name, endedAt: now, now })
  }

  async #look(domain: WatchedDomain, now: number, suspected: Map<string, number>): Promise<void> {
    const { read } = this.#options.store
    const { domainId } = domain
    const counts = await reading(stepsOf(read, domainId, firstStepAt(now)))
    const incidents = await reading(incidentsSince(read, domainId, now - USUAL_MS))
    const isOpen = new Set<string>()
    for (const incident of incidents) {
      const kind = kindOf(incident)
      if (incident.state !== 'open' || kind === undefined) continue
      isOpen.add(incident.name)
      await this.#keep(incident, kind, counts, now)
    }
    const groups = groupsOf(counts, now)
      .filter((group) => !isOpen.has(incidentName(group)))
      .map((group) => ({ ...group, series: seriesSince(group.series, endOf(incidents, group), now) }))
    if (candidatesOf(groups).length === 0) return
    const period = { from: now - USUAL_MS, to: now - UNUSUAL_MS }
    const history = await reading(historyOf(read, domainId, period, troubledPeriods(incidents, now)))
    for (const finding of findUnusual(groups, (group) => usualOf(history, group))) {
      const key = `${domainId} ${incidentName(finding.group)}`
      const before = this.#suspected.get(key)
      if (before === undefined || now - before > TWO_LOOKS_MS) suspected.set(key, now)
      else await this.#open(domain, finding, counts, now)
    }
  }

  async #open(
    domain: WatchedDomain,
    { group, found, usual }: Finding,
    counts: readonly StepCount[],
    now: number,
  ): Promise<void> {
    const { store, log } = this.#options
    const { kind, provider } = group
    const beganAt = stepAt(found.beganStep, now)
    const since = counts.filter(({ at }) => at >= beganAt)
    const sample = await reading(
      sampleAttempts(store.read, domain.domainId, Math.max(beganAt, now - SAMPLE_MS)),
    )
    const scope = scopeOf(since, sample, group)
    const figures = figuresOf(countsWithin(since, provider, partOf(scope)), kind)
    const cause: IncidentCause = kind === 'list' ? 'list_quality' : (figures.category as IncidentCause)
    const code = figures.codes[0]?.[0] ?? null
    const { incidentId, isNew } = await store.write(openIncident, {
      ...domain,
      ...{ name: incidentName(group), cause, provider: provider === '' ? null : provider, code, scope },
      ...{ beganAt, usualShare: usual, now },
      ...{ attempts: figures.attempts, failed: figures.failed, recipients: figures.recipients },
      example: exampleOf(sample, group, figures.category),
      evidence: evidenceOf({ ...domain, cause, provider, code, figures }),
    })
    if (isNew) log.warn({ ...domain, incidentId, cause, provider, code }, 'an incident has begun')
  }

  /** Keeps the figures of an open incident, and closes the incident when it is over. */
  async #keep(
    incident: IncidentRow,
    kind: FailureKind,
    counts: readonly StepCount[],
    now: number,
  ): Promise<void> {
    const { store, log } = this.#options
    const { domain_id: domainId, name } = incident
    const provider = providerOf(incident)
    let scope: IncidentScope = JSON.parse(incident.scope)
    const beganAt = Number(incident.began_at)
    const within = countsWithin(counts, provider, partOf(scope))
    const began = (beganAt - firstStepAt(now)) / STEP_MS
    const stored: Tally = { attempts: Number(incident.attempts), failed: Number(incident.failed) }
    const over = overSince(seriesOf(within, kind, now), began, shareOf(stored))
    const endedAt = over === undefined ? await this.#silentSince(incident, within, now) : stepAt(over, now)
    // The counts reach back six hours; the figures of a longer incident stay as they were then.
    if (beganAt >= firstStepAt(now)) {
      const since = counts.filter(({ at }) => at >= beganAt && (endedAt === undefined || at < endedAt))
      let example = null
      if (now - Number(incident.noticed_at) < SCOPE_MS) {
        const sample = await reading(sampleAttempts(store.read, domainId, Math.max(beganAt, now - SAMPLE_MS)))
        scope = { ...scopeOf(since, sample, { kind, provider }), ...scope }
        if (incident.example_event === null)
          example = exampleOf(sample, { kind, provider }, kind === 'list' ? null : incident.cause)
      }
      const figures = figuresOf(countsWithin(since, provider, partOf(scope)), kind)
      const { cause, code } = incident
      const shown = { domainId, cause, provider, code, figures }
      await store.write(changeIncident, {
        ...{ id: incident.id, scope, example, evidence: evidenceOf(shown) },
        ...{ attempts: figures.attempts, failed: figures.failed, recipients: figures.recipients },
      })
    }
    if (endedAt === undefined) return
    if (await store.write(closeIncident, { domainId, name, endedAt, now }))
      log.info({ domainId, incidentId: incident.id }, 'an incident is over')
  }

  /** Returns the end of an incident without failures for a day; undefined if failures are more recent. */
  async #silentSince(
    incident: IncidentRow,
    within: readonly StepCount[],
    now: number,
  ): Promise<number | undefined> {
    if (within.some(({ category }) => category !== '')) return undefined
    const last = await reading(
      lastFailureAt(this.#options.store.read, incident.domain_id, providerOf(incident)),
    )
    const end = Math.max(Number(incident.began_at), last ?? 0) + STEP_MS
    return now - end >= SILENT_MS ? end : undefined
  }

  async #forget(now: number): Promise<void> {
    // The absolute difference is used, so that setting back the clock does not delay the next removal.
    if (Math.abs(now - this.#forgotAt) < FORGET_EVERY_MS) return
    const before = { countsBefore: now - COUNTS_KEPT_MS, endedBefore: now - KEPT_MS }
    while (await this.#options.store.write(forgetIncidents, { ...before, limit: FORGET_ROWS })) {
      if (this.stopping.aborted) return
    }
    this.#forgotAt = now
  }
}

/** Returns the kind of failures of an incident; undefined for an incident that another room has opened. */
const kindOf = ({ name }: Pick<IncidentRow, 'name'>): FailureKind | undefined =>
  name === 'list' ? 'list' : name.startsWith('replies ') ? 'replies' : undefined

/** Returns the provider of an incident of replies, empty for no known provider; null for an incident of a list. */
const providerOf = ({ name }: Pick<IncidentRow, 'name'>): string | null =>
  name.startsWith('replies ') ? name.slice('replies '.length) : null

/** Returns the end of the last incident of the same name, before which nothing is looked at. */
const endOf = (incidents: readonly IncidentRow[], group: Group): number =>
  Math.max(
    0,
    ...incidents
      .filter(({ name }) => name === incidentName(group))
      .map(({ ended_at }) => Number(ended_at ?? 0)),
  )

const troubledPeriods = (incidents: readonly IncidentRow[], now: number) =>
  incidents
    .filter((one) => kindOf(one) !== undefined)
    .map((one) => ({
      provider: providerOf(one),
      from: Number(one.began_at),
      to: one.ended_at === null ? now : Number(one.ended_at),
    }))

/** Returns the newest failure of an incident. */
function exampleOf(
  sample: Awaited<ReturnType<typeof sampleAttempts>>,
  { kind, provider }: Pick<Group, 'kind' | 'provider'>,
  category: string | null,
) {
  const failures = sample.filter(
    (one) => (provider === null || one.provider === provider) && failureKind(one.category, false) === kind,
  )
  return (failures.find((one) => one.category === category) ?? failures[0])?.example ?? null
}
