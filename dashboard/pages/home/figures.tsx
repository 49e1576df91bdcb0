// Figures of the home page: rates and outcomes in a period, and mail that waits now.

import { Anchor, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { withQuery } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { home } from '../../texts/en/home.ts'
import type { Statistics } from '../statistics/calls.ts'
import { Chart } from '../statistics/chart.tsx'
import { type Choice, type Filter, RANGES, type Range } from '../statistics/choice.ts'
import { DomainChoice } from '../statistics/domain-choice.tsx'
import { Rates } from '../statistics/rates-card.tsx'
import { Waiting } from './waiting.tsx'

interface FiguresProps {
  readonly query: {
    readonly data: Statistics | undefined
    readonly error: Error | null
    readonly refetch: () => unknown
  }
  readonly choice: Choice
  readonly change: (change: Pick<Filter, 'range' | 'domain' | 'stream'>) => void
}

export function Figures({ query: { data, error, refetch }, choice, change }: FiguresProps) {
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
      {data !== undefined ? (
        <Overview statistics={data} choice={choice} />
      ) : (
        <ErrorNotice error={error} again={refetch} />
      )}
    </>
  )
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
