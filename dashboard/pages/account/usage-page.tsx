// The usage of the account by month, and the limits of the account with the remaining amounts.

import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { BarChart } from '../../parts/bar-chart.tsx'
import { Card } from '../../parts/card.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Loading } from '../../parts/loading.tsx'
import { byteSize, whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { account as words } from '../../texts/en/account.ts'
import { locale } from '../../texts/language.ts'
import { AccountTabs } from './account-tabs.tsx'
import { type Usage, usageQuery } from './calls.ts'

const texts = words.used

// The service counts by UTC months.
const MONTH = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' })
const TICK = new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' })

export function Component() {
  const { data, error, refetch } = useQuery({ ...usageQuery, refetchInterval: 15_000 })
  return (
    <Page title={words.usage} intro={texts.intro}>
      <AccountTabs />
      {data !== undefined ? (
        <Stack gap="lg">
          <Limits usage={data} />
          <Months months={data.data} />
        </Stack>
      ) : error !== null ? (
        <ErrorNotice error={error} again={refetch} />
      ) : (
        <Loading />
      )}
    </Page>
  )
}

/** Returns a complete list in the form of a query result. */
const rows = <Row,>(data: readonly Row[]) => ({
  data: { data, next_cursor: null },
  error: null,
  refetch: () => undefined,
})

function Limits({ usage: { limits, left } }: { readonly usage: Usage }) {
  const shown = (kind: keyof typeof left, amount: number | null | undefined): string => {
    if (amount === null) return texts.noLimit
    if (amount === undefined) return '–'
    return kind === 'stored_bytes' ? byteSize(amount) : whole(amount)
  }
  const kinds = ['sending_allowance', 'stored_bytes', 'domains', 'keys', 'verification_credits'] as const
  return (
    <Card title={texts.limits} flush>
      <DataTable
        label={texts.limits}
        query={rows(kinds)}
        keyOf={(kind) => kind}
        columns={[
          { title: texts.resource, cell: (kind) => texts.kinds[kind] },
          {
            title: texts.left,
            number: true,
            cell: (kind) => shown(kind, left[kind]),
          },
          {
            title: texts.limit,
            number: true,
            // Credits are granted, and have no limit.
            cell: (kind) => shown(kind, kind === 'verification_credits' ? undefined : limits[kind]),
          },
        ]}
        empty={null}
      />
    </Card>
  )
}

function Months({ months }: { readonly months: Usage['data'] }) {
  const newestFirst = months.toReversed()
  return (
    <>
      <Card title={texts.chart}>
        <BarChart
          caption={texts.chart}
          height={200}
          series={[{ label: texts.accepted, color: 'var(--tone-accent)' }]}
          bars={months.map(({ from, accepted }) => ({
            label: MONTH.format(new Date(from)),
            tick: TICK.format(new Date(from)),
            values: [accepted],
          }))}
        />
      </Card>
      <Card title={texts.byMonth} flush>
        <DataTable
          label={texts.byMonth}
          query={rows(newestFirst)}
          keyOf={({ from }) => from}
          columns={[
            { title: texts.month, cell: ({ from }) => MONTH.format(new Date(from)) },
            { title: texts.accepted, number: true, cell: ({ accepted }) => whole(accepted) },
            { title: texts.delivered, number: true, cell: ({ delivered }) => whole(delivered) },
            { title: texts.bounced, number: true, cell: ({ bounced }) => whole(bounced) },
            {
              title: texts.complained,
              number: true,
              from: 'lg',
              cell: ({ complained }) => whole(complained),
            },
            {
              title: texts.verified,
              number: true,
              cell: ({ verified }) => (verified === null ? '–' : whole(verified)),
            },
          ]}
          empty={null}
        />
      </Card>
    </>
  )
}
