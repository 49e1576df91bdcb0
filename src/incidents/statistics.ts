// The statistics of incidents, as pure functions over counts of five minutes: is a share of failures unusual, when did
// the failures begin, are they over, and which part of the mail do they concern.

/** Attempts and failures in consecutive steps of five minutes, oldest first; the last step is under way. */
export interface Series {
  readonly attempts: readonly number[]
  readonly failed: readonly number[]
}

/** Attempts and failures of a period. */
export interface Tally {
  readonly attempts: number
  readonly failed: number
}

/** Number of steps in a series: six hours, and the step under way. */
export const STEPS = 73

/** Minimum number of attempts in a window. */
const LEAST_ATTEMPTS = 20
/** Minimum share of failures of an incident. */
const LEAST_SHARE = 0.05
/** The share of failures has to exceed this multiple of the usual share, and the usual share by this difference. */
const TIMES_USUAL = 3
const MORE_THAN_USUAL = 0.02
/** Maximum probability of the failures if the usual share held, and a bit more, because it varies from hour to hour. */
const MAX_CHANCE = 1e-4
const VARIATION = 1.3
/** The same for a window that is shorter than the windows of the other looks, for sudden failures. */
const MAX_CHANCE_SUDDEN = 1e-6

/** Shortest window of a look, in steps, and the windows that follow if the shortest window shows nothing. */
const FIRST_STEPS = 3
const LONGER_STEPS = [6, 12, 24, STEPS]
/** Window for sudden failures: the step under way and the step before. */
const SUDDEN_STEPS = 2

/** A window with an unusual share of failures. */
export interface Unusual extends Tally {
  readonly share: number
  /** Index of the step in which the failures began. */
  readonly beganStep: number
}

export const shareOf = ({ attempts, failed }: Tally): number => (attempts === 0 ? 0 : failed / attempts)

/** Sums a series from an index to the end, or to another index, exclusive. */
function tally({ attempts, failed }: Series, from: number, to = attempts.length): Tally {
  const sum = { attempts: 0, failed: 0 }
  for (let step = Math.max(0, from); step < to; step++) {
    sum.attempts += attempts[step] ?? 0
    sum.failed += failed[step] ?? 0
  }
  return sum
}

/** True if a window of the series may be unusual, whatever the usual share is; costs little. */
export const maybeUnusual = (series: Series): boolean =>
  windowsOf(series).some(([, window]) => shareOf(window) >= LEAST_SHARE)

/**
 * Returns the shortest window of a series whose failures are unusual; undefined if no window is. `combinations` is the
 * number of series that are looked at together: the more series, the more likely one is unusual by chance.
 */
export function unusual(series: Series, usualShare: number, combinations: number): Unusual | undefined {
  for (const [isSudden, window] of windowsOf(series)) {
    const share = shareOf(window)
    if (share < LEAST_SHARE || share < TIMES_USUAL * usualShare + MORE_THAN_USUAL) continue
    const most = (isSudden ? MAX_CHANCE_SUDDEN : MAX_CHANCE) / combinations
    if (upperTail(window.failed, window.attempts, Math.min(1, VARIATION * usualShare)) >= most) continue
    return { ...window, share, beganStep: beginning(series, usualShare, share) }
  }
  return undefined
}

/** Returns the windows of a look, each with enough attempts, the shortest first. */
function windowsOf(series: Series): (readonly [isSudden: boolean, window: Tally])[] {
  const { length } = series.attempts
  const windows: (readonly [boolean, Tally])[] = []
  const sudden = tally(series, length - SUDDEN_STEPS)
  if (sudden.attempts >= LEAST_ATTEMPTS) windows.push([true, sudden])
  let { attempts, failed } = tally(series, length - FIRST_STEPS)
  let steps = FIRST_STEPS
  for (; attempts < LEAST_ATTEMPTS && steps < length; steps++) {
    attempts += series.attempts[length - steps - 1] ?? 0
    failed += series.failed[length - steps - 1] ?? 0
  }
  if (attempts < LEAST_ATTEMPTS) return windows
  windows.push([false, { attempts, failed }])
  for (const longer of LONGER_STEPS) if (longer > steps) windows.push([false, tally(series, length - longer)])
  return windows
}

/**
 * Returns the step in which the failures began: the running sum of surprise (CUSUM, Page 1954) is least before this
 * step. The surprise of a step is the logarithm of its likelihood under the present share and under the usual share.
 */
function beginning({ attempts, failed }: Series, usualShare: number, share: number): number {
  const forFailure = Math.log(share / usualShare)
  const forSuccess = Math.log((1 - Math.min(share, 0.999)) / (1 - usualShare))
  let sum = 0
  let least = 0
  let began = 0
  for (const [step, tried] of attempts.entries()) {
    if (sum <= least) {
      least = sum
      began = step
    }
    const lost = failed[step] ?? 0
    sum += lost * forFailure + (tried - lost) * forSuccess
  }
  // Steps without attempts before the first failure tell nothing about the beginning.
  while (began < attempts.length - 1 && failed[began] === 0) began++
  return began
}

