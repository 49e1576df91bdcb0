// The statistics of incidents: single functions, and simulated days with injected incidents of six kinds.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  countsUntil,
  DAY_MINUTES,
  dayGroups,
  groupsAt,
  type Injected,
  type SimulatedDay,
  sampleOf,
  simulateDay,
} from '../../test/support/simulated-days.ts'
import { thorough } from '../../test/support/thorough.ts'
import {
  countsWithin,
  findUnusual,
  groupsOf,
  incidentName,
  partOf,
  scopeOf,
  seriesOf,
} from './domain-look.ts'
import { narrowing, overSince, type Series, STEPS, unusual, upperTail, usualShare } from './statistics.ts'

/** Returns a series with the same attempts in each step; the last steps have these failures. */
const seriesWith = (attempts: number, failed: readonly number[]): Series => ({
  attempts: new Array(STEPS).fill(attempts),
  failed: [...new Array(STEPS - failed.length).fill(0), ...failed],
})

describe('the statistics of incidents', () => {
  test('compute the tails of the binomial distribution', () => {
    const exact = (failed: number, attempts: number, share: number): number => {
      let [sum, term] = [0, (1 - share) ** attempts]
      for (let count = 0; count <= attempts; count++) {
        if (count >= failed) sum += term
        term *= ((attempts - count) / (count + 1)) * (share / (1 - share))
      }
      return sum
    }
    for (const [failed, attempts, share] of [
      [4, 20, 0.01],
      [30, 60, 0.2],
      [12, 300, 0.02],
    ] as const) {
      const computed = upperTail(failed, attempts, share)
      assert.ok(Math.abs(computed / exact(failed, attempts, share) - 1) < 1e-9, `${failed} of ${attempts}`)
    }
    assert.equal(upperTail(1, 200, 0.02), 1)
    assert.ok(upperTail(200_000, 1_000_000, 0.1) < 1e-300)
    assert.ok(upperTail(20, 20, 0.01) > 0)
  })

  test('need a share that is high, unusual and improbable', () => {
    assert.equal(unusual(seriesWith(10, [0, 0, 0]), 0.01, 1), undefined)
    const found = unusual(seriesWith(10, [4, 5, 4]), 0.01, 1)
    assert.equal(found?.beganStep, STEPS - 3)
    // The same failures are usual at a receiver that always defers a third.
    assert.equal(unusual(seriesWith(10, [4, 5, 4]), 0.3, 1), undefined)
    // Nineteen attempts in six hours tell nothing.
    const few: Series = {
      attempts: seriesWith(0, []).attempts.map((_, step) => (step < 19 ? 1 : 0)),
      failed: seriesWith(0, []).failed.map((_, step) => (step < 19 ? 1 : 0)),
    }
    assert.equal(unusual(few, 0.01, 1), undefined)
  })

  test('end an incident after thirty minutes and twenty attempts below half', () => {
    const failed = [5, 5, 5, 5, 5, 5, 5]
    assert.equal(overSince(seriesWith(10, failed), STEPS - 7, 0.5), undefined)
    const healed = (steps: number) => seriesWith(10, [...failed, ...new Array<number>(steps).fill(0)])
    assert.equal(overSince(healed(5), STEPS - 12, 0.5), undefined)
    assert.equal(overSince(healed(7), STEPS - 14, 0.5), STEPS - 7)
    const rare: Series = {
      ...healed(7),
      attempts: healed(7).attempts.map((_, step) => (step < STEPS - 7 ? 10 : 2)),
    }
    assert.equal(overSince(rare, STEPS - 14, 0.5), undefined)
  })

  test('name the part of the mail that narrows an incident', () => {
    const parts = (...some: [string, number, number][]) =>
      new Map(some.map(([name, attempts, failed]) => [name, { attempts, failed }]))
    assert.equal(narrowing(parts(['a', 100, 40], ['b', 100, 1])), 'a')
    assert.equal(narrowing(parts(['a', 100, 40], ['b', 100, 30])), undefined)
    // All mail is in one part, or too little is in the other.
    assert.equal(narrowing(parts(['a', 100, 40])), undefined)
    assert.equal(narrowing(parts(['a', 100, 10], ['b', 5, 0])), undefined)
  })

  test('a short history counts little', () => {
    assert.ok(usualShare({ attempts: 0, failed: 0 }) < 0.02)
    assert.ok(usualShare({ attempts: 5, failed: 5 }) < 0.15)
    assert.ok(Math.abs(usualShare({ attempts: 100_000, failed: 30_000 }) - 0.3) < 0.001)
  })

  test('see the counts of the store as the simulation sees them', () => {
    const day = simulateDay(7, true)
    const counts = countsUntil(day, 0, 700)
    const seen = groupsOf(counts, 700 * 60_000)
    const expected = groupsAt(dayGroups(day), day, 700).filter(({ series }) =>
      series.failed.some((one) => one > 0),
    )
    const sorted = (groups: typeof seen) => groups.map((group) => JSON.stringify(group)).sort()
    assert.deepEqual(sorted(seen), sorted(expected))
  })
})

