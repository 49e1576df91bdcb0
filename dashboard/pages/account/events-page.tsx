// The events of the account, and the webhooks that deliver the events to programs.

import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FilteredTable } from '../../parts/filtered-table.tsx'
import { allEmpty, Choice, Moment, SearchText, useAddressFilter } from '../../parts/filters.tsx'
import { IconHistory } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { account } from '../../texts/en/account.ts'
import { accountEvents as words } from '../../texts/en/account-events.ts'
import { audit } from '../../texts/en/audit.ts'
import { webhooks } from '../../texts/en/webhooks.ts'
import { eventName } from '../webhooks/event-name.ts'
import { WebhookForm } from '../webhooks/webhook-form.tsx'
import { CreateWebhook, WebhookList } from '../webhooks/webhook-list.tsx'
import { AccountTabs } from './account-tabs.tsx'
import { accountEventsQuery, EVENT_FILTERS, type EventFilter } from './calls.ts'
import { aboutOf } from './event-details.ts'

export function Component() {
  const [creating, setCreating] = useState(false)
  const open = () => setCreating(true)
  return (
    <Page title={account.events} intro={words.intro} actions={<CreateWebhook place={null} open={open} />}>
      <AccountTabs />
      <Stack gap="lg">
        <Stack gap="sm">
          <Title order={2}>{webhooks.title}</Title>
          <WebhookList place={null} open={open} />
        </Stack>
        <Events />
      </Stack>
      <WebhookForm place={null} edited={creating ? 'new' : undefined} onClose={() => setCreating(false)} />
    </Page>
  )
}

function Events() {
  const [filter, change] = useAddressFilter(EVENT_FILTERS)
  const query = useQuery(accountEventsQuery(filter, useCursor()))
  return (
    <Stack gap="sm">
      <Title order={2}>{words.title}</Title>
      <FilteredTable
        label={words.title}
        query={query}
        keyOf={({ id }) => id}
        columns={[
          { title: words.event, cell: ({ type }) => eventName(type) },
          { title: words.about, cell: aboutOf },
          {
            title: words.object,
            from: 'lg',
            cell: ({ object_id: id }) => <span className="code-line">{id}</span>,
          },
          { title: words.time, number: true, cell: ({ at }) => <Time at={at} /> },
        ]}
        fields={<Fields filter={filter} change={change} />}
        filtered={Object.keys(filter).length > 0}
        clear={() => change(allEmpty(EVENT_FILTERS))}
        nothing={{ title: words.noMatching, hint: words.noMatchingHint }}
        empty={
          <EmptyState icon={<IconHistory size={36} stroke={1.2} />} title={words.none}>
            {words.noneHint}
          </EmptyState>
        }
      />
    </Stack>
  )
}

interface FieldsProps {
  readonly filter: EventFilter
  readonly change: (change: EventFilter) => void
}

const Fields = ({ filter, change }: FieldsProps) => (
  <>
    <SearchText
      label={words.object}
      value={filter.object_id ?? ''}
      onChange={(object_id) => change({ object_id })}
      error={undefined}
    />
    <Choice
      label={words.event}
      value={filter.type}
      onChange={(type) => change({ type })}
      data={Object.entries(words.types).map(([value, label]) => ({ value, label }))}
    />
    <Moment label={audit.from} value={filter.after} onChange={(after) => change({ after })} />
    <Moment label={audit.until} value={filter.before} onChange={(before) => change({ before })} />
  </>
)
