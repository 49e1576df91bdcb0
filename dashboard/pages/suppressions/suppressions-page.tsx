// The suppression list of a domain; users can search, add, remove, import and export addresses.

import { ActionIcon, Button, Stack, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { ProblemError } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import { type Column, DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Choice, SearchText, useAddressFilter } from '../../parts/filters.tsx'
import { IconBan, IconDownload, IconPlus, IconUpload, IconX } from '../../parts/icons.tsx'
import { inWords } from '../../parts/in-words.ts'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { suppressions as words } from '../../texts/en/suppressions.ts'
import { fill } from '../../texts/texts.ts'
import { useDomainId } from '../domains/workspace.ts'
import { streamsQuery } from '../streams/calls.ts'
import { AddSuppressions } from './add-suppressions.tsx'
import {
  csvAddress,
  reasonChoices,
  type Suppression,
  type SuppressionFilter,
  suppressionsQuery,
} from './calls.ts'
import { ImportSuppressions } from './import-suppressions.tsx'
import { RemoveSuppressions, SelectionBar } from './remove-suppressions.tsx'

export function Component() {
  const domainId = useDomainId()
  const may = useMay('developer')
  const [filter, change] = useAddressFilter(FILTERS)
  const query = useQuery(suppressionsQuery(domainId, filter, useCursor()))
  const [adding, add] = useDisclosure()
  const [importing, bring] = useDisclosure()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [removed, setRemoved] = useState<readonly Suppression[]>([])
  const filtered = Object.values(filter).some(Boolean)
  return (
    <Page
      title={words.title}
      intro={words.intro}
      actions={
        <>
          <Button
            component="a"
            href={csvAddress(domainId, filter)}
            download="suppressions.csv"
            variant="default"
            leftSection={<IconDownload size={16} stroke={1.6} />}
          >
            {words.export}
          </Button>
          {may && (
            <>
              <Button
                variant="default"
                leftSection={<IconUpload size={16} stroke={1.6} />}
                onClick={bring.open}
              >
                {words.import}
              </Button>
              <Button leftSection={<IconPlus size={16} />} onClick={add.open}>
                {words.add}
              </Button>
            </>
          )}
        </>
      }
    >
      <Stack gap="md">
        <Filters domainId={domainId} filter={filter} change={change} error={query.error} />
        {may && (
          <SelectionBar
            chosen={(query.data?.data ?? []).filter((one) => chosen.has(keyOf(one)))}
            remove={setRemoved}
            clear={() => setChosen(new Set())}
          />
        )}
        <Card flush>
          <DataTable
            label={words.title}
            query={query}
            keyOf={keyOf}
            selection={may ? { chosen, change: setChosen } : undefined}
            columns={[...columns(domainId), ...(may ? [removeColumn((one) => setRemoved([one]))] : [])]}
            empty={
              <EmptyState
                icon={<IconBan size={32} stroke={1.4} />}
                title={filtered ? words.noMatching : words.none}
              >
                {filtered ? words.noMatchingHint : words.noneHint}
              </EmptyState>
            }
          />
        </Card>
      </Stack>
      <AddSuppressions domainId={domainId} opened={adding} onClose={add.close} />
      <ImportSuppressions domainId={domainId} opened={importing} onClose={bring.close} />
      <RemoveSuppressions
        domainId={domainId}
        chosen={removed}
        onClose={() => setRemoved([])}
        onDone={() => setChosen(new Set())}
      />
    </Page>
  )
}

const keyOf = ({ email, stream }: Suppression): string => `${stream} ${email}`

const FILTERS = ['email', 'stream', 'reason'] as const

interface FiltersProps {
  readonly domainId: string
  readonly filter: SuppressionFilter
  readonly change: (change: SuppressionFilter) => void
  readonly error: Error | null
}

function Filters({ domainId, filter, change, error }: FiltersProps) {
  const streams = useQuery(streamsQuery(domainId))
  return (
    <search className="filters filters-in-view" aria-label={words.title}>
      <SearchText
        label={words.addressOrBeginning}
        value={filter.email ?? ''}
        onChange={(email) => change({ email })}
        error={error instanceof ProblemError ? error.field('email') : undefined}
      />
      <Choice
        label={words.stream}
        value={filter.stream}
        onChange={(stream) => change({ stream })}
        data={[
          { value: '*', label: `${words.allStreams} (*)` },
          ...(streams.data?.data ?? []).map(({ alias, name }) => ({ value: alias, label: name })),
        ]}
      />
      <Choice
        label={words.reason}
        value={filter.reason}
        onChange={(reason) => change({ reason })}
        data={reasonChoices()}
      />
    </search>
  )
}

const columns = (domainId: string): readonly Column<Suppression>[] => [
  { title: words.address, cell: ({ email }) => email },
  {
    title: words.reason,
    cell: ({ reason, message_id }) => {
      const label = inWords(reason)
      return message_id === null ? (
        label
      ) : (
        <Link to={`/domains/${domainId}/messages/${message_id}`} className="plain-link">
          {label}
        </Link>
      )
    },
  },
  { title: words.stream, from: 'sm', cell: ({ stream }) => (stream === '*' ? words.all : stream) },
  { title: words.added, from: 'xs', number: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

const removeColumn = (choose: (suppression: Suppression) => void): Column<Suppression> => ({
  title: '',
  number: true,
  cell: (suppression) => (
    <Tooltip label={words.removeFromList}>
      <ActionIcon
        variant="subtle"
        color="gray"
        onClick={() => choose(suppression)}
        aria-label={fill(words.removeAddress, { email: suppression.email })}
      >
        <IconX size={16} />
      </ActionIcon>
    </Tooltip>
  ),
})
