// The home page: problems that need action, rates and outcomes, waiting mail, and the first steps on an empty
// installation.

import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { fetched } from '../../fetched.ts'
import { useAddressFilter } from '../../parts/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { POLLED_MS, queries, STREAMED_MS } from '../../queries.ts'
import { useSession } from '../../session.ts'
import { home } from '../../texts/en/home.ts'
import { useEventStream } from '../activity/event-stream.ts'
import { type Statistics, statisticsQuery } from '../statistics/calls.ts'
import { choiceOf, type Filter, isOfLast } from '../statistics/choice.ts'
import { deferredQuery } from './calls.ts'
import { Concerns } from './concerns.tsx'

const FirstSteps = lazy(() =>
  fetched(() => import('./first-steps.tsx')).then(({ FirstSteps }) => ({ default: FirstSteps })),
)
const Figures = lazy(() =>
  fetched(() => import('./figures.tsx')).then(({ Figures }) => ({ default: Figures })),
)
const NextSteps = lazy(() =>
  fetched(() => import('./next-steps.tsx')).then(({ NextSteps }) => ({ default: NextSteps })),
)
const ServerHealth = lazy(() =>
  fetched(() => import('./server-health.tsx')).then(({ ServerHealth }) => ({ default: ServerHealth })),
)

/** Number of recipients above which undelivered mail no longer counts as one of the first steps. */
const MAX_FIRST = 20

/** Minimum time between two updates of the figures, in milliseconds, because figures lag by a second. */
const NEWS_MS = 5_000

const askAgain = (): void => {
  void queries.invalidateQueries({ queryKey: ['statistics'] })
  void queries.invalidateQueries({ queryKey: deferredQuery.queryKey })
}

export function Component() {
  const [filter, change] = useAddressFilter(['range', 'domain', 'stream'])
  const open = useEventStream('/api/events/stream', askAgain, NEWS_MS)
  const { choice, stats } = useFigures(filter, open ? STREAMED_MS : POLLED_MS)
  const { mode, user } = useSession()
  const begun = useBegun(stats.data)
  return (
    <Page title={home.title}>
      <Stack gap="xl">
        <Concerns />
        <Suspense fallback={begun === 'nothing' && <Skeleton h={240} />}>
          {(begun === 'nothing' || begun === 'accepted') && <FirstSteps accepted={begun === 'accepted'} />}
          {begun === 'delivering' && (stats.data?.totals.accepted ?? 0) <= MAX_FIRST && <NextSteps />}
          {begun !== 'nothing' && mode === 'production' && user.operator && <ServerHealth />}
        </Suspense>
        <Suspense fallback={<FiguresPlaceholder />}>
          {begun === undefined && stats.error === null && <FiguresPlaceholder />}
          {(begun === undefined ? stats.error !== null : begun !== 'nothing') && (
            <Figures query={stats} choice={choice} change={change} />
          )}
        </Suspense>
      </Stack>
    </Page>
  )
}

/** Placeholder of the figures with the heights of their parts, so that nothing moves when the figures appear. */
const FiguresPlaceholder = () => (
  <>
    <Skeleton className="placeholder-choices" />
    <Stack gap="lg">
      <Skeleton className="placeholder-rates" />
      <Skeleton className="placeholder-chart" />
    </Stack>
  </>
)

/**
 * Returns figures for the chosen period; 24 hours if no period is chosen and all mail of the week is from its last day.
 */
function useFigures(filter: Filter, refetchInterval: number) {
  const usual = choiceOf(filter)
  const stats = useQuery({ ...statisticsQuery(usual), refetchInterval })
  const isFirstDay = filter.range === undefined && stats.data !== undefined && isOfLast(stats.data.buckets)
  const ofDay = choiceOf({ ...filter, range: '24h' })
  const day = useQuery({ ...statisticsQuery(ofDay), refetchInterval, enabled: isFirstDay })
  return isFirstDay && day.data !== undefined ? { choice: ofDay, stats: day } : { choice: usual, stats }
}

/** Returns the progress of the first mail within the longest period of figures; undefined while it is loading. */
function useBegun(statistics: Statistics | undefined): 'nothing' | 'accepted' | 'delivering' | undefined {
  const isQuiet = statistics !== undefined && statistics.totals.delivered === 0
  const { data } = useQuery({ ...statisticsQuery(choiceOf({ range: '90d' })), enabled: isQuiet })
  if (statistics === undefined) return undefined
  if (!isQuiet) return 'delivering'
  if (data === undefined) return undefined
  const { accepted, delivered } = data.totals
  if (accepted === 0) return 'nothing'
  return delivered > 0 || accepted > MAX_FIRST ? 'delivering' : 'accepted'
}
