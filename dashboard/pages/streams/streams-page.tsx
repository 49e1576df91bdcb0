// The streams of a domain: which mail is kept apart from which.

import { ActionIcon, Badge, Button, Menu, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconAddressBook, IconArchive, IconDots, IconPencil, IconPlus } from '../../parts/icons.tsx'
import { whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { useDomainId } from '../domains/workspace.ts'
import { KINDS, removeStream, type Stream, streamsQuery } from './calls.ts'
import { StreamForm } from './stream-form.tsx'

export function Component() {
  const domainId = useDomainId()
  const query = useQuery(streamsQuery(domainId))
  const may = useMay('developer')
  const [edited, setEdited] = useState<Stream | 'new'>()
  const [removed, setRemoved] = useState<Stream>()
  const create = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited('new')}>
      New stream
    </Button>
  )
  return (
    <Page
      title="Streams"
      intro="Streams separate kinds of mail. Each has its own suppressions, rate limit and sending allowance."
      actions={create}
    >
      <Card flush>
        <DataTable
          label="Streams"
          query={query}
          keyOf={({ alias }) => alias}
          columns={[...COLUMNS, ...(may ? [actionColumn(setEdited, setRemoved)] : [])]}
          empty={
            <EmptyState
              icon={<IconAddressBook size={32} stroke={1.4} />}
              title="No streams"
              action={create}
            />
          }
        />
      </Card>
      <StreamForm
        key={typeof edited === 'object' ? edited.alias : edited}
        domainId={domainId}
        edited={edited}
        onClose={() => setEdited(undefined)}
      />
      <Remove domainId={domainId} stream={removed} onClose={() => setRemoved(undefined)} />
    </Page>
  )
}

const COLUMNS: readonly Column<Stream>[] = [
  {
    title: 'Stream',
    cell: ({ name, alias, archived }) => (
      <div className="two-lines">
        <Text fz="sm" fw={500} c={archived ? 'dimmed' : undefined}>
          {name}
          {archived && (
            <Badge ml="xs" variant="light" color="gray" tt="none" fw={500}>
              Archived
            </Badge>
          )}
        </Text>
        <Text c="dimmed" className="code-line">
          {alias}
        </Text>
      </div>
    ),
  },
  { title: 'Kind', cell: ({ kind }) => KINDS[kind] },
  {
    title: 'Rate limit',
    from: 'sm',
    cell: ({ kind, rate }) => (kind === 'inbound' ? null : (rate ?? 'No limit')),
  },
  {
    title: 'Allowance',
    from: 'md',
    number: true,
    cell: ({ kind, sending_allowance: left }) =>
      kind === 'inbound' ? null : left === null ? 'No limit' : whole(left),
  },
  { title: 'Created', from: 'md', number: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

const actionColumn = (edit: (stream: Stream) => void, remove: (stream: Stream) => void): Column<Stream> => ({
  title: '',
  number: true,
  cell: (stream) => (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${stream.name}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => edit(stream)}>
          Edit
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArchive size={16} />}
          disabled={stream.archived}
          onClick={() => remove(stream)}
        >
          Archive or delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  ),
})

interface RemoveProps {
  readonly domainId: string
  readonly stream: Stream | undefined
  readonly onClose: () => void
}

function Remove({ domainId, stream, onClose }: RemoveProps) {
  const queries = useQueryClient()
  const removing = useMutation({
    mutationFn: (alias: string) => removeStream(domainId, alias),
    onSuccess: async (archived) => {
      await queries.invalidateQueries({ queryKey: streamsQuery(domainId).queryKey })
      tell.done(archived === undefined ? `${stream?.name} deleted.` : `${stream?.name} archived.`)
      onClose()
    },
  })
  return (
    <Confirm
      opened={stream !== undefined}
      onClose={() => {
        removing.reset()
        onClose()
      }}
      title={`Remove ${stream?.name ?? ''}?`}
      action="Remove"
      busy={removing.isPending}
      error={removing.error}
      onConfirm={() => stream !== undefined && removing.mutate(stream.alias)}
    >
      Requests that name the stream are rejected from then on. A stream with messages is archived, so that its
      messages can still be found; an unused one is deleted.
    </Confirm>
  )
}
