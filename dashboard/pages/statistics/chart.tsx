// Chart of final delivery results by hour or day, which add up; deferrals are not included.

import { Text } from '@mantine/core'
import { BarChart } from '../../parts/bar-chart.tsx'
import { home } from '../../texts/en/home.ts'
import { locale } from '../../texts/language.ts'
import type { Counted, Statistics } from './calls.ts'
import { dayOfStep, offsetHours, type Step } from './choice.ts'

const OUTCOMES: readonly { readonly name: Counted; readonly color: string }[] = [
  { name: 'delivered', color: 'var(--series-delivered)' },
  { name: 'bounced', color: 'var(--series-bounced)' },
  { name: 'suppressed', color: 'var(--series-suppressed)' },
  { name: 'failed', color: 'var(--series-failed)' },
]

const HOUR = new Intl.DateTimeFormat(locale, {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
})
const DAY = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })

export function Chart({ statistics, by }: { readonly statistics: Statistics; readonly by: Step }) {
  const now = new Date()
  const hours = offsetHours(now)
  const isUtc = hours === 0 && now.getTimezoneOffset() !== 0
  return (
    <div className="chart">
      <BarChart
        caption={by === 'hour' ? home.byHour : isUtc ? home.byDayUtc : home.byDay}
        series={OUTCOMES.map(({ name, color }) => ({ label: home.rates[name], color }))}
        bars={statistics.buckets.map((bucket) => ({
          label: by === 'hour' ? HOUR.format(new Date(bucket.at)) : DAY.format(dayOfStep(bucket.at, hours)),
          values: OUTCOMES.map(({ name }) => bucket[name]),
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
