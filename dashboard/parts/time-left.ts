// The remaining time of work, in words.

import { tables } from '../texts/en/tables.ts'
import { fill } from '../texts/texts.ts'

/** Returns the remaining time, such as `about 3 minutes left`; undefined if the time is unknown. */
export function timeLeft(seconds: number | null): string | undefined {
  if (seconds === null) return undefined
  if (seconds < 90) return tables.minuteLeft
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return fill(tables.minutesLeft, { count: minutes })
  return fill(tables.hoursLeft, { count: Math.round(minutes / 60) })
}