/** An incident that the looks of a day have opened. */
interface Opened {
  readonly name: string
  readonly minute: number
  readonly beganMinute: number
  /** Failures within the scope of the injected incident when the incident was opened. */
  readonly scope: Readonly<Record<string, string>>
}

/** Minutes after which an incident that was not injected may be opened again. */
const SAME_INCIDENT = 180
/** Minutes after the opening at which the scope is known. */
const REFINED = 30

/** Looks at each minute of a day with failures, twice, as the job does. */
function watch(day: SimulatedDay): Opened[] {
  const groups = dayGroups(day)
  // The history has the usual failures of seven days.
  const usual = new Map(
    groups.map((group) => {
      const attempts = 7 * group.attempts.reduce((sum, one) => sum + one, 0)
      return [keyOf(group), usualShare({ attempts, failed: Math.round(attempts * group.usual) })]
    }),
  )
  const opened: Opened[] = []
  let suspected = new Map<string, number>()
  const minutes = new Set(day.failingMinutes.flatMap((minute) => [minute, minute + 1]))
  for (const minute of [...minutes].sort((one, other) => one - other)) {
    if (minute >= DAY_MINUTES) break
    const found = findUnusual(groupsAt(groups, day, minute), (group) => usual.get(keyOf(group)) ?? 0.01)
    const now = new Map<string, number>()
    for (const { group, found: window } of found) {
      const name = incidentName(group)
      const last = opened.findLast((one) => one.name === name)
      if (last !== undefined && (name === day.injected?.name || minute - last.minute < SAME_INCIDENT))
        continue
      now.set(name, minute)
      const before = suspected.get(name)
      if (before === undefined || minute - before > 3) continue
      now.delete(name)
      const beganMinute = Math.max(0, (Math.floor(minute / 5) - (STEPS - 1) + window.beganStep) * 5)
      const scopeAt = (until: number) => {
        const counts = countsUntil(day, beganMinute / 5, until)
        return scopeOf(counts, sampleOf(day, counts), group)
      }
      const scope = { ...scopeAt(Math.min(minute + REFINED, DAY_MINUTES - 1)), ...scopeAt(minute) }
      opened.push({ name, minute, beganMinute, scope: scope as Opened['scope'] })
    }
    suspected = now
  }
  return opened
}

const keyOf = ({
  kind,
  provider,
  part,
}: Pick<ReturnType<typeof dayGroups>[number], 'kind' | 'provider' | 'part'>) =>
  `${kind} ${provider} ${JSON.stringify(part)}`

/** Returns the failures of an injected incident until a minute. */
function failuresUntil(day: SimulatedDay, injected: Injected, minute: number): number {
  const { kind, provider } = injected
  const listed = kind === 'list'
  const counts = countsUntil(day, Math.floor(injected.began / 5), minute)
  const within = countsWithin(counts, listed ? null : provider, partOf(injected.scope))
  const now = minute * 60_000
  return seriesOf(within, listed ? 'list' : 'replies', now).failed.reduce((sum, one) => sum + one, 0)
}

