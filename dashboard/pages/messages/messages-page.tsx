// Live list of the messages of a domain, with filters for recipient, subject, tag, status, stream and time.

import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { type Column, DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconDownload, IconMail, IconMailSearch } from '../../parts/icons.tsx'
import { Live } from '../../parts/live.tsx'
import { Page } from '../../parts/page.tsx'
import { LIVE_MS, POLLED_MS, queries, STREAMED_MS } from '../../queries.ts'
import { useMay } from '../../session.ts'
import { messages as words } from '../../texts/en/messages.ts'
import { tables } from '../../texts/en/tables.ts'
import { counted, fill } from '../../texts/texts.ts'
import { useEventStream } from '../activity/event-stream.ts'
import { domainQuery } from '../domains/calls.ts'
import { useDomainId } from '../domains/workspace.ts'
import {
  csvAddress,
  eventsAddress,
  FILTERS,
  type MessageLine,
  messageCountQuery,
  messagesQuery,
} from './calls.ts'
import { FilterBar, useFilter } from './filter-bar.tsx'
import {
  oneLine,
  reasonColumn,
  recipientColumn,
  sentColumn,
  statusColumn,
  subjectColumn,
} from './message-columns.tsx'
import { outcomeOf } from './outcome.ts'
import { SelectionBar } from './selection-bar.tsx'

export function Component() {
  const domainId = useDomainId()
  const [filter, change] = useFilter()
  const cursor = useCursor()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const may = useMay('developer')
  const askAgain = useCallback(
    () => void queries.invalidateQueries({ queryKey: ['domains', domainId, 'messages'] }),
    [domainId],
  )
  const open = useEventStream(cursor === undefined ? eventsAddress(domainId) : undefined, askAgain, LIVE_MS)
  const query = useQuery(messagesQuery(domainId, filter, cursor, open ? STREAMED_MS : POLLED_MS))
  const { data: count } = useQuery(messageCountQuery(domainId, filter))
  const linkOf = ({ message_id }: MessageLine) => `/domains/${domainId}/messages/${message_id}`
  const filtered = Object.keys(filter).length > 0
  const rows = query.data?.data ?? []
  return (
    <Page
      title={words.title}
      intro={words.intro}
      actions={
        <>
          {cursor === undefined && query.data !== undefined && <Live failing={query.isError} />}
          {rows.length > 0 && (
            <Button
              component="a"
              href={csvAddress(domainId, filter)}
              download
              variant="default"
              leftSection={<IconDownload size={16} stroke={1.6} />}
            >
              {words.export}
            </Button>
          )}
        </>
      }
      size={1240}
    >
      <Stack gap="md">
        <FilterBar filter={filter} change={change} error={query.error} />
        {may && (
          <SelectionBar
            domainId={domainId}
            messages={rows.filter(({ message_id }) => chosen.has(message_id))}
            clear={() => setChosen(new Set())}
          />
        )}
        <Card flush>
          <DataTable
            label={words.title}
            query={query}
            columns={columns(linkOf)}
            keyOf={({ message_id }) => message_id}
            linkOf={linkOf}
            dense
            selection={may ? { chosen, change: setChosen } : undefined}
            total={
              count &&
              (count.complete
                ? counted(words.count, count.count)
                : fill(words.countOrMore, { count: count.count }))
            }
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
  statusColumn(outcomeOf),
  recipientColumn(),
  subjectColumn(linkOf, outcomeOf),
  reasonColumn(outcomeOf),
  { title: words.tag, cell: ({ tags }) => oneLine(tags.join(', ') || '–'), from: 'xl', width: 120 },
  sentColumn(),
]

const NothingFound = ({ clear }: { readonly clear: () => void }) => (
  <EmptyState
    icon={<IconMailSearch size={32} stroke={1.4} />}
    title={words.nothingFound}
    action={
      <Button variant="default" onClick={clear}>
        {tables.clearFilters}
      </Button>
    }
  >
    {words.nothingFoundHint}
  </EmptyState>
)

/** Suggests the first step in an empty list: a domain must be verified before it can send. */
function NothingSent({ domainId }: { readonly domainId: string }) {
  const domain = useQuery(domainQuery(domainId)).data
  const verified = domain === undefined || domain.status === 'verified'
  return (
    <EmptyState
      icon={<IconMail size={32} stroke={1.4} />}
      title={words.none}
      action={
        <Button component={Link} to={`/domains/${domainId}/${verified ? 'keys' : 'dns'}`}>
          {verified ? words.createKey : words.viewRecords}
        </Button>
      }
    >
      {verified ? words.noneVerified : domain.status === 'paused' ? words.nonePaused : words.noneUnverified}
    </EmptyState>
  )
}
