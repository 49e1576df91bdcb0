// The figures of the period, each with its rate, its change since the previous period, and its meaning for receivers.

import { Anchor, Group, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { duration, share, whole } from '../../parts/numbers.ts'
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx'
import { home } from '../../texts/en/home.ts'
import { fill } from '../../texts/texts.ts'
import type { Statistics } from './calls.ts'
import type { Choice } from './choice.ts'
import { eventsAddress } from './events-address.ts'
import { type Change, changeOf, deliveryTimesOf, levelOf, RATES, type Rate, shareOf } from './rates.ts'

interface RatesProps {
  readonly statistics: Statistics
  readonly choice: Choice
}

export function Rates({ statistics, choice }: RatesProps) {
  const { totals, previous } = statistics
  const times = deliveryTimesOf(totals, statistics.delivery_time_ms)
  const isShown = ({ name, always }: Rate): boolean =>
    always || totals[name] > 0 || (previous?.totals[name] ?? 0) > 0
  return (
    <Card flush>
      <SimpleGrid cols={{ base: 2, md: 3, lg: 4 }} spacing={0} className="rates">
        {RATES.filter(isShown).map((rate) => (
          <RateFigure
            key={rate.name}
            rate={rate}
            totals={totals}
            before={previous?.totals}
            to={eventsAddress(choice, statistics, { type: rate.name })}
          />
        ))}
        {times !== undefined && (
          <Figure name={home.deliveryTime} value={duration(times.half)}>
            <Text fz="sm" c="dimmed">
              {fill(home.deliveryTimeHint, { time: duration(times.most) })}
            </Text>
          </Figure>
        )}
      </SimpleGrid>
    </Card>
  )
}

interface FigureProps {
  readonly name: string
  readonly value: ReactNode
  readonly children: ReactNode
}

const Figure = ({ name, value, children }: FigureProps) => (
  <div className="rate">
    <div className="figure-name">{name}</div>
    <div className="figure-value">{value}</div>
    {children}
  </div>
)

interface RateFigureProps {
  readonly rate: Rate
  readonly totals: Statistics['totals']
  readonly before: Statistics['totals'] | undefined
  /** Path of the page with the events of the figure. */
  readonly to: string
}

const TONES: readonly Tone[] = ['good', 'waiting', 'bad']
const LEVELS = ['good', 'high', 'limit'] as const

function RateFigure({ rate, totals, before, to }: RateFigureProps) {
  const { name, ofWhat, thresholds } = rate
  const label = home.rates[name]
  const part = shareOf(rate, totals)
  const level = levelOf(rate, totals)
  const change = before === undefined ? undefined : changeOf(rate, totals, before)
  const count = (
    <Anchor
      component={Link}
      to={to}
      inherit
      c="var(--mantine-color-text)"
      underline="always"
      aria-label={fill(home.showEvents, { label, count: totals[name] })}
    >
      {whole(totals[name])}
    </Anchor>
  )
  return (
    <Figure name={label} value={part === undefined ? count : share(totals[name], rate.of(totals))}>
      {part !== undefined && (
        <Text fz="sm" c="dimmed">
          {count} {ofWhat && home.ofWhat[ofWhat]}
        </Text>
      )}
      {change !== undefined && <Changed change={change} />}
      {level !== undefined && (
        <Text fz="sm" component="div">
          <StatusBadge
            status="threshold"
            label={thresholds === undefined ? '' : home[thresholds.words][LEVELS[level]]}
            tone={TONES[level] ?? 'quiet'}
          />
        </Text>
      )}
    </Figure>
  )
}

const Changed = ({ change: { text, isBetter } }: { readonly change: Change }) => (
  <Group gap="0 6px" fz="sm">
    <Text fz="sm" span c={isBetter === false ? 'var(--tone-bad)' : isBetter ? 'var(--tone-good)' : 'dimmed'}>
      {text}
    </Text>
    <Text fz="sm" span c="dimmed">
      {isBetter === undefined ? home.before : isBetter ? home.better : home.worse}
    </Text>
  </Group>
)
