// Home page: figures of mail and its outcomes, problems that need action, and on an empty installation the first steps.

import { Group, SegmentedControl, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { get, type Page as ListPage, path } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { duration } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { domainsQuery } from '../domains/calls.ts'
import { type Counted, RANGES, type Range, type Stats, type StatsFilter, statsQuery } from './calls.ts'
import { Chart } from './chart.tsx'
import { Concerns } from './concerns.tsx'
import { Figure } from './figure.tsx'
import { FIGURES } from './figures.ts'
import { FirstSteps } from './first-steps.tsx'

export function Component() {
  const [search, setSearch] = useSearchParams()
  const given = search.get('range') ?? ''
  const filter: StatsFilter = {
    range: Object.hasOwn(RANGES, given) ? (given as Range) : '7d',
    domain_id: search.get('domain') ?? undefined,
    stream: search.get('stream') ?? undefined,
  }
  const stats = useQuery(statsQuery(filter))
  const empty = useIsEmpty(stats.data?.totals.accepted === 0)
  const narrow = (name: string, value: string | null) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before)
        if (value === null) after.delete(name)
        else after.set(name, value)
        if (name === 'domain') after.delete('stream')
        return after
      },
      { replace: true },
    )
  return (
    <Page title="Home">
      <Stack gap="xl">
        <Concerns />
        {empty ? (
          <FirstSteps />
        ) : (
          <>
            <Filters filter={filter} onChange={narrow} />
            {stats.data !== undefined ? (
              <Overview stats={stats.data} range={filter.range} />
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
  const longest = statsQuery({ range: '90d', domain_id: undefined, stream: undefined })
  const { data } = useQuery({ ...longest, enabled: looksEmpty })
  return looksEmpty && data?.totals.accepted === 0
}

interface FiltersProps {
  readonly filter: StatsFilter
  readonly onChange: (name: string, value: string | null) => void
}

function Filters({ filter, onChange }: FiltersProps) {
  const { range, domain_id: domainId, stream } = filter
  const domains = useQuery(domainsQuery)
  const streams = useQuery({
    queryKey: ['streams', domainId],
    queryFn: ({ signal }) =>
      get<ListPage<{ alias: string; name: string }>>(
        path`/api/domains/${domainId ?? ''}/streams`,
        undefined,
        signal,
      ),
    enabled: domainId !== undefined,
  })
  return (
    <Group justify="space-between">
      <Group gap="xs">
        <Select
          aria-label="Domain"
          placeholder="All domains"
          clearable
          w={200}
          data={domains.data?.data.map((one) => ({ value: one.domain_id, label: one.domain })) ?? []}
          value={domainId ?? null}
          onChange={(value) => onChange('domain', value)}
        />
        {domainId !== undefined && (
          <Select
            aria-label="Stream"
            placeholder="All streams"
            clearable
            w={180}
            data={streams.data?.data.map((one) => ({ value: one.alias, label: one.name })) ?? []}
            value={stream ?? null}
            onChange={(value) => onChange('stream', value)}
          />
        )}
      </Group>
      <SegmentedControl
        aria-label="Time"
        size="xs"
        data={Object.entries(RANGES).map(([value, { label }]) => ({ value, label }))}
        value={range}
        onChange={(value) => onChange('range', value)}
      />
    </Group>
  )
}

/** Fewer deliveries say nothing of how long they take. */
const MIN_TIMED = 20

function Overview({ stats, range }: { readonly stats: Stats; readonly range: Range }) {
  const [shown, setShown] = useState<ReadonlySet<Counted>>(
    new Set(['delivered', 'deferred', 'bounced', 'failed']),
  )
  const { totals, delivery_time_ms: time } = stats
  const toggle = (name: Counted) =>
    setShown((before) =>
      before.has(name) ? before.difference(new Set([name])) : before.union(new Set([name])),
    )
  // Figures that are always zero here take no room.
  const figures = FIGURES.filter(({ name, always }) => always || totals[name] > 0)
  return (
    <Stack gap="lg">
      <Card flush>
        <SimpleGrid cols={{ base: 2, xs: 3, md: 4, lg: 6 }} spacing={0} className="figures">
          {figures.map(({ name, ...figure }) => (
            <Figure
              key={name}
              {...figure}
              value={totals[name]}
              of={totals.accepted}
              pressed={shown.has(name)}
              onToggle={() => toggle(name)}
            />
          ))}
        </SimpleGrid>
        <Chart stats={stats} range={range} shown={FIGURES.filter(({ name }) => shown.has(name))} />
      </Card>
      <Card
        title="Time to delivery"
        intro="From the time Postrider accepts a message until the receiving host accepts it."
      >
        {totals.delivered < MIN_TIMED ? (
          <Text c="dimmed">Shown from {MIN_TIMED} deliveries on.</Text>
        ) : (
          <Group gap={48}>
            <Time name="50% within" value={time.p50} />
            <Time name="95% within" value={time.p95} />
          </Group>
        )}
      </Card>
    </Stack>
  )
}

function Time({ name, value }: { readonly name: string; readonly value: number | null }) {
  return (
    <div>
      <div className="figure-name">{name}</div>
      <div className="figure-value">{value === null ? '–' : duration(value)}</div>
    </div>
  )
}
