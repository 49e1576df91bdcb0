// A test inbox: its messages, newest first, and one message next to the list.

import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { BackLink } from '../../parts/back-link.tsx'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { SearchText } from '../../parts/filters.tsx'
import { IconChevronLeft, IconChevronRight, IconInbox, IconPaperclip, IconTrash } from '../../parts/icons.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { inboxes as words } from '../../texts/en/inboxes.ts'
import { messages } from '../../texts/en/messages.ts'
import { tables } from '../../texts/en/tables.ts'
import { fill } from '../../texts/texts.ts'
import { clearInbox, type Inbox, inboxQuery, MAILBOX, type MailLine, mailsQuery } from './calls.ts'
import { InboxAccess } from './inbox-access.tsx'
import { MailView } from './mail-view.tsx'
import './inboxes.css'

export function Component() {
  const { inboxId = '', mailId } = useParams()
  const { data: inbox, error, refetch } = useQuery(inboxQuery(inboxId))
  const above = <BackLink to="/inboxes">{words.title}</BackLink>
  if (inbox === undefined) {
    return (
      <Page title={words.inbox} above={above}>
        {error === null ? <Loading /> : <ErrorNotice error={error} again={refetch} />}
      </Page>
    )
  }
  return (
    <Page
      title={inbox.name}
      above={above}
      actions={
        <>
          <Text fz="sm" component="div">
            <StatusBadge status="live" label={words.live} tone="good" />
          </Text>
          <Clear inbox={inbox} />
        </>
      }
      size={1400}
    >
      <div className="inbox" data-opened={mailId !== undefined}>
        <Mails inboxId={inboxId} opened={mailId} />
        <div className="inbox-mail">
          {mailId === undefined ? (
            <About inbox={inbox} />
          ) : (
            <MailView key={mailId} inboxId={inboxId} id={mailId} />
          )}
        </div>
      </div>
    </Page>
  )
}

/** Contents of the page until a message is selected. */
const About = ({ inbox }: { readonly inbox: Inbox }) => (
  <>
    <Card>
      <EmptyState icon={<IconInbox size={32} stroke={1.4} />} title={words.select}>
        {words.selectHint}
      </EmptyState>
    </Card>
    <Card title={words.access}>
      <InboxAccess inbox={inbox} />
    </Card>
  </>
)

function Clear({ inbox: { inbox_id: id, name } }: { readonly inbox: Inbox }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [opened, { open, close }] = useDisclosure()
  const clearing = useMutation({
    mutationFn: () => clearInbox(id),
    onSuccess: async () => {
      close()
      await navigate(`/inboxes/${id}`)
      await queries.invalidateQueries({ queryKey: ['inboxes', id, 'mails'] })
      tell.done(words.cleared)
    },
  })
  return (
    <>
      <Button variant="default" leftSection={<IconTrash size={16} stroke={1.6} />} onClick={open}>
        {words.clear}
      </Button>
      <Confirm
        opened={opened}
        onClose={() => {
          clearing.reset()
          close()
        }}
        title={fill(words.clearQuestion, { name })}
        action={words.clear}
        busy={clearing.isPending}
        error={clearing.error}
        onConfirm={() => clearing.mutate()}
      >
        {words.clearHint}
      </Confirm>
    </>
  )
}

interface MailsProps {
  readonly inboxId: string
  readonly opened: string | undefined
}

function Mails({ inboxId, opened }: MailsProps) {
  const [search, setSearch] = useSearchParams()
  const cursor = useCursor()
  const text = search.get('search') ?? undefined
  const query = useQuery(mailsQuery(inboxId, text, cursor))
  const go = (name: string, value: string | null) =>
    setSearch((before) => {
      const after = new URLSearchParams(before)
      after.delete('cursor')
      if (value) after.set(name, value)
      else after.delete(name)
      return after
    })
  const { data } = query
  return (
    <nav className="inbox-list card" aria-label={words.received}>
      <search className="inbox-search">
        <SearchText
          label={words.search}
          value={text ?? ''}
          onChange={(value) => go('search', value)}
          error={query.error instanceof ProblemError ? query.error.field('search') : undefined}
        />
      </search>
      {data === undefined && (query.error === null ? <Loading /> : <ErrorNotice error={query.error} />)}
      {data?.data.length === 0 && (
        <Nothing
          isMailbox={inboxId === MAILBOX}
          found={text !== undefined}
          more={data.next_cursor !== null}
        />
      )}
      {data?.data.map((mail) => (
        <Line key={mail.mail_id} mail={mail} opened={mail.mail_id === opened} search={search.toString()} />
      ))}
      {data !== undefined && (cursor !== undefined || data.next_cursor !== null) && (
        <Group justify="space-between" p="sm">
          <ActionButton
            size="xs"
            variant="default"
            disabled={cursor === undefined}
            leftSection={<IconChevronLeft size={14} />}
            onClick={() => go('cursor', null)}
          >
            {words.newest}
          </ActionButton>
          <ActionButton
            size="xs"
            variant="default"
            disabled={data.next_cursor === null}
            rightSection={<IconChevronRight size={14} />}
            onClick={() => go('cursor', data.next_cursor)}
          >
            {words.older}
          </ActionButton>
        </Group>
      )}
    </nav>
  )
}

interface LineProps {
  readonly mail: MailLine
  readonly opened: boolean
  readonly search: string
}

function Line({ mail, opened, search }: LineProps) {
  return (
    <Link
      to={{ pathname: `/inboxes/${mail.inbox_id}/${mail.mail_id}`, search }}
      className="inbox-line"
      aria-current={opened ? 'true' : undefined}
    >
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text fz="sm" fw={mail.read ? 500 : 700} truncate>
          {!mail.read && <span className="inbox-unread" role="img" aria-label={words.unread} />}
          {mail.subject || messages.noSubject}
        </Text>
        <Text fz="xs" c="dimmed" component="span">
          <Time at={mail.received_at} />
        </Text>
      </Group>
      <Text fz="sm" truncate>
        {mail.recipients.join(', ')}
      </Text>
      <Group gap={4} wrap="nowrap">
        {mail.attachment_count > 0 && <IconPaperclip size={13} aria-label={words.hasAttachments} />}
        <Text fz="xs" c="dimmed" truncate>
          {mail.snippet || mail.from?.email}
        </Text>
      </Group>
    </Link>
  )
}

interface NothingProps {
  /** True for the mailbox of the playground. */
  readonly isMailbox: boolean
  readonly found: boolean
  /** True if older messages were not searched yet. */
  readonly more: boolean
}

function Nothing({ isMailbox, found, more }: NothingProps) {
  const hint = isMailbox ? words.emptyMailboxHint : words.emptyHint
  return (
    <EmptyState icon={<IconInbox size={32} stroke={1.4} />} title={found ? words.noneFound : words.empty}>
      {more ? tables.noneSoFar : found ? words.noneFoundHint : hint}
    </EmptyState>
  )
}
