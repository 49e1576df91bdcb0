// Chart of the ends of deliveries by hour or day, which add up; deferrals are not among them.

import { Text } from '@mantine/core'
import { BarChart } from '../../parts/bar-chart.tsx'
import type { Counted, Statistics } from './calls.ts'
import { offsetHours, type Step } from './choice.ts'

const OUTCOMES: readonly { readonly name: Counted; readonly label: string; readonly color: string }[] = [
  { name: 'delivered', label: 'Delivered', color: 'var(--series-delivered)' },
  { name: 'bounced', label: 'Bounced', color: 'var(--series-bounced)' },
  { name: 'suppressed', label: 'Suppressed', color: 'var(--series-suppressed)' },
  { name: 'failed', label: 'Failed', color: 'var(--series-failed)' },
]

const HOUR = new Intl.DateTimeFormat(undefined, {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
})
const DAY = { day: 'numeric', month: 'short' } as const
const LOCAL_DAY = new Intl.DateTimeFormat(undefined, DAY)
const UTC_DAY = new Intl.DateTimeFormat(undefined, { ...DAY, timeZone: 'UTC' })

export function Chart({ statistics, by }: { readonly statistics: Statistics; readonly by: Step }) {
  const now = new Date()
  const isUtc = offsetHours(now) === 0 && now.getTimezoneOffset() !== 0
  const format = by === 'hour' ? HOUR : isUtc ? UTC_DAY : LOCAL_DAY
  return (
    <div className="chart">
      <BarChart
        caption={by === 'hour' ? 'Outcomes by hour' : isUtc ? 'Outcomes by day (UTC)' : 'Outcomes by day'}
        series={OUTCOMES}
        bars={statistics.buckets.map((bucket) => ({
          label: format.format(new Date(bucket.at)),
          values: OUTCOMES.map(({ name }) => bucket[name]),
        }))}
      />
      {by === 'day' && isUtc && (
        <Text fz="xs" c="dimmed" ta="end">
          Days in UTC
        </Text>
      )}
    </div>
  )
}
