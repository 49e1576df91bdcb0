// The mailbox of the playground: messages that its built-in mail host received, newest first, and one message next to
// the list.

import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearchParams } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { SearchText } from '../../parts/filters.tsx'
import { IconChevronLeft, IconChevronRight, IconInbox, IconPaperclip } from '../../parts/icons.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { useSession } from '../../session.ts'
import { mailbox as words } from '../../texts/en/mailbox.ts'
import { messages } from '../../texts/en/messages.ts'
import { tables } from '../../texts/en/tables.ts'
import { type MailLine, mailsQuery } from './calls.ts'
import { MailView } from './mail-view.tsx'
import './mailbox.css'

export function Component() {
  const { mailId } = useParams()
  if (useSession().mode !== 'playground') return <Elsewhere />
  return (
    <Page
      title={words.title}
      intro={words.intro}
      actions={
        <Text fz="sm" component="div">
          <StatusBadge status="live" label={words.live} tone="good" />
        </Text>
      }
      size={1400}
    >
      <div className="mailbox" data-opened={mailId !== undefined}>
        <Mails opened={mailId} />
        <div className="mailbox-mail">
          {mailId === undefined ? (
            <Card>
              <EmptyState icon={<IconInbox size={32} stroke={1.4} />} title={words.select}>
                {words.selectHint}
              </EmptyState>
            </Card>
          ) : (
            <MailView key={mailId} id={mailId} />
          )}
        </div>
      </div>
    </Page>
  )
}

const Elsewhere = () => (
  <Page title={words.title}>
    <Card>
      <EmptyState icon={<IconInbox size={32} stroke={1.4} />} title={words.notHere}>
        {words.notHereHint}
      </EmptyState>
    </Card>
  </Page>
)

function Mails({ opened }: { readonly opened: string | undefined }) {
  const [search, setSearch] = useSearchParams()
  const cursor = useCursor()
  const text = search.get('search') ?? undefined
  const query = useQuery(mailsQuery(text, cursor))
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
    <nav className="mailbox-list card" aria-label={words.received}>
      <search className="mailbox-search">
        <SearchText
          label={words.search}
          value={text ?? ''}
          onChange={(value) => go('search', value)}
          error={undefined}
        />
      </search>
      {data === undefined && (query.error === null ? <Loading /> : <ErrorNotice error={query.error} />)}
      {data?.data.length === 0 && <Nothing found={text !== undefined} more={data.next_cursor !== null} />}
      {data?.data.map((mail) => (
        <Line key={mail.id} mail={mail} opened={mail.id === opened} search={search.toString()} />
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
  const [from] = mail.from
  return (
    <Link
      to={{ pathname: `/mailbox/${mail.id}`, search }}
      className="mailbox-line"
      aria-current={opened ? 'true' : undefined}
    >
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text fz="sm" fw={600} truncate>
          {mail.subject || messages.noSubject}
        </Text>
        <Text fz="xs" c="dimmed" component="span">
          <Time at={mail.received_at} />
        </Text>
      </Group>
      <Text fz="sm" truncate>
        {mail.rcpt_to}
      </Text>
      <Group gap={4} wrap="nowrap">
        {mail.files > 0 && <IconPaperclip size={13} aria-label={words.hasAttachments} />}
        <Text fz="xs" c="dimmed" truncate>
          {mail.preview || from?.address || mail.mail_from}
        </Text>
      </Group>
    </Link>
  )
}

interface NothingProps {
  readonly found: boolean
  /** True if older messages were not searched yet. */
  readonly more: boolean
}

const Nothing = ({ found, more }: NothingProps) => (
  <EmptyState icon={<IconInbox size={32} stroke={1.4} />} title={found ? words.noneFound : words.none}>
    {more ? tables.noneSoFar : found ? words.noneFoundHint : words.noneHint}
  </EmptyState>
)
