// The list of the streams of a domain, which separate kinds of mail.

import { ActionIcon, Anchor, Badge, Button, Menu, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { withQuery } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconAddressBook, IconArchive, IconDots, IconPencil, IconPlus } from '../../parts/icons.tsx'
import { share, whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { streams as words } from '../../texts/en/streams.ts'
import { fill } from '../../texts/texts.ts'
import { useDomainId } from '../domains/workspace.ts'
import { type Statistics, statisticsQuery } from '../statistics/calls.ts'
import { choiceOf } from '../statistics/choice.ts'
import { removeStream, type Stream, streamsQuery } from './calls.ts'
import { StreamForm } from './stream-form.tsx'

export function Component() {
  const domainId = useDomainId()
  const query = useQuery(streamsQuery(domainId))
  const figures = useQuery(statisticsQuery(choiceOf({ range: '30d', domain: domainId })))
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
          columns={[
            ...columns(domainId, figures.data),
            ...(may ? [actionColumn(setEdited, setRemoved)] : []),
          ]}
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

const columns = (domainId: string, figures: Statistics | undefined): readonly Column<Stream>[] => [
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
  {
    title: words.sent,
    from: 'sm',
    number: true,
    cell: ({ kind, alias }) =>
      kind === 'inbound' || figures === undefined ? null : (
        <Sent domainId={domainId} alias={alias} figures={figures} />
      ),
  },
  { title: words.created, from: 'lg', number: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

interface SentProps {
  readonly domainId: string
  readonly alias: string
  readonly figures: Statistics
}

/** Number of accepted recipients of a stream and its bounce rate, with a link to the statistics of the stream. */
function Sent({ domainId: domain, alias: stream, figures }: SentProps) {
  const group = figures.groups?.find(({ name }) => name === stream)
  if (group === undefined) return whole(0)
  const { accepted, bounced, delivered, failed } = group
  return (
    <>
      <Anchor component={Link} to={withQuery('/statistics', { range: '30d', domain, stream })} fz="sm">
        {whole(accepted)}
      </Anchor>
      {bounced > 0 && (
        <Text fz="xs" c="dimmed">
          {fill(words.bounced, { share: share(bounced, bounced + delivered + failed) })}
        </Text>
      )}
    </>
  )
}

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
