// Figures of the home page: rates and outcomes in a period, and mail that waits now.

import { Anchor, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { withQuery } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { home } from '../../texts/en/home.ts'
import type { Statistics } from '../statistics/calls.ts'
import { Chart } from '../statistics/chart.tsx'
import { type Choice, type Filter, RANGES, type Range } from '../statistics/choice.ts'
import { DomainChoice } from '../statistics/domain-choice.tsx'
import { RATES } from '../statistics/rates.ts'
import { Rates } from '../statistics/rates-card.tsx'
import { Waiting } from './waiting.tsx'

interface FiguresProps {
  readonly query: {
    readonly data: Statistics | undefined
    readonly error: Error | null
    readonly refetch: () => unknown
  }
  /** True while the page does not know yet whether there are figures. */
  readonly loading: boolean
  readonly choice: Choice
  readonly change: (change: Pick<Filter, 'range' | 'domain' | 'stream'>) => void
}

export function Figures({ query: { data, error, refetch }, loading, choice, change }: FiguresProps) {
  return (
    <>
      <Group justify="space-between">
        <DomainChoice choice={choice} change={change} />
        <SegmentedControl
          aria-label={home.time}
          size="xs"
          data={(Object.keys(RANGES) as Range[]).map((value) => ({ value, label: home.ranges[value] }))}
          value={choice.range}
          onChange={(range) => change({ range })}
        />
      </Group>
      {loading ? (
        <Skeleton inert>
          <Overview statistics={PLACEHOLDER} choice={choice} />
        </Skeleton>
      ) : data !== undefined ? (
        <Overview statistics={data} choice={choice} />
      ) : (
        <ErrorNotice error={error} again={refetch} />
      )}
    </>
  )
}

/** Figures with the usual height, which are hidden below the placeholder of the loading figures. */
const PLACEHOLDER: Statistics = {
  ...{ by: 'day', from: '1970-01-01T00:00:00Z', to: '1970-01-01T00:00:00Z', buckets: [] },
  totals: Object.fromEntries(RATES.map(({ name, always }) => [name, always ? 1 : 0])) as Statistics['totals'],
  ...{ bounced_by_category: null, delivery_time_ms: { p50: null, p95: null }, groups: null, previous: null },
}

function Overview({ statistics, choice }: { readonly statistics: Statistics; readonly choice: Choice }) {
  const { range, domain, stream } = choice
  return (
    <Stack gap="lg">
      <Rates statistics={statistics} choice={choice} />
      <Card
        title={home.outcomes}
        flush
        actions={
          <Anchor component={Link} to={withQuery('/statistics', { range, domain, stream })} fz="sm">
            {home.moreFigures}
          </Anchor>
        }
      >
        <Chart statistics={statistics} by={choice.by} />
      </Card>
      <Waiting domain={domain} />
      <Text fz="sm" c="dimmed">
        {home.figuresHint}
      </Text>
    </Stack>
  )
}
