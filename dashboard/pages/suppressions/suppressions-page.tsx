// The addresses that a domain no longer sends to: found, added, removed, brought in and taken out as CSV.

import { ActionIcon, Button, Stack, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { ProblemError } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { type Column, DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Choice, SearchText } from '../../parts/filters.tsx'
import { IconBan, IconDownload, IconPlus, IconUpload, IconX } from '../../parts/icons.tsx'
import { inWords } from '../../parts/in-words.ts'
import { Page } from '../../parts/page.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { useDomainId } from '../domains/workspace.ts'
import { streamsQuery } from '../streams/calls.ts'
import { AddSuppressions } from './add-suppressions.tsx'
import {
  csvAddress,
  REASONS,
  removeSuppression,
  type Suppression,
  type SuppressionFilter,
  suppressionsQuery,
} from './calls.ts'
import { ImportSuppressions } from './import-suppressions.tsx'

export function Component() {
  const domainId = useDomainId()
  const may = useMay('developer')
  const [filter, change] = useFilter()
  const query = useQuery(suppressionsQuery(domainId, filter, useCursor()))
  const [adding, add] = useDisclosure()
  const [importing, bring] = useDisclosure()
  const [removed, setRemoved] = useState<Suppression>()
  const filtered = Object.values(filter).some(Boolean)
  return (
    <Page
      title="Suppressions"
      intro="Addresses that messages are not sent to. Hard bounces, complaints and unsubscribes are added automatically."
      actions={
        <>
          <Button
            component="a"
            href={csvAddress(domainId, filter)}
            download="suppressions.csv"
            variant="default"
            leftSection={<IconDownload size={16} stroke={1.6} />}
          >
            Export
          </Button>
          {may && (
            <>
              <Button
                variant="default"
                leftSection={<IconUpload size={16} stroke={1.6} />}
                onClick={bring.open}
              >
                Import
              </Button>
              <Button leftSection={<IconPlus size={16} />} onClick={add.open}>
                Add
              </Button>
            </>
          )}
        </>
      }
    >
      <Stack gap="md">
        <Filters domainId={domainId} filter={filter} change={change} error={query.error} />
        <Card flush>
          <DataTable
            label="Suppressions"
            query={query}
            keyOf={({ email, stream }) => `${stream} ${email}`}
            columns={[...columns(domainId), ...(may ? [removeColumn(setRemoved)] : [])]}
            empty={
              <EmptyState
                icon={<IconBan size={32} stroke={1.4} />}
                title={filtered ? 'No matching addresses' : 'No suppressed addresses'}
              >
                {filtered ? 'Search by the full address.' : 'Messages are sent to every address.'}
              </EmptyState>
            }
          />
        </Card>
      </Stack>
      <AddSuppressions domainId={domainId} opened={adding} onClose={add.close} />
      <ImportSuppressions domainId={domainId} opened={importing} onClose={bring.close} />
      <Remove domainId={domainId} value={removed} onClose={() => setRemoved(undefined)} />
    </Page>
  )
}

/** As it stands in the address. */
function useFilter(): [SuppressionFilter, (change: SuppressionFilter) => void] {
  const [search, setSearch] = useSearchParams()
  const of = (name: string) => search.get(name) ?? undefined
  const filter = { email: of('email'), stream: of('stream'), reason: of('reason') }
  const change = (changed: SuppressionFilter) => {
    const given = Object.entries({ ...filter, ...changed }).filter(([, value]) => value)
    setSearch(new URLSearchParams(given as [string, string][]), { replace: true })
  }
  return [filter, change]
}

interface FiltersProps {
  readonly domainId: string
  readonly filter: SuppressionFilter
  readonly change: (change: SuppressionFilter) => void
  readonly error: Error | null
}

function Filters({ domainId, filter, change, error }: FiltersProps) {
  const streams = useQuery(streamsQuery(domainId))
  return (
    <search className="filters" aria-label="Suppressions">
      <SearchText
        label="Full address"
        value={filter.email ?? ''}
        onChange={(email) => change({ email })}
        error={error instanceof ProblemError ? error.field('email') : undefined}
      />
      <Choice
        label="Stream"
        value={filter.stream}
        onChange={(stream) => change({ stream })}
        data={[
          { value: '*', label: 'All streams (*)' },
          ...(streams.data?.data ?? []).map(({ alias, name }) => ({ value: alias, label: name })),
        ]}
      />
      <Choice label="Reason" value={filter.reason} onChange={(reason) => change({ reason })} data={REASONS} />
    </search>
  )
}

const columns = (domainId: string): readonly Column<Suppression>[] => [
  { title: 'Address', cell: ({ email }) => email },
  {
    title: 'Reason',
    cell: ({ reason, message_id }) => {
      const words = REASONS.find(({ value }) => value === reason)?.label ?? inWords(reason)
      return message_id === null ? (
        words
      ) : (
        <Link to={`/domains/${domainId}/messages/${message_id}`} className="plain-link">
          {words}
        </Link>
      )
    },
  },
  { title: 'Stream', from: 'sm', cell: ({ stream }) => (stream === '*' ? 'All' : stream) },
  { title: 'Added', from: 'xs', number: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

const removeColumn = (choose: (suppression: Suppression) => void): Column<Suppression> => ({
  title: '',
  number: true,
  cell: (suppression) => (
    <Tooltip label="Remove from list">
      <ActionIcon
        variant="subtle"
        color="gray"
        onClick={() => choose(suppression)}
        aria-label={`Remove ${suppression.email}`}
      >
        <IconX size={16} />
      </ActionIcon>
    </Tooltip>
  ),
})

interface RemoveProps {
  readonly domainId: string
  readonly value: Suppression | undefined
  readonly onClose: () => void
}

function Remove({ domainId, value, onClose }: RemoveProps) {
  const queries = useQueryClient()
  const removing = useMutation({
    mutationFn: (suppression: Suppression) => removeSuppression(domainId, suppression),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['domains', domainId, 'suppressions'] })
      tell.done(`${value?.email} removed from the suppression list.`)
      onClose()
    },
  })
  return (
    <Confirm
      opened={value !== undefined}
      onClose={() => {
        removing.reset()
        onClose()
      }}
      title={`Send to ${value?.email ?? ''} again?`}
      action="Remove"
      busy={removing.isPending}
      error={removing.error}
      onConfirm={() => value !== undefined && removing.mutate(value)}
    >
      {value?.reason === 'complaint'
        ? 'This recipient reported a message as spam. Remove the address only if the recipient asked for it: further complaints harm the delivery of all your messages.'
        : 'Messages are sent to this address again. If it hard-bounces again, it is suppressed again.'}
    </Confirm>
  )
}
