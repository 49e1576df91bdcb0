// The statistics page: rates with thresholds and changes, a chart by hour or day, and figures by stream, tag, provider
// and cause.

import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { useAddressFilter } from '../../parts/filters.tsx'
import { IconChartBar } from '../../parts/icons.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { home } from '../../texts/en/home.ts'
import { statistics as words } from '../../texts/en/statistics.ts'
import { type Statistics, statisticsQuery } from './calls.ts'
import { Chart } from './chart.tsx'
import { type Choice, choiceOf, FILTERS, type Filter, RANGES, type Range } from './choice.ts'
import { GroupTable } from './group-table.tsx'
import { Narrowings } from './narrowings.tsx'
import { Rates } from './rates-card.tsx'

export function Component() {
  const [filter, change] = useAddressFilter(FILTERS)
  const choice = choiceOf(filter)
  const query = useQuery(statisticsQuery(choice))
  const { data } = query
  return (
    <Page title={words.title} intro={words.intro} size={1240}>
      <Stack gap="lg">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Narrowings choice={choice} change={change} />
          <Times choice={choice} change={change} />
        </Group>
        {data !== undefined ? (
          <Shown statistics={data} choice={choice} change={change} />
        ) : query.error !== null ? (
          <ErrorNotice error={query.error} again={query.refetch} />
        ) : (
          <Loading />
        )}
      </Stack>
    </Page>
  )
}

interface ChoiceProps {
  readonly choice: Choice
  readonly change: (change: Filter) => void
}

function Times({ choice: { range, by }, change }: ChoiceProps) {
  const { steps } = RANGES[range]
  return (
    <Group gap="xs">
      {steps.length > 1 && (
        <SegmentedControl
          aria-label={words.steps}
          size="xs"
          data={steps.toReversed().map((value) => ({ value, label: words.by[value] }))}
          value={by}
          onChange={(value) => change({ by: value })}
        />
      )}
      <SegmentedControl
        aria-label={home.time}
        size="xs"
        data={(Object.keys(RANGES) as Range[]).map((value) => ({ value, label: home.ranges[value] }))}
        value={range}
        onChange={(value) => change({ range: value, by: '' })}
      />
    </Group>
  )
}

interface ShownProps extends ChoiceProps {
  readonly statistics: Statistics
}

function Shown({ statistics, choice, change }: ShownProps) {
  const { totals, previous } = statistics
  const isEmpty = Object.values(totals).every((count) => count === 0)
  const hadMail = previous !== null && Object.values(previous.totals).some((count) => count > 0)
  if (isEmpty && !hadMail) {
    return (
      <Card>
        <EmptyState icon={<IconChartBar size={32} stroke={1.4} />} title={words.none}>
          {words.noneHint}
        </EmptyState>
      </Card>
    )
  }
  return (
    <>
      <Rates statistics={statistics} choice={choice} />
      <Card title={home.outcomes} flush>
        <Chart statistics={statistics} by={choice.by} />
      </Card>
      <GroupTable statistics={statistics} choice={choice} change={change} />
      <Text fz="sm" c="dimmed">
        {words.hint}
      </Text>
    </>
  )
}
