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
import { streams as words } from '../../texts/en/streams.ts'
import { fill } from '../../texts/texts.ts'
import { useDomainId } from '../domains/workspace.ts'
import { removeStream, type Stream, streamsQuery } from './calls.ts'
import { StreamForm } from './stream-form.tsx'

export function Component() {
  const domainId = useDomainId()
  const query = useQuery(streamsQuery(domainId))
  const may = useMay('developer')
  const [edited, setEdited] = useState<Stream | 'new'>()
  const [removed, setRemoved] = useState<Stream>()
  const create = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited('new')}>
      {words.new}
    </Button>
  )
  return (
    <Page title={words.title} intro={words.intro} actions={create}>
      <Card flush>
        <DataTable
          label={words.title}
          query={query}
          keyOf={({ alias }) => alias}
          columns={[...columns(), ...(may ? [actionColumn(setEdited, setRemoved)] : [])]}
          empty={
            <EmptyState
              icon={<IconAddressBook size={32} stroke={1.4} />}
              title={words.none}
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

const columns = (): readonly Column<Stream>[] => [
  {
    title: words.stream,
    cell: ({ name, alias, archived }) => (
      <div className="two-lines">
        <Text fz="sm" fw={500} c={archived ? 'dimmed' : undefined}>
          {name}
          {archived && (
            <Badge ml="xs" variant="light" color="gray" tt="none" fw={500}>
              {words.archived}
            </Badge>
          )}
        </Text>
        <Text c="dimmed" className="code-line">
          {alias}
        </Text>
      </div>
    ),
  },
  { title: words.kind, cell: ({ kind }) => words.kinds[kind] },
  {
    title: words.rateLimit,
    from: 'sm',
    cell: ({ kind, rate }) => (kind === 'inbound' ? null : (rate ?? words.noLimit)),
  },
  {
    title: words.allowance,
    from: 'md',
    number: true,
    cell: ({ kind, sending_allowance: left }) =>
      kind === 'inbound' ? null : left === null ? words.noLimit : whole(left),
  },
  { title: words.created, from: 'md', number: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

const actionColumn = (edit: (stream: Stream) => void, remove: (stream: Stream) => void): Column<Stream> => ({
  title: '',
  number: true,
  cell: (stream) => (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={fill(words.actionsFor, { name: stream.name })}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => edit(stream)}>
          {words.edit}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArchive size={16} />}
          disabled={stream.archived}
          onClick={() => remove(stream)}
        >
          {words.archiveOrDelete}
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
      tell.done(
        fill(archived === undefined ? words.wasDeleted : words.wasArchived, { name: stream?.name ?? '' }),
      )
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
      title={fill(words.removeQuestion, { name: stream?.name ?? '' })}
      action={words.remove}
      busy={removing.isPending}
      error={removing.error}
      onConfirm={() => stream !== undefined && removing.mutate(stream.alias)}
    >
      {words.removeHint}
    </Confirm>
  )
}
