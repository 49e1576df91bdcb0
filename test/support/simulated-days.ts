// Simulated days of sending domains: counts of replies with usual failures that vary over the day, and incidents of six
// kinds. A seed determines a day.

import type { Group, MailPart } from '../../src/incidents/domain-look.ts'
import { STEPS } from '../../src/incidents/statistics.ts'
import type { FailureKind } from '../../src/model/incident.ts'
import type { SampledAttempt, StepCount } from '../../src/store/incidents/incident-facts.ts'
import { STEP_MS } from '../../src/store/readers/reply-counts.ts'

/** Kinds of injected incidents. */
const INCIDENT_KINDS = ['address', 'block', 'stream', 'network', 'list', 'slow'] as const
type InjectedKind = (typeof INCIDENT_KINDS)[number]

/** An incident of a simulated day. */
export interface Injected {
  readonly kind: InjectedKind
  /** Name of the incident, as `incidentName` returns it. */
  readonly name: string
  /** Minute of the day. */
  readonly began: number
  readonly ended: number
  readonly provider: string
  readonly source: string
  readonly stream: string
  readonly tag: string
  /** Share of failures within the scope. */
  readonly share: number
  /** The scope that the statistics have to find. */
  readonly scope: Readonly<Record<string, string>>
}

/** Numbers of one combination in each step of the day. */
interface Cell {
  readonly provider: string
  readonly source: string
  readonly stream: string
  readonly attempts: Uint32Array
  /** Failures of replies and of addresses that do not exist. */
  readonly replies: Uint32Array
  readonly list: Uint32Array
  /** Usual shares of failures. */
  readonly usualReplies: number
  readonly usualList: number
}

export interface SimulatedDay {
  readonly cells: readonly Cell[]
  readonly injected: Injected | undefined
  /** Minutes in which failures happened. */
  readonly failingMinutes: readonly number[]
  readonly random: () => number
}

const DAY_STEPS = 288
export const DAY_MINUTES = 1_440
const MINUTES = STEP_MS / 60_000
const PROVIDERS: readonly (readonly [string, number])[] = [
  ['Gmail', 0.42],
  ['Outlook.com', 0.2],
  ['Yahoo', 0.16],
  ['iCloud', 0.07],
  ['', 0.15],
]
const TAGS = ['receipt', 'reminder', 'import']

/** Returns a generator of numbers from 0 to 1 (Mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

function poisson(mean: number, random: () => number): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)))
  let product = random()
  let count = 0
  for (const least = Math.exp(-mean); product > least; count++) product *= random()
  return count
}

/** Returns the number of failures among attempts. */
function binomial(attempts: number, share: number, random: () => number): number {
  if (attempts === 0 || share <= 0) return 0
  if (attempts * share > 30 && attempts * (1 - share) > 30) {
    const spread = Math.sqrt(attempts * share * (1 - share))
    return Math.min(attempts, Math.max(0, Math.round(attempts * share + spread * normal(random))))
  }
  let failed = 0
  for (let one = 0; one < attempts; one++) if (random() < share) failed++
  return failed
}

const between = (from: number, to: number, random: () => number): number =>
  Math.exp(Math.log(from) + random() * (Math.log(to) - Math.log(from)))

/** Returns a day; with `hasIncident`, an incident begins at a time with enough mail in its scope. */
export function simulateDay(seed: number, hasIncident: boolean): SimulatedDay {
  const random = randomOf(seed)
  const volume = between(hasIncident ? 10_000 : 500, 200_000, random)
  const sources = random() < 0.5 ? ['192.0.2.7'] : ['192.0.2.7', '192.0.2.8']
  const streams = ['transactional', 'broadcast', 'invoices'].slice(0, 1 + Math.floor(random() * 3))
  const kind = INCIDENT_KINDS[Math.floor(random() * INCIDENT_KINDS.length)] as InjectedKind
  const injected = hasIncident ? injectedOf(kind, sources, streams, random) : undefined
  const shares = PROVIDERS.map(() => between(0.001, 0.03, random))
  const unknown = between(0.002, 0.015, random)
  // The usual failures of a provider go up and down from hour to hour.
  const moods = PROVIDERS.map(() => Array.from({ length: 24 }, () => Math.exp(0.3 * normal(random))))
  const cells: Cell[] = []
  for (const [index, [provider, part]] of PROVIDERS.entries()) {
    for (const [at, stream] of streams.entries()) {
      for (const source of sources) {
        const ofStream = streams.length === 1 ? 1 : at === 0 ? 0.6 : 0.4 / (streams.length - 1)
        const cell: Cell = {
          ...{ provider, source, stream },
          attempts: new Uint32Array(DAY_STEPS),
          replies: new Uint32Array(DAY_STEPS),
          list: new Uint32Array(DAY_STEPS),
          usualReplies: shares[index] ?? 0.01,
          usualList: unknown,
        }
        fill(cell, (volume * part * ofStream) / sources.length, moods[index] ?? [], injected, random)
        cells.push(cell)
      }
    }
  }
  return { cells, injected, failingMinutes: minutesOf(cells, injected, random), random }
}

