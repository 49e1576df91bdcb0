// The credits used in the last 90 days, a bar a day.

import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import { Text } from '@mantine/core'
import { whole } from '../../parts/numbers.ts'
import type { Credits } from './calls.ts'

const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

export default function UsesChart({ uses }: { readonly uses: Credits['uses'] }) {
  const total = uses.reduce((sum, { credits }) => sum + credits, 0)
  const data = uses.map(({ day, credits }) => ({ day: DAY.format(new Date(day)), credits }))
  return (
    <>
      <div aria-hidden="true">
        <BarChart
          h={200}
          data={data}
          dataKey="day"
          series={[{ name: 'credits', label: 'Credits', color: 'var(--series-delivered)' }]}
          valueFormatter={whole}
          tickLine="none"
          barProps={{ isAnimationActive: false }}
          yAxisProps={{ allowDecimals: false, width: 48 }}
          tooltipAnimationDuration={0}
          barChartProps={{ accessibilityLayer: false }}
        />
      </div>
      <Text className="visually-hidden">{whole(total)} credits were used in the last 90 days.</Text>
    </>
  )
}
