// Finds since which day the authentication of a source fails, at which addresses and receivers.

import type { DaySum } from '../store/reports/authentication.ts'

export type Mechanism = 'dkim' | 'spf' | 'dmarc'

/** A failure that lasts until the latest reports. */
export interface Failing {
  readonly mechanism: Mechanism
  /** First day of the failure, such as `2026-01-17`. */
  readonly since: string
  /** Addresses and receivers at which messages have failed since then, most messages first. */
  readonly addresses: readonly string[]
  readonly receivers: readonly string[]
  readonly messages: number
  readonly failed: number
  /** Share of aligned messages before. */
  readonly usualShare: number | null
}

/** Share of aligned messages below which a day fails, relative to the usual share. */
const FAILING_PART = 0.5
/** Number of messages of a day from which the day counts. */
const LEAST = 5
/** Number of failing messages from which there is a failure. */
const LEAST_FAILED = 10

const passedOf = (sum: DaySum, mechanism: Mechanism): number =>
  mechanism === 'dmarc' ? sum.either : sum[mechanism]

/**
 * Returns the failure of a source, the mechanism with the most failed messages first. An address that fails while
 * others of the source pass is a failure of its own.
 *
 * @param isOurs true if both DKIM and SPF are expected to be aligned; otherwise one of both that was usual before
 */
export function failingOf(sums: readonly DaySum[], isOurs: boolean): Failing | undefined {
  const found: Failing[] = []
  const groups = [sums, ...Map.groupBy(sums, ({ address }) => address).values()]
  for (const mechanism of ['dkim', 'spf', 'dmarc'] as const) {
    for (const group of groups) {
      const failing = failureIn(group, mechanism, isOurs)
      if (failing !== undefined) {
        found.push(failing)
        break
      }
    }
  }
  return found.sort((one, other) => other.failed - one.failed)[0]
}

function failureIn(sums: readonly DaySum[], mechanism: Mechanism, isOurs: boolean): Failing | undefined {
  const days = [...Map.groupBy(sums, ({ day }) => day)]
    .map(([day, ofDay]) => {
      const messages = total(ofDay, ({ messages: count }) => count)
      return {
        day,
        messages,
        share: messages === 0 ? 1 : total(ofDay, (sum) => passedOf(sum, mechanism)) / messages,
      }
    })
    .filter(({ messages }) => messages >= LEAST)
    .sort((one, other) => (one.day < other.day ? -1 : 1))
  const usual = usualShare(days.map(({ share }) => share))
  const expected = isOurs ? Math.max(usual, 0.9) : usual
  if (expected < FAILING_PART) return undefined
  let first = days.length
  while (first > 0 && days[first - 1]!.share < expected * FAILING_PART) first--
  const since = days[first]?.day
  if (since === undefined) return undefined
  const after = sums.filter(({ day }) => day >= since)
  const failed = total(after, (sum) => sum.messages - passedOf(sum, mechanism))
  if (failed < LEAST_FAILED) return undefined
  const before = days.slice(0, first)
  return {
    ...{ mechanism, since, failed, messages: total(after, ({ messages }) => messages) },
    addresses: namesOf(after, mechanism, ({ address }) => address),
    receivers: namesOf(after, mechanism, ({ receiver }) => receiver),
    usualShare:
      before.length === 0 ? null : before.reduce((sum, { share }) => sum + share, 0) / before.length,
  }
}

const total = (sums: readonly DaySum[], of: (sum: DaySum) => number): number =>
  sums.reduce((all, sum) => all + of(sum), 0)

/** Returns the upper quartile of the shares of days, because the failing days must not lower the usual share. */
function usualShare(shares: readonly number[]): number {
  const sorted = shares.toSorted((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) * 0.75)] ?? 0
}

/** Returns the names under which messages failed, most failed messages first. */
function namesOf(sums: readonly DaySum[], mechanism: Mechanism, nameOf: (sum: DaySum) => string): string[] {
  return [...Map.groupBy(sums, nameOf)]
    .map(([name, ofName]) => ({
      name,
      failed: total(ofName, (sum) => sum.messages - passedOf(sum, mechanism)),
    }))
    .filter(({ failed }) => failed > 0)
    .sort((one, other) => other.failed - one.failed)
    .map(({ name }) => name)
}