function injectedOf(
  kind: InjectedKind,
  sources: readonly string[],
  streams: readonly string[],
  random: () => number,
): Injected {
  const pick = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)] as T
  const provider = pick(PROVIDERS.slice(0, 3))[0]
  const [source, stream, tag] = [pick(sources), pick(streams), 'import']
  const began = 360 + Math.floor(random() * 720)
  const share = { address: 0.3, block: 1, stream: 0.6, network: 0.5, list: 0.35, slow: 0.5 }[kind]
  return {
    ...{ kind, provider, source, stream, tag, share, began },
    ended: began + 90 + Math.floor(random() * 120),
    name: kind === 'list' ? 'list' : `replies ${provider}`,
    scope: {
      ...((kind === 'stream' || kind === 'list') && streams.length > 1 ? { stream } : {}),
      ...(kind === 'list' ? { tag } : {}),
      ...(kind === 'address' && sources.length > 1 ? { source_address: source } : {}),
    },
  }
}

/** Time in minutes over which a slow incident grows to its full share. */
const GROWTH = 30

/** Returns the additional share of failures of a cell at a minute. */
function extraShare(cell: Cell, one: Injected | undefined, minute: number): number {
  if (one === undefined || minute < one.began || minute >= one.ended) return 0
  const { kind, provider, source, stream, share } = one
  if (kind === 'list') return cell.stream === stream ? share : 0
  if (cell.provider !== provider) return 0
  if (kind === 'address') return cell.source === source ? share : 0
  if (kind === 'stream') return cell.stream === stream ? share : 0
  return kind === 'slow' ? share * Math.min(1, (minute - one.began) / GROWTH) : share
}

function fill(
  cell: Cell,
  volume: number,
  moods: readonly number[],
  injected: Injected | undefined,
  random: () => number,
): void {
  for (let step = 0; step < DAY_STEPS; step++) {
    const busy = 1 - 0.7 * Math.cos((2 * Math.PI * step) / DAY_STEPS)
    const attempts = poisson((volume * busy) / DAY_STEPS, random)
    cell.attempts[step] = attempts
    const mood = moods[Math.floor(step / 12)] ?? 1
    let extra = 0
    for (let minute = 0; minute < MINUTES; minute++)
      extra += extraShare(cell, injected, step * MINUTES + minute) / MINUTES
    const isList = injected?.kind === 'list'
    const replies = Math.min(1, cell.usualReplies * mood + (isList ? 0 : extra))
    const lost = binomial(attempts, replies, random)
    cell.replies[step] = lost
    cell.list[step] = binomial(attempts - lost, Math.min(1, cell.usualList + (isList ? extra : 0)), random)
  }
}

/** Returns the minutes with failures: the failures of a step are spread over its minutes, or over the incident's. */
function minutesOf(cells: readonly Cell[], injected: Injected | undefined, random: () => number): number[] {
  const minutes = new Set<number>()
  for (let step = 0; step < DAY_STEPS; step++) {
    let failures = 0
    for (const { replies, list } of cells) failures += (replies[step] ?? 0) + (list[step] ?? 0)
    for (let one = 0; one < Math.min(failures, 20); one++)
      minutes.add(step * MINUTES + Math.floor(random() * MINUTES))
    if (injected !== undefined && Math.floor(injected.began / MINUTES) === step)
      minutes.add(injected.began + 1)
  }
  return [...minutes].sort((one, other) => one - other)
}

/** Returns the counts of the steps before a minute, as the store has them; the step under way counts in part. */
export function countsUntil({ cells, injected }: SimulatedDay, from: number, minute: number): StepCount[] {
  const last = Math.floor(minute / MINUTES)
  const counts: StepCount[] = []
  for (const { provider, source, stream, attempts, replies, list } of cells) {
    for (let step = Math.max(0, from); step <= Math.min(last, DAY_STEPS - 1); step++) {
      const [tried = 0, lost = 0, unknown = 0] = [attempts[step], replies[step], list[step]]
      const until = step === last ? minute - step * MINUTES : MINUTES
      const count = (category: StepCount['category'], code: string, number: number): void => {
        if (number <= 0) return
        counts.push({
          ...{ at: step * STEP_MS, stream, provider, source, category, code },
          ...{ attempts: number, recipients: number },
        })
      }
      const passed = Math.round((tried * until) / MINUTES)
      // The failures of the first step of an incident happen after its beginning.
      const start = injected === undefined ? 0 : Math.max(0, injected.began - step * MINUTES)
      const part =
        step === last && start < MINUTES ? clamp((until - start) / (MINUTES - start)) : until / MINUTES
      const [failed, absent] = [Math.round(lost * part), Math.round(unknown * part)]
      count('rate_limited', '4.7.0', Math.min(failed, passed))
      count('mailbox_not_found', '5.1.1', Math.min(absent, Math.max(0, passed - failed)))
      count('', '', passed - failed - absent)
    }
  }
  return counts
}

