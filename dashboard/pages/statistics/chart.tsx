// Chart of final delivery results by hour or day, which add up; deferrals are not included.

import { Text } from '@mantine/core'
import { type Bar, BarChart } from '../../parts/bar-chart.tsx'
import { colorOf } from '../../parts/status-badge.tsx'
import { home } from '../../texts/en/home.ts'
import { locale } from '../../texts/language.ts'
import type { Counted, Statistics } from './calls.ts'
import { dayOfStep, offsetHours, type Step } from './choice.ts'

const OUTCOMES: readonly Counted[] = ['delivered', 'bounced', 'suppressed', 'failed']

const HOUR = new Intl.DateTimeFormat(locale, {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
})
const DAY_MS = 86_400_000
const TIME = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const DATE = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
const DAY = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Intervals of labelled hours: parts of a day or whole days, so that the beginning of a day has a label. */
const HOURS = [1, 2, 3, 4, 6, 8, 12, 24, 48, 72, 120, 240] as const

/** Returns the labels of an hour; the axis names the day at its beginning, and the time at other hours. */
function hourLabels(at: Date): Pick<Bar, 'label' | 'tick' | 'place'> {
  const hour = at.getHours()
  const day = Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / DAY_MS
  return {
    label: HOUR.format(at),
    tick: hour === 0 ? DATE.format(at) : TIME.format(at),
    place: 24 * day + hour,
  }
}

export function Chart({ statistics, by }: { readonly statistics: Statistics; readonly by: Step }) {
  const now = new Date()
  const hours = offsetHours(now)
  const isUtc = hours === 0 && now.getTimezoneOffset() !== 0
  return (
    <div className="chart">
      <BarChart
        caption={by === 'hour' ? home.byHour : isUtc ? home.byDayUtc : home.byDay}
        series={OUTCOMES.map((name) => ({ label: home.rates[name], color: colorOf(name) }))}
        steps={by === 'hour' ? HOURS : undefined}
        bars={statistics.buckets.map((bucket) => ({
          ...(by === 'hour'
            ? hourLabels(new Date(bucket.at))
            : { label: DAY.format(dayOfStep(bucket.at, hours)) }),
          values: OUTCOMES.map((name) => bucket[name]),
        }))}
      />
      {by === 'day' && isUtc && (
        <Text fz="xs" c="dimmed" ta="end">
          {home.daysInUtc}
        </Text>
      )}
    </div>
  )
}
