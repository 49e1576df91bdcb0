// The list of the webhooks of a domain or of the account.

import { Anchor, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconPlus, IconWebhook } from '../../parts/icons.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { webhooks as words } from '../../texts/en/webhooks.ts'
import {
  FORMATS,
  isOfDomain,
  type Place,
  pageOf,
  roleOf,
  stateOf,
  type Webhook,
  webhooksQuery,
} from './calls.ts'
import { eventName } from './event-name.ts'

interface ListProps {
  readonly place: Place
  /** Opens the form of a new webhook. */
  readonly open: () => void
}

/** Button for a new webhook; no output for a user who may not create webhooks. */
export function CreateWebhook({ place, open }: ListProps) {
  const may = useMay(roleOf(place))
  return (
    may && (
      <Button leftSection={<IconPlus size={16} />} onClick={open}>
        {words.newWebhook}
      </Button>
    )
  )
}

export function WebhookList({ place, open }: ListProps) {
  const query = useQuery(webhooksQuery(place))
  const linkOf = ({ webhook_id }: Webhook) => pageOf(place, webhook_id)
  return (
    <Card flush>
      <DataTable
        label={words.title}
        query={query}
        keyOf={({ webhook_id }) => webhook_id}
        linkOf={linkOf}
        columns={columns(place, linkOf)}
        empty={
          <EmptyState
            icon={<IconWebhook size={32} stroke={1.4} />}
            title={words.none}
            action={<CreateWebhook place={place} open={open} />}
          >
            {place === null ? words.noneOfAccountHint : words.noneHint}
          </EmptyState>
        }
      />
    </Card>
  )
}

const columns = (place: Place, linkOf: (webhook: Webhook) => string): readonly Column<Webhook>[] => [
  {
    title: words.webhook,
    cell: (webhook) => (
      <div className="two-lines">
        <Anchor component={Link} to={linkOf(webhook)} fz="sm" fw={500}>
          {webhook.name || new URL(webhook.url).host}
        </Anchor>
        <Text c="dimmed" className="code-line">
          {webhook.url}
        </Text>
      </div>
    ),
  },
  { title: words.status, cell: (webhook) => <StatusBadge status="webhook" {...stateOf(webhook)} /> },
  {
    title: words.events,
    from: 'md',
    cell: ({ event_types: types }) => (types.length === 0 ? words.all : types.map(eventName).join(', ')),
  },
  ...(place === null ? [] : [formatColumn]),
  { title: words.created, from: 'lg', number: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

const formatColumn: Column<Webhook> = {
  title: words.format,
  from: 'md',
  cell: (webhook) => isOfDomain(webhook) && FORMATS[webhook.format],
}
