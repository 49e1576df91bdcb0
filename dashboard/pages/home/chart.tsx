// Chart of mail by hour or day.

import { BarChart } from '../../parts/bar-chart.tsx'
import { RANGES, type Range, type Stats } from './calls.ts'
import type { FigureKind } from './figures.ts'

const HOUR = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
// Days are those of UTC, as they are counted.
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

interface ChartProps {
  readonly stats: Stats
  readonly range: Range
  readonly shown: readonly FigureKind[]
}

export function Chart({ stats, range, shown }: ChartProps) {
  const { by } = RANGES[range]
  const format = by === 'hour' ? HOUR : DAY
  return (
    <div className="chart">
      <BarChart
        caption={by === 'hour' ? 'Sent messages by hour' : 'Sent messages by day (UTC)'}
        series={shown}
        bars={stats.buckets.map((bucket) => ({
          label: format.format(new Date(bucket.at)),
          values: shown.map(({ name }) => bucket[name]),
        }))}
      />
    </div>
  )
}