/** Number of steps for which the failures have to be below half: thirty minutes, and the step under way. */
const QUIET_STEPS = 7
/** Number of the first of these steps that have to be below half by themselves. */
const FIRST_QUIET_STEPS = 2

/**
 * Returns the step from which on an incident is over: at least thirty minutes and 20 attempts with less than half of
 * the share of failures. Undefined while the incident goes on.
 *
 * @param began index of the step in which the incident began, which may be before the series
 * @param openShare share of failures when the incident was opened
 */
export function overSince(series: Series, began: number, openShare: number): number | undefined {
  const { length } = series.attempts
  const first = Math.max(0, began)
  let from = length - QUIET_STEPS
  while (from > first && tally(series, from).attempts < LEAST_ATTEMPTS) from--
  const quiet = tally(series, from)
  if (from <= began || from < 0 || quiet.attempts < LEAST_ATTEMPTS) return undefined
  const half = Math.max(openShare, shareOf(tally(series, first, from))) / 2
  // The failures of a window that begins within the incident are not over.
  const isQuiet = shareOf(quiet) < half && shareOf(tally(series, from, from + FIRST_QUIET_STEPS)) < half
  return isQuiet ? from : undefined
}

/** Assumed failures and attempts of a combination without a history. */
const PRIOR_SHARE = 0.01
const PRIOR_ATTEMPTS = 50

/**
 * Returns the usual share of failures from the history of a combination. A short history counts together with the
 * share of a larger part of the mail.
 */
export const usualShare = ({ attempts, failed }: Tally, larger = PRIOR_SHARE): number =>
  Math.min(0.99, (failed + larger * PRIOR_ATTEMPTS) / (attempts + PRIOR_ATTEMPTS))

/** Minimum share of the failures that a part of the mail has, so that the part narrows an incident. */
const SCOPE_SHARE = 0.9
/** Maximum probability that the other mail has so few failures if the incident concerned all mail. */
const SCOPE_CHANCE = 1e-3

/**
 * Returns the part of the mail, such as a stream or an address, that an incident concerns: the part has nearly all
 * failures, and the other mail has so few failures that the incident does not concern it. Undefined if no part narrows
 * the incident.
 */
export function narrowing(parts: ReadonlyMap<string, Tally>): string | undefined {
  let all: Tally = { attempts: 0, failed: 0 }
  for (const part of parts.values()) all = plus(all, part)
  for (const [name, part] of parts) {
    if (part.failed === 0 || part.failed < SCOPE_SHARE * all.failed) continue
    const others = { attempts: all.attempts - part.attempts, failed: all.failed - part.failed }
    const isLess = shareOf(others) < shareOf(part) / 2
    return isLess && lowerTail(others.failed, others.attempts, shareOf(part)) < SCOPE_CHANCE
      ? name
      : undefined
  }
  return undefined
}

export const plus = (one: Tally, other: Tally): Tally => ({
  attempts: one.attempts + other.attempts,
  failed: one.failed + other.failed,
})

/** Returns the probability of at least `failed` failures in `attempts` independent attempts. */
export function upperTail(failed: number, attempts: number, share: number): number {
  if (failed <= attempts * share) return 1
  return tailFrom(failed, attempts, share, 1)
}

/** Returns the probability of at most `failed` failures. */
function lowerTail(failed: number, attempts: number, share: number): number {
  if (failed >= attempts * share) return 1
  return tailFrom(failed, attempts, share, -1)
}

/** Relative size below which further terms of a sum do not count. */
const NEGLIGIBLE = 1e-12

/** Sums the binomial distribution from one number of failures outwards, where its terms decrease. */
function tailFrom(failed: number, attempts: number, share: number, direction: 1 | -1): number {
  const odds = share / (1 - share)
  if (share >= 1) return failed < attempts && direction === -1 ? 0 : 1
  let term = Math.exp(
    logFactorial(attempts) -
      logFactorial(failed) -
      logFactorial(attempts - failed) +
      failed * Math.log(share) +
      (attempts - failed) * Math.log(1 - share),
  )
  let sum = term
  for (let count = failed; term > sum * NEGLIGIBLE; count += direction) {
    if (count + direction < 0 || count + direction > attempts) break
    term *=
      direction === 1 ? (odds * (attempts - count)) / (count + 1) : count / (odds * (attempts - count + 1))
    sum += term
  }
  return Math.min(1, sum)
}

const LOG_FACTORIALS: number[] = [0]
const MAX_TABLE = 256

/** Returns the natural logarithm of a factorial, for large numbers by Stirling's series. */
function logFactorial(number: number): number {
  if (number < MAX_TABLE) {
    for (let next = LOG_FACTORIALS.length; next <= number; next++)
      LOG_FACTORIALS.push((LOG_FACTORIALS[next - 1] ?? 0) + Math.log(next))
    return LOG_FACTORIALS[number] ?? 0
  }
  const x = number + 1
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * x) - 1 / (360 * x ** 3)
}