interface Figures {
  days: number
  injected: number
  onTime: number
  scopeRight: number
  beginningRight: number
  falseIncidents: number
  readonly missed: string[]
}

const none = (): Figures => ({
  ...{ days: 0, injected: 0, onTime: 0, scopeRight: 0, beginningRight: 0, falseIncidents: 0, missed: [] },
})

/** Seeds whose remainder by three is 2 are held out: no constant was chosen by their days. */
const isHeldOut = (seed: number): boolean => seed % 3 === 2

const MAX_MINUTES = 15
const MAX_FAILURES = 20

function run(days: number, incidents: number): { tuned: Figures; heldOut: Figures } {
  const figures = { tuned: none(), heldOut: none() }
  const every = days / incidents
  for (let seed = 0; seed < days; seed++) {
    const day = simulateDay(seed, Math.floor(seed / every) !== Math.floor((seed - 1) / every))
    const sum = isHeldOut(seed) ? figures.heldOut : figures.tuned
    sum.days++
    const { injected } = day
    const opened = watch(day)
    const isReal = (one: Opened): boolean =>
      one.name === injected?.name && one.minute >= injected.began && one.minute < injected.ended
    const wrong = opened.filter((one) => !isReal(one))
    sum.falseIncidents += wrong.length
    for (const one of wrong)
      sum.missed.push(
        `${seed} false ${one.name} at ${one.minute}, injected ${injected?.name} at ${injected?.began}`,
      )
    if (injected === undefined) continue
    sum.injected++
    const real = opened.find(isReal)
    const isSoon =
      real !== undefined &&
      (real.minute - injected.began <= MAX_MINUTES ||
        failuresUntil(day, injected, real.minute) <= MAX_FAILURES)
    if (isSoon) sum.onTime++
    else
      sum.missed.push(
        `${seed} ${injected.kind} ${real === undefined ? 'never' : real.minute - injected.began}`,
      )
    if (real === undefined) continue
    if (JSON.stringify(real.scope) === JSON.stringify(injected.scope)) sum.scopeRight++
    else
      sum.missed.push(
        `${seed} ${injected.kind} ${JSON.stringify(real.scope)} not ${JSON.stringify(injected.scope)}`,
      )
    if (Math.abs(real.beganMinute - injected.began) <= 10) sum.beginningRight++
  }
  return figures
}

/** Returns the figures in words. */
function inWords(name: string, figures: Figures): string {
  const { days, injected, onTime, scopeRight, beginningRight, falseIncidents } = figures
  return (
    `${name}: ${days} days, ${onTime} of ${injected} incidents opened in time, scope right ${scopeRight}, ` +
    `beginning right ${beginningRight}, ${falseIncidents} false (${(falseIncidents / (days / 30)).toFixed(2)} a month)`
  )
}

/** @param mostFalse maximum number of false incidents, beside one for each month */
function check(
  { tuned, heldOut }: ReturnType<typeof run>,
  mostFalse: number,
  tell: (text: string) => void,
): void {
  const both = [
    ['tuned', tuned],
    ['held out', heldOut],
  ] as const
  for (const [name, figures] of both) tell(inWords(name, figures))
  for (const [name, figures] of both) {
    const { days, injected, onTime, scopeRight, falseIncidents, missed } = figures
    const text = `${inWords(name, figures)}; ${missed.join('; ')}`
    assert.ok(onTime >= 0.95 * injected && scopeRight >= 0.95 * injected, text)
    assert.ok(falseIncidents <= Math.max(mostFalse, days / 30), text)
  }
}

/** Number of days of the longer simulation; the sixteen days of an incident are no multiple of the three of held-out days. */
const MANY_DAYS = Number(process.env.SIMULATED_DAYS ?? 2_400)

describe('simulated days', () => {
  test('some days with many incidents', (context) => {
    check(run(60, 30), 2, (text) => context.diagnostic(text))
  })

  test(
    `${MANY_DAYS} days with an incident in every sixteenth`,
    thorough('25 CPU s: looks at each minute of 2,400 days'),
    (context) => {
      check(run(MANY_DAYS, MANY_DAYS / 16), 0, (text) => context.diagnostic(text))
    },
  )
})
