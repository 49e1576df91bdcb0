// A relative time, with the exact time in its title.

import { useSyncExternalStore } from 'react'
import { common } from '../texts/en/common.ts'
import { locale } from '../texts/language.ts'

const EXACT = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' })
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const SHORT = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
})
const RELATIVE = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' })

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY_MS = 24 * HOUR

/**
 * Returns a relative time in the language of the user, such as "3 minutes ago" or "in 2 hours"; after a week, returns
 * the date.
 */
function relativeTime(at: number, now: number): string {
  const difference = at - now
  const distance = Math.abs(difference)
  if (distance < 45_000) return difference > 0 ? RELATIVE.format(0, 'second') : common.justNow
  if (distance < HOUR) return RELATIVE.format(Math.round(difference / MINUTE), 'minute')
  if (distance < DAY_MS) return RELATIVE.format(Math.round(difference / HOUR), 'hour')
  if (distance < 7 * DAY_MS) return RELATIVE.format(Math.round(difference / DAY_MS), 'day')
  return DAY.format(at)
}

/** Returns the distance of a time (RFC 3339) from now in words, such as "2 hours ago". */
export const fromNow = (at: string): string => relativeTime(Date.parse(at), Date.now())

/** Returns the day of a time in RFC 3339 format. */
export const dayOf = (at: string): string => DAY.format(new Date(at))

/** Returns day, time and time zone of a time in RFC 3339 format. */
export const momentOf = (at: string): string => EXACT.format(new Date(at))

/** Returns day and time of a time in RFC 3339 format, without the year, such as "12 Nov, 23:22 UTC". */
export const shortMomentOf = (at: string): string => SHORT.format(new Date(at))

interface TimeProps {
  /** Time in RFC 3339 format. */
  readonly at: string
  /** True for date and time instead of a relative time. */
  readonly exact?: boolean
  /** Text in place of a time in the past, for an event that has not happened yet. */
  readonly passed?: string
}

export function Time({ at, exact = false, passed }: TimeProps) {
  const now = useSyncExternalStore(ticking, () => Math.floor(Date.now() / TICK_MS) * TICK_MS)
  const time = new Date(at)
  // A time after the last tick would otherwise be shown as in the future.
  const present = Math.max(now, Math.min(Date.now(), now + TICK_MS))
  const text =
    passed !== undefined && time.getTime() <= present
      ? passed
      : exact
        ? EXACT.format(time)
        : relativeTime(time.getTime(), present)
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

/** Returns the day in UTC of a time or a day, such as `2026-01-31`, in the language of the page. */
export const utcDay = (at: string): string =>
  new Date(at).toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' })
