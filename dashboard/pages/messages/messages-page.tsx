// The messages of a domain: found by recipient, subject, tag, status, stream and time, and live while looked at.

import { Anchor, Button, Stack, Text } from '@mantine/core'
import { IconMail, IconMailSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { type Column, DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Live } from '../../parts/live.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { useDomainId } from '../domains/workspace.ts'
import { FILTERS, type MessageLine, messagesQuery, recipientsOf } from './calls.ts'
import { FilterBar, useFilter } from './filter-bar.tsx'
import { type Outcome, outcomeOf } from './outcome.ts'

export function Component() {
  const domainId = useDomainId()
  const [filter, change] = useFilter()
  const cursor = useCursor()
  const query = useQuery(messagesQuery(domainId, filter, cursor))
  const linkOf = ({ message_id }: MessageLine) => `/domains/${domainId}/messages/${message_id}`
  const filtered = Object.keys(filter).length > 0
  return (
    <Page
      title="Messages"
      intro="Messages sent from this domain, newest first."
      actions={cursor === undefined && query.data !== undefined && <Live failing={query.isError} />}
      size={1240}
    >
      <Stack gap="md">
        <FilterBar filter={filter} change={change} error={query.error} />
        <Card flush>
          <DataTable
            label="Messages"
            query={query}
            columns={columns(linkOf)}
            keyOf={({ message_id }) => message_id}
            linkOf={linkOf}
            empty={
              filtered ? (
                <NothingFound clear={() => change(Object.fromEntries(FILTERS.map((name) => [name, ''])))} />
              ) : (
                <NothingSent domainId={domainId} />
              )
            }
          />
        </Card>
      </Stack>
    </Page>
  )
}

const columns = (linkOf: (row: MessageLine) => string): readonly Column<MessageLine>[] => [
  {
    title: 'Message',
    cell: (row) => (
      <div className="two-lines one-line-each">
        <Anchor component={Link} to={linkOf(row)} fw={500} c="var(--mantine-color-text)" fz="sm">
          {row.subject || '(no subject)'}
        </Anchor>
        <Text fz="sm" c="dimmed" title={recipientsOf(row)[0]?.email}>
          {recipientsInShort(row)}
        </Text>
      </div>
    ),
  },
  { title: 'Status', cell: (row) => <State outcome={outcomeOf(row)} />, width: { base: 1, sm: 300 } },
  { title: 'Stream', cell: ({ stream }) => <OneLine text={stream} />, from: 'lg', width: 130 },
  { title: 'Tag', cell: ({ tag }) => <OneLine text={tag ?? '–'} />, from: 'md', width: 130 },
  { title: 'Sent', cell: ({ created_at }) => <Time at={created_at} />, from: 'xs', width: 130, number: true },
]

/** The state, and below it the reason of what failed or waits. */
const State = ({ outcome: { status, reason, nextAttemptAt } }: { readonly outcome: Outcome }) => (
  <div className="two-lines one-line-each">
    <Text fz="sm" component="div">
      <StatusBadge status={status} />
      {nextAttemptAt !== undefined && (
        <Text span fz="sm" c="dimmed" visibleFrom="sm">
          {' · next attempt '}
          <Time at={nextAttemptAt} />
        </Text>
      )}
    </Text>
    {reason !== undefined && reason !== '' && (
      <Text fz="sm" c="dimmed" title={reason} visibleFrom="sm">
        {reason}
      </Text>
    )}
  </div>
)

const OneLine = ({ text }: { readonly text: string }) => (
  <div className="one-line-each" title={text}>
    <div>{text}</div>
  </div>
)

function recipientsInShort(message: MessageLine): string {
  const [first, ...others] = recipientsOf(message)
  return others.length === 0 ? (first?.email ?? '') : `${first?.email} and ${others.length} more`
}

const NothingFound = ({ clear }: { readonly clear: () => void }) => (
  <EmptyState
    icon={<IconMailSearch size={32} stroke={1.4} />}
    title="No matching messages"
    action={
      <Button variant="default" onClick={clear}>
        Clear filters
      </Button>
    }
  >
    Recipients match by full address or its beginning in any case, subjects by words or their beginning, tags
    by the full tag.
  </EmptyState>
)

const NothingSent = ({ domainId }: { readonly domainId: string }) => (
  <EmptyState
    icon={<IconMail size={32} stroke={1.4} />}
    title="No messages yet"
    action={
      <Button component={Link} to={`/domains/${domainId}/keys`}>
        Create an API key
      </Button>
    }
  >
    Create an API key and send your first message. It appears here within seconds.
  </EmptyState>
)
