// A time as people read it, with the exact one for who points at it.

import { useSyncExternalStore } from 'react'
import { locale } from '../texts/language.ts'

const EXACT = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' })
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const RELATIVE = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' })

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY_MS = 24 * HOUR

/** "3 minutes ago", "in 2 hours", in the language of the user; after a week the date. */
export function relativeTime(at: number, now: number): string {
  const difference = at - now
  const distance = Math.abs(difference)
  if (distance < 45_000) return RELATIVE.format(0, 'second')
  if (distance < HOUR) return RELATIVE.format(Math.round(difference / MINUTE), 'minute')
  if (distance < DAY_MS) return RELATIVE.format(Math.round(difference / HOUR), 'hour')
  if (distance < 7 * DAY_MS) return RELATIVE.format(Math.round(difference / DAY_MS), 'day')
  return DAY.format(at)
}

/** The day of a time in RFC 3339. */
export const dayOf = (at: string): string => DAY.format(new Date(at))

/** Day, time and zone of a time in RFC 3339. */
export const momentOf = (at: string): string => EXACT.format(new Date(at))

interface TimeProps {
  /** RFC 3339. */
  readonly at: string
  /** The date and time instead of how long ago. */
  readonly exact?: boolean
}

export function Time({ at, exact = false }: TimeProps) {
  const now = useSyncExternalStore(ticking, () => Math.floor(Date.now() / TICK_MS) * TICK_MS)
  const time = new Date(at)
  // Between two ticks something can lie ahead of the time shown.
  const text = exact
    ? EXACT.format(time)
    : relativeTime(time.getTime(), Math.max(now, Math.min(Date.now(), now + TICK_MS)))
  return (
    <time dateTime={at} title={EXACT.format(time)} className={exact ? undefined : 'nowrap'}>
      {text}
    </time>
  )
}

const TICK_MS = 15_000

function ticking(listener: () => void): () => void {
  const timer = setInterval(listener, TICK_MS)
  return () => clearInterval(timer)
}
