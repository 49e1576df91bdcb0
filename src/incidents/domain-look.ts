// Looks at the counts of one domain: the groups of failures that may be incidents, and the scope of an incident.

import {
  type FailureKind,
  failureKind,
  type IncidentCause,
  type IncidentEvidence,
  type IncidentScope,
} from '../model/incident.ts'
import { CATALOGUE, wordingOf } from '../model/incident-catalogue.ts'
import { GREYLISTED } from '../model/reply-code.ts'
import type { CombinationSum, SampledAttempt, StepCount } from '../store/incidents/incident-facts.ts'
import { OTHER, STEP_MS } from '../store/readers/reply-counts.ts'
import {
  maybeUnusual,
  narrowing,
  plus,
  type Series,
  STEPS,
  type Tally,
  type Unusual,
  unusual,
  usualShare,
} from './statistics.ts'

/** Part of the mail that is looked at by itself. */
export interface MailPart {
  readonly stream?: string
  readonly source?: string
}

/** Failures of one kind, at one provider or of the whole domain, in all mail or in a part of it. */
export interface Group {
  readonly kind: FailureKind
  /** Provider, empty for the hosts of no known provider; null for the whole domain. */
  readonly provider: string | null
  readonly part: MailPart
  readonly series: Series
}

/** Returns the name of the incident that a group belongs to; all parts of the mail belong to one incident. */
export const incidentName = ({ kind, provider }: Pick<Group, 'kind' | 'provider'>): string =>
  kind === 'list' ? 'list' : `replies ${provider}`

type Combination = Pick<StepCount, 'stream' | 'provider' | 'source' | 'category' | 'code'>

/** Returns the provider of a count; combinations beyond the maximum count as hosts of no known provider. */
const providerOf = ({ provider }: Combination): string => (provider === OTHER ? '' : provider)

const kindOf = ({ category, code }: Combination): FailureKind | undefined =>
  failureKind(category, code === GREYLISTED)

/** Returns the start of the first step of the series that ends now. */
export const firstStepAt = (now: number): number => now - (now % STEP_MS) - (STEPS - 1) * STEP_MS

/** Returns the groups of a domain with failures: each provider, its streams and own addresses, and the recipients. */
export function groupsOf(counts: readonly StepCount[], now: number): Group[] {
  const groups: Group[] = []
  const live = counts.filter(({ at }) => at >= firstStepAt(now) && at <= now)
  for (const [provider, some] of Map.groupBy(live, providerOf)) {
    if (some.some((one) => kindOf(one) === 'replies'))
      groups.push(...withParts('replies', provider, some, now))
  }
  if (live.some((one) => kindOf(one) === 'list')) groups.push(...withParts('list', null, live, now))
  return groups
}

function withParts(
  kind: FailureKind,
  provider: string | null,
  counts: readonly StepCount[],
  now: number,
): Group[] {
  const group = (part: MailPart, some: readonly StepCount[]): Group => ({
    ...{ kind, provider, part },
    series: seriesOf(some, kind, now),
  })
  const byStream = Map.groupBy(counts, ({ stream }) => stream)
  const bySource = Map.groupBy(counts, ({ source }) => source)
  const hasFailure = (some: readonly StepCount[]): boolean => some.some((one) => kindOf(one) === kind)
  const parts = (
    by: ReadonlyMap<string, readonly StepCount[]>,
    partOf: (name: string) => MailPart,
  ): Group[] =>
    by.size < 2
      ? []
      : [...by].filter(([, some]) => hasFailure(some)).map(([name, some]) => group(partOf(name), some))
  return [
    group({}, counts),
    ...parts(byStream, (stream) => ({ stream })),
    // An address has no part in the quality of a list.
    ...(kind === 'list' ? [] : parts(bySource, (source) => ({ source }))),
  ]
}

/** Sums counts by steps of five minutes. */
export function seriesOf(counts: readonly StepCount[], kind: FailureKind, now: number): Series {
  const attempts = new Array<number>(STEPS).fill(0)
  const failed = new Array<number>(STEPS).fill(0)
  const first = firstStepAt(now)
  for (const count of counts) {
    const step = (count.at - first) / STEP_MS
    if (step < 0 || step >= STEPS) continue
    attempts[step] = (attempts[step] ?? 0) + count.attempts
    if (kindOf(count) === kind) failed[step] = (failed[step] ?? 0) + count.attempts
  }
  return { attempts, failed }
}

/** Returns a series without its steps before a time, which belong to an earlier incident. */
export function seriesSince({ attempts, failed }: Series, from: number, now: number): Series {
  const steps = Math.max(0, Math.ceil((from - firstStepAt(now)) / STEP_MS))
  const cut = (some: readonly number[]) => some.map((count, step) => (step < steps ? 0 : count))
  return { attempts: cut(attempts), failed: cut(failed) }
}

/** Returns the time at which a step of the series that ends now begins. */
export const stepAt = (step: number, now: number): number => firstStepAt(now) + step * STEP_MS

const isIn = (part: MailPart, { stream, source }: Combination): boolean =>
  (part.stream === undefined || part.stream === stream) &&
  (part.source === undefined || part.source === source)

/** Returns the counts of the mail that an incident concerns. */
export const countsWithin = <Count extends Combination>(
  counts: readonly Count[],
  provider: string | null,
  part: MailPart,
): Count[] => counts.filter((one) => (provider === null || providerOf(one) === provider) && isIn(part, one))

export const partOf = ({ stream, source_address: source }: IncidentScope): MailPart => ({
  ...(stream === undefined ? {} : { stream }),
  ...(source === undefined ? {} : { source }),
})