/** Sums of the cells of a group, for each step of the day. */
interface DayGroup {
  readonly kind: FailureKind
  readonly provider: string | null
  readonly part: MailPart
  readonly attempts: Uint32Array
  readonly failed: Uint32Array
  /** Usual share of failures. */
  readonly usual: number
}

/** Returns the groups of a day, in the order of `groupsOf`. */
export function dayGroups({ cells }: SimulatedDay): DayGroup[] {
  const groups: DayGroup[] = []
  const add = (kind: FailureKind, provider: string | null, part: MailPart): void => {
    const attempts = new Uint32Array(DAY_STEPS)
    const failed = new Uint32Array(DAY_STEPS)
    let [weight, usual] = [0, 0]
    for (const cell of cells) {
      if (provider !== null && cell.provider !== provider) continue
      if (part.stream !== undefined && part.stream !== cell.stream) continue
      if (part.source !== undefined && part.source !== cell.source) continue
      const lost = kind === 'list' ? cell.list : cell.replies
      const volume = cell.attempts.reduce((sum, one) => sum + one, 0)
      weight += volume
      usual += volume * (kind === 'list' ? cell.usualList : cell.usualReplies)
      for (let step = 0; step < DAY_STEPS; step++) {
        attempts[step]! += cell.attempts[step]!
        failed[step]! += lost[step]!
      }
    }
    groups.push({ kind, provider, part, attempts, failed, usual: weight === 0 ? 0 : usual / weight })
  }
  const streams = [...new Set(cells.map(({ stream }) => stream))]
  const sources = [...new Set(cells.map(({ source }) => source))]
  const withParts = (kind: FailureKind, provider: string | null): void => {
    add(kind, provider, {})
    if (streams.length > 1) for (const stream of streams) add(kind, provider, { stream })
    if (kind === 'replies' && sources.length > 1)
      for (const source of sources) add(kind, provider, { source })
  }
  for (const provider of new Set(cells.map((cell) => cell.provider))) withParts('replies', provider)
  withParts('list', null)
  return groups
}

/** Returns the groups as a look at a minute finds them. */
export function groupsAt(groups: readonly DayGroup[], day: SimulatedDay, minute: number): Group[] {
  const last = Math.floor(minute / MINUTES)
  const until = minute - last * MINUTES
  const first = last - (STEPS - 1)
  const start = day.injected === undefined ? 0 : Math.max(0, day.injected.began - last * MINUTES)
  const part = start < MINUTES ? clamp((until - start) / (MINUTES - start)) : until / MINUTES
  return groups.map(({ kind, provider, part: mail, attempts, failed }) => {
    const within = (counts: Uint32Array, share: number): number[] => {
      const series = new Array<number>(STEPS).fill(0)
      for (let step = Math.max(0, first); step <= last && step < DAY_STEPS; step++) {
        const count = counts[step] as number
        series[step - first] = step === last ? Math.round(count * share) : count
      }
      return series
    }
    const tried = within(attempts, until / MINUTES)
    const lost = within(failed, part)
    lost[STEPS - 1] = Math.min(lost[STEPS - 1] as number, tried[STEPS - 1] as number)
    return { kind, provider, part: mail, series: { attempts: tried, failed: lost } }
  })
}

const clamp = (share: number): number => Math.min(1, Math.max(0, share))

const MAX_SAMPLE = 1_000

/** Returns a sample of single attempts among counts; the failures of an injected list are those of its tag. */
export function sampleOf({ injected, random }: SimulatedDay, counts: readonly StepCount[]): SampledAttempt[] {
  const total = counts.reduce((sum, { attempts }) => sum + attempts, 0)
  const every = Math.max(1, total / MAX_SAMPLE)
  const sample: SampledAttempt[] = []
  let due = 0
  for (const { attempts, provider, category, stream } of counts) {
    for (due += attempts; due >= every; due -= every) {
      const isOfList =
        injected?.kind === 'list' && category === 'mailbox_not_found' && stream === injected.stream
      const tag = isOfList && random() < 0.97 ? injected.tag : (TAGS[Math.floor(random() * 3)] ?? null)
      const keyId = random() < 0.5 ? 'key_1' : 'key_2'
      sample.push({ example: { messageId: 'msg', eventId: 'evt' }, provider, category, stream, tag, keyId })
    }
  }
  return sample
}
