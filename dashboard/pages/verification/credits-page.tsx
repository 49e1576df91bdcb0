// The verification credits: balance, uses and grants.

import { SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { BarChart } from '../../parts/bar-chart.tsx'
import { Card } from '../../parts/card.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Loading } from '../../parts/loading.tsx'
import { whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { verification as words } from '../../texts/en/verification.ts'
import { locale } from '../../texts/language.ts'
import { counted } from '../../texts/texts.ts'
import { type Credits, creditsQuery } from './calls.ts'
import { VerificationTabs } from './verification-tabs.tsx'

const texts = words.credits

// The service counts credits by UTC days.
const DAY = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })

export function Component() {
  const { data, error, refetch } = useQuery({ ...creditsQuery, refetchInterval: 10_000 })
  return (
    <Page title={words.title} intro={texts.intro}>
      <VerificationTabs />
      {data !== undefined ? (
        <Balance credits={data} />
      ) : error !== null ? (
        <ErrorNotice error={error} again={refetch} />
      ) : (
        <Loading />
      )}
    </Page>
  )
}

function Balance({ credits }: { readonly credits: Credits }) {
  const { balance, grants, uses } = credits
  // There is one entry per day, oldest first.
  const month = uses.slice(-30).reduce((sum, one) => sum + one.credits, 0)
  return (
    <Stack gap="lg">
      <Card>
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <Figure name={texts.left} value={whole(balance)} />
          <Figure name={texts.used} value={whole(month)} />
          <Figure name={texts.lasts} value={lastsFor(balance, month)} />
        </SimpleGrid>
      </Card>
      <Card title={texts.byDay}>
        <BarChart
          caption={texts.byDayCaption}
          height={200}
          series={[{ label: texts.credits, color: 'var(--tone-accent)' }]}
          bars={uses.map((one) => ({ label: DAY.format(new Date(one.day)), values: [one.credits] }))}
        />
      </Card>
      <Card title={texts.granted} flush>
        <DataTable
          label={texts.grantedLabel}
          query={{ data: { data: grants, next_cursor: null }, error: null, refetch: () => {} }}
          keyOf={({ grant_id }) => grant_id}
          columns={[
            { title: words.time, cell: ({ granted_at }) => <Time at={granted_at} exact /> },
            { title: texts.note, cell: ({ note }) => note ?? '' },
            { title: texts.credits, number: true, cell: ({ credits: amount }) => whole(amount) },
          ]}
          empty={
            <Text c="dimmed" fz="sm" px="lg" pb="lg">
              {texts.noneGranted}
            </Text>
          }
        />
      </Card>
    </Stack>
  )
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <div className="figure-name">{name}</div>
      <div className="figure-value">{value}</div>
    </div>
  )
}

/** Returns in words how long the credits last at the rate of the last 30 days. */
function lastsFor(balance: number, month: number): string {
  if (month === 0) return '–'
  const days = Math.floor((30 * balance) / month)
  return days > 730 ? texts.long : counted(texts.days, days)
}
