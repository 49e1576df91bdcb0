// Home page: problems that need action, rates and outcomes, what waits now, and on an empty installation the first steps.

import { Anchor, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { withQuery } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { useAddressFilter } from '../../parts/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { POLLED_MS, queries, STREAMED_MS } from '../../queries.ts'
import { home } from '../../texts/en/home.ts'
import { useEventStream } from '../activity/event-stream.ts'
import { type Statistics, statisticsQuery } from '../statistics/calls.ts'
import { Chart } from '../statistics/chart.tsx'
import { type Choice, choiceOf, RANGES, type Range } from '../statistics/choice.ts'
import { DomainChoice } from '../statistics/narrowings.tsx'
import { Rates } from '../statistics/rates-card.tsx'
import { deferredQuery } from './calls.ts'
import { Concerns } from './concerns.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Waiting } from './waiting.tsx'

/** Figures are a second behind, and nobody reads them more often. */
const NEWS_MS = 5_000

const askAgain = (): void => {
  void queries.invalidateQueries({ queryKey: ['statistics'] })
  void queries.invalidateQueries({ queryKey: deferredQuery.queryKey })
}

export function Component() {
  const [filter, change] = useAddressFilter(['range', 'domain', 'stream'])
  const choice = choiceOf(filter)
  const open = useEventStream('/api/events/stream', askAgain, NEWS_MS)
  const stats = useQuery({ ...statisticsQuery(choice), refetchInterval: open ? STREAMED_MS : POLLED_MS })
  const empty = useIsEmpty(stats.data?.totals.accepted === 0)
  return (
    <Page title={home.title}>
      <Stack gap="xl">
        <Concerns />
        {empty ? (
          <FirstSteps />
        ) : (
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
            {stats.data !== undefined ? (
              <Overview statistics={stats.data} choice={choice} />
            ) : (
              <ErrorNotice error={stats.error} again={stats.refetch} />
            )}
          </>
        )}
      </Stack>
    </Page>
  )
}

/** True if nothing was ever sent, within the longest range of figures. */
function useIsEmpty(looksEmpty: boolean): boolean {
  const { data } = useQuery({ ...statisticsQuery(choiceOf({ range: '90d' })), enabled: looksEmpty })
  return looksEmpty && data?.totals.accepted === 0
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
