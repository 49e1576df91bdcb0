// The list of the test inboxes of the account.

import { ActionIcon, Anchor, Button, Menu, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { type Column, DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconDots, IconInbox, IconKey, IconPencil, IconPlus, IconTrash } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { inboxes as words } from '../../texts/en/inboxes.ts'
import { tables } from '../../texts/en/tables.ts'
import { counted, fill } from '../../texts/texts.ts'
import { deleteInbox, type Inbox, inboxesQuery, MAILBOX } from './calls.ts'
import { EditInbox, NewInboxDialog } from './inbox-form.tsx'
import { NewTestKey } from './new-test-key.tsx'

/** A dialog about one inbox. */
type Opened = { readonly inbox: Inbox; readonly dialog: 'edit' | 'key' | 'delete' }

export function Component() {
  const query = useQuery(inboxesQuery(useCursor()))
  const [making, setMaking] = useState(false)
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  const of = (dialog: Opened['dialog']) => (opened?.dialog === dialog ? opened.inbox : undefined)
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setMaking(true)}>
      {words.new}
    </Button>
  )
  return (
    <Page
      title={words.title}
      intro={
        <>
          {words.intro}{' '}
          <Anchor href="/docs/pages/testing" target="_blank" rel="noreferrer" inherit underline="always">
            {words.guide}
          </Anchor>
        </>
      }
      actions={create}
    >
      <Card flush>
        <DataTable
          label={words.title}
          query={query}
          keyOf={({ inbox_id }) => inbox_id}
          linkOf={addressOf}
          columns={[...COLUMNS, actionColumn(setOpened)]}
          empty={
            <EmptyState icon={<IconInbox size={32} stroke={1.4} />} title={words.none} action={create}>
              {words.noneHint}
            </EmptyState>
          }
        />
      </Card>
      <NewInboxDialog opened={making} onClose={() => setMaking(false)} />
      <EditInbox key={of('edit')?.inbox_id} inbox={of('edit')} onClose={close} />
      <NewTestKey inbox={of('key')} onClose={close} />
      <Delete inbox={of('delete')} onClose={close} />
    </Page>
  )
}

const addressOf = ({ inbox_id }: Inbox): string => `/inboxes/${inbox_id}`

const COLUMNS: readonly Column<Inbox>[] = [
  {
    title: words.inbox,
    cell: (inbox) => (
      <div className="two-lines">
        <Anchor component={Link} to={addressOf(inbox)} fw={500} c="var(--mantine-color-text)" fz="sm">
          {inbox.name}
        </Anchor>
        <Text c="dimmed" className="code-line">
          {inbox.inbox_id}
        </Text>
      </div>
    ),
  },
  {
    title: words.keeps,
    cell: ({ keep_messages, keep_days }) => (
      <div className="two-lines">
        <Text fz="sm">{counted(words.keepsMessages, keep_messages)}</Text>
        <Text fz="xs" c="dimmed">
          {counted(words.keepsDays, keep_days)}
        </Text>
      </div>
    ),
  },
  {
    title: words.baseUrl,
    from: 'md',
    cell: ({ base_url }) => <CopyButton text={base_url} what={words.theBaseUrl} label={tables.copy} />,
  },
  { title: words.created, from: 'sm', number: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

const actionColumn = (open: (opened: Opened) => void): Column<Inbox> => ({
  title: '',
  number: true,
  cell: (inbox) => (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={fill(words.actionsFor, { name: inbox.name })}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconKey size={16} />} onClick={() => open({ inbox, dialog: 'key' })}>
          {words.newKey}
        </Menu.Item>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => open({ inbox, dialog: 'edit' })}>
          {words.edit}
        </Menu.Item>
        {inbox.inbox_id !== MAILBOX && (
          <Menu.Item leftSection={<IconTrash size={16} />} onClick={() => open({ inbox, dialog: 'delete' })}>
            {words.delete}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  ),
})

interface DeleteProps {
  readonly inbox: Inbox | undefined
  readonly onClose: () => void
}

function Delete({ inbox, onClose }: DeleteProps) {
  const queries = useQueryClient()
  const deleting = useMutation({
    mutationFn: ({ inbox_id }: Inbox) => deleteInbox(inbox_id),
    onSuccess: async (_, { name }) => {
      await queries.invalidateQueries({ queryKey: ['inboxes'] })
      tell.done(fill(words.deleted, { name }))
      onClose()
    },
  })
  return (
    <Confirm
      opened={inbox !== undefined}
      onClose={() => {
        deleting.reset()
        onClose()
      }}
      title={fill(words.deleteQuestion, { name: inbox?.name ?? '' })}
      action={words.delete}
      busy={deleting.isPending}
      error={deleting.error}
      onConfirm={() => inbox !== undefined && deleting.mutate(inbox)}
    >
      {words.deleteHint}
    </Confirm>
  )
}
