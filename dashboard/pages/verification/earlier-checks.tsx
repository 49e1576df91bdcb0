// Earlier verifications of single addresses, with a search, a filter and a CSV download.

import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Breakable } from '../../parts/breakable.tsx'
import { useCursor } from '../../parts/data-table.tsx'
import { FilteredTable } from '../../parts/filtered-table.tsx'
import { allEmpty, Choice, SearchText, useAddressFilter } from '../../parts/filters.tsx'
import { IconDownload } from '../../parts/icons.tsx'
import { inWords } from '../../parts/in-words.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { verification as words } from '../../texts/en/verification.ts'
import { checksAddress, checksQuery } from './calls.ts'
import { explanationOf, RESULTS, TONES } from './words.ts'

const texts = words.check

const FILTERS = ['text', 'result'] as const

/** The verifications by the users and API keys of the account, newest first. */
export function EarlierChecks() {
  const [filter, setFilter] = useAddressFilter(FILTERS)
  const checks = useQuery(checksQuery(filter, useCursor()))
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>{texts.earlier}</Title>
        <Button
          component="a"
          href={checksAddress(filter)}
          download
          variant="default"
          size="xs"
          leftSection={<IconDownload size={14} />}
        >
          {texts.download}
        </Button>
      </Group>
      <FilteredTable
        label={texts.earlier}
        query={checks}
        keyOf={({ check_id }) => check_id}
        fields={
          <>
            <SearchText
              label={texts.search}
              value={filter.text ?? ''}
              onChange={(text) => setFilter({ text })}
              error={undefined}
            />
            <Choice
              label={words.result}
              value={filter.result}
              onChange={(result) => setFilter({ result })}
              data={RESULTS.map((value) => ({ value, label: inWords(value) }))}
            />
          </>
        }
        filtered={filter.text !== undefined || filter.result !== undefined}
        clear={() => setFilter(allEmpty(FILTERS))}
        nothing={{ title: texts.noneFound, hint: texts.noneFoundHint }}
        columns={[
          {
            title: words.address,
            width: { base: '60%', md: '30%' },
            cell: ({ email }) =>
              email.includes('@') ? (
                <Anchor component={Link} to={`/addresses/${encodeURIComponent(email)}`} c="inherit">
                  <Breakable text={email} after="@" />
                </Anchor>
              ) : (
                email
              ),
          },
          {
            title: words.result,
            cell: ({ result }) => (
              <StatusBadge status={result} label={inWords(result)} tone={TONES[result] ?? 'quiet'} />
            ),
          },
          { title: words.reason, cell: explanationOf },
          { title: words.by, from: 'lg', cell: ({ by }) => by ?? '' },
          { title: words.time, from: 'sm', cell: ({ checked_at }) => <Time at={checked_at} /> },
        ]}
        empty={
          <Text c="dimmed" p="lg">
            {texts.noneEarlier}
          </Text>
        }
      />
    </Stack>
  )
}
