// What was sent, by hour or day, as bars; the same as a table for who cannot see them.

import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import { whole } from '../../parts/numbers.ts'
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

export default function Chart({ stats, range, shown }: ChartProps) {
  const format = RANGES[range].by === 'hour' ? HOUR : DAY
  const data = stats.buckets.map((bucket) => ({ ...bucket, time: format.format(new Date(bucket.at)) }))
  return (
    <div className="chart">
      <div aria-hidden="true">
        <BarChart
          h={260}
          data={data}
          dataKey="time"
          type="stacked"
          series={shown.map(({ name, label, color }) => ({ name, label, color }))}
          valueFormatter={whole}
          tickLine="none"
          maxBarWidth={36}
          barProps={{ isAnimationActive: false }}
          yAxisProps={{ allowDecimals: false, width: 48 }}
          tooltipAnimationDuration={0}
          barChartProps={{ accessibilityLayer: false }}
        />
      </div>
      {/* A table itself cannot be made that small. */}
      <div className="visually-hidden">
        <table>
          <caption>What was sent, by {RANGES[range].by}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {shown.map(({ name, label }) => (
                <th key={name} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.map((bucket) => (
              <tr key={bucket.at}>
                <th scope="row">{bucket.time}</th>
                {shown.map(({ name }) => (
                  <td key={name}>{bucket[name]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