const tallyOf = (some: readonly (Combination & { readonly attempts: number })[], kind: FailureKind): Tally =>
  some.reduce<Tally>(
    (sum, one) => plus(sum, { attempts: one.attempts, failed: kindOf(one) === kind ? one.attempts : 0 }),
    { attempts: 0, failed: 0 },
  )

/** Returns the usual share of failures of a group, from the history of its domain. */
export function usualOf(history: readonly CombinationSum[], { kind, provider, part }: Group): number {
  const whole = usualShare(tallyOf(countsWithin(history, provider, {}), kind))
  const isPart = part.stream !== undefined || part.source !== undefined
  return isPart ? usualShare(tallyOf(countsWithin(history, provider, part), kind), whole) : whole
}

/** A group with unusual failures, and its usual share of failures. */
export interface Finding {
  readonly group: Group
  readonly found: Unusual
  readonly usual: number
}

/** Returns the groups that may be unusual, whatever is usual. */
export const candidatesOf = (groups: readonly Group[]): Group[] =>
  groups.filter(({ series }) => maybeUnusual(series))

/** Returns the unusual groups, at most one for each incident: all mail before the parts of the mail. */
export function findUnusual(groups: readonly Group[], usualOfGroup: (group: Group) => number): Finding[] {
  const found = new Map<string, Finding>()
  for (const group of candidatesOf(groups)) {
    const name = incidentName(group)
    if (found.has(name)) continue
    const usual = usualOfGroup(group)
    const window = unusual(group.series, usual, groups.length)
    if (window !== undefined) found.set(name, { group, found: window, usual })
  }
  return [...found.values()]
}

/** Figures of an incident: its attempts and failures, and the failures by category and by code. */
export interface FailureFigures extends Tally {
  /** Number of recipients whose first attempt failed. */
  readonly recipients: number
  /** Category of most failures. */
  readonly category: string
  /** Codes with their numbers of failures, the most frequent first. */
  readonly codes: readonly (readonly [code: string, failed: number])[]
}

/** Returns the figures of the failures of a kind among counts. */
export function figuresOf(counts: readonly StepCount[], kind: FailureKind): FailureFigures {
  const failures = counts.filter((one) => kindOf(one) === kind)
  const sumsBy = (name: 'category' | 'code') =>
    [...Map.groupBy(failures, (one) => one[name])]
      .map(([value, some]) => [value, some.reduce((sum, { attempts }) => sum + attempts, 0)] as const)
      .sort((one, other) => other[1] - one[1])
  return {
    ...tallyOf(counts, kind),
    recipients: failures.reduce((sum, { recipients }) => sum + recipients, 0),
    category: sumsBy('category')[0]?.[0] ?? 'other',
    codes: sumsBy('code').filter(([code]) => code !== ''),
  }
}

/**
 * Returns the part of the mail that an incident concerns: its own address and its stream by the counts since its
 * beginning, and its tag and its key by a sample of the attempts.
 */
export function scopeOf(
  counts: readonly StepCount[],
  sample: readonly SampledAttempt[],
  { kind, provider }: Pick<Group, 'kind' | 'provider'>,
): IncidentScope {
  const within = countsWithin(counts, provider, {})
  const byCounts = (name: 'stream' | 'source'): string | undefined =>
    named(
      new Map(
        Map.groupBy(within, (one) => one[name])
          .entries()
          .map(([value, some]) => [value, tallyOf(some, kind)] as const),
      ),
    )
  const attempts = sample.filter((one) => provider === null || one.provider === provider)
  const bySample = (name: 'tag' | 'keyId'): string | undefined =>
    named(
      new Map(
        Map.groupBy(attempts, (one) => one[name] ?? '')
          .entries()
          .map(([value, some]) => [
            value,
            {
              attempts: some.length,
              failed: some.filter(({ category }) => failureKind(category, false) === kind).length,
            },
          ]),
      ),
    )
  const source = kind === 'list' ? undefined : byCounts('source')
  const [stream, tag, key] = [byCounts('stream'), bySample('tag'), bySample('keyId')]
  return {
    ...(stream === undefined ? {} : { stream }),
    ...(tag === undefined ? {} : { tag }),
    ...(key === undefined ? {} : { key_id: key }),
    ...(source === undefined ? {} : { source_address: source }),
  }
}

/** Returns the value that narrows an incident, if the value is a name. */
function named(parts: ReadonlyMap<string, Tally>): string | undefined {
  const name = narrowing(parts)
  return name === '' || name === OTHER ? undefined : name
}

const MAX_CODES = 5

interface Found {
  readonly domainId: string
  readonly cause: IncidentCause
  readonly provider: string | null
  readonly code: string | null
  readonly figures: FailureFigures
}

/** Returns the evidence of an incident, the replies first. */
export function evidenceOf({ domainId, cause, provider, code, figures }: Found): IncidentEvidence[] {
  const { attempts, failed, codes } = figures
  const counted = codes.slice(0, MAX_CODES).map(([name, count]) => `${name} (${count})`)
  const { check } = CATALOGUE[wordingOf(cause, provider, code)]
  const ofDomain = `/domains/${domainId}`
  return [
    {
      wording: 'replies',
      values: { failed, attempts, codes: counted.length === 0 ? '–' : counted.join(', ') },
      link: `${ofDomain}/messages`,
    },
    ...(check === undefined
      ? []
      : [
          {
            wording: check,
            values: {},
            link: check === 'check_address' ? '/operator/health' : `${ofDomain}/dns`,
          },
        ]),
  ]
}
