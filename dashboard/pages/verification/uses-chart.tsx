// The credits used in the last 90 days, a bar a day.

import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import { Text } from '@mantine/core'
import { whole } from '../../parts/numbers.ts'
import type { Credits } from './calls.ts'

const DAY_MS = 86_400_000
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

export default function UsesChart({ uses }: { readonly uses: Credits['uses'] }) {
  const byDay = new Map(uses.map(({ day, credits }) => [day, credits]))
  const total = uses.reduce((sum, { credits }) => sum + credits, 0)
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const data = Array.from({ length: 90 }, (_, index) => {
    const at = new Date(today - (89 - index) * DAY_MS)
    return { day: DAY.format(at), credits: byDay.get(at.toISOString().slice(0, 10)) ?? 0 }
  })
  return (
    <>
      <div aria-hidden="true">
        <BarChart
          h={200}
          data={data}
          dataKey="day"
          series={[{ name: 'credits', label: 'Credits', color: 'var(--series-delivered)' }]}
          valueFormatter={whole}
          gridAxis="y"
          tickLine="none"
          barProps={{ isAnimationActive: false }}
          yAxisProps={{ allowDecimals: false, width: 48 }}
          tooltipAnimationDuration={0}
        />
      </div>
      <Text className="visually-hidden">{whole(total)} credits were used in the last 90 days.</Text>
    </>
  )
}
