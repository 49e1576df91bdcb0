// The list of the webhooks that receive the events of a domain.

import { Anchor, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconPlus, IconWebhook } from '../../parts/icons.tsx'
import { inWords } from '../../parts/in-words.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { webhooks as words } from '../../texts/en/webhooks.ts'
import { useDomainId } from '../domains/workspace.ts'
import { FORMATS, stateOf, type Webhook, webhooksQuery } from './calls.ts'
import { WebhookForm } from './webhook-form.tsx'

export function Component() {
  const domainId = useDomainId()
  const query = useQuery(webhooksQuery(domainId))
  const may = useMay('developer')
  const [creating, setCreating] = useState(false)
  const create = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {words.newWebhook}
    </Button>
  )
  const linkOf = ({ webhook_id }: Webhook) => `/domains/${domainId}/webhooks/${webhook_id}`
  return (
    <Page title={words.title} intro={words.intro} actions={create}>
      <Card flush>
        <DataTable
          label={words.title}
          query={query}
          keyOf={({ webhook_id }) => webhook_id}
          linkOf={linkOf}
          columns={columns(linkOf)}
          empty={
            <EmptyState icon={<IconWebhook size={32} stroke={1.4} />} title={words.none} action={create}>
              {words.noneHint}
            </EmptyState>
          }
        />
      </Card>
      <WebhookForm
        domainId={domainId}
        edited={creating ? 'new' : undefined}
        onClose={() => setCreating(false)}
      />
    </Page>
  )
}

const columns = (linkOf: (webhook: Webhook) => string): readonly Column<Webhook>[] => [
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
    cell: ({ event_types: types }) => (types.length === 0 ? words.all : types.map(inWords).join(', ')),
  },
  { title: words.format, from: 'md', cell: ({ format }) => FORMATS[format] },
  { title: words.created, from: 'lg', number: true, cell: ({ created_at }) => <Time at={created_at} /> },
]
