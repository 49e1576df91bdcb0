// The deliverability of the account's mail: figures of the receiving providers, and the incidents.

import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconListCheck } from '../../parts/icons.tsx'
import { share, whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { deliverability as words } from '../../texts/en/deliverability.ts'
import { deliverabilityQuery, incidentsQuery, type Provider } from './calls.ts'
import { incidentTitle } from './incident-words.ts'

export function Component() {
  return (
    <Page title={words.title} intro={words.intro}>
      <Stack gap="lg">
        <Providers />
        <Incidents />
      </Stack>
    </Page>
  )
}

const TONES = { incident: 'bad', too_few: 'quiet', no_incident: 'good' } as const

const shown = (part: number | null): string => (part === null ? words.notKnown : share(part, 1))

function Providers() {
  const { data, error, refetch } = useQuery(deliverabilityQuery)
  return (
    <Card title={words.providers} intro={words.providersIntro} flush>
      <DataTable<Provider>
        label={words.providers}
        query={{ data: data && { data: data.providers, next_cursor: null }, error, refetch }}
        keyOf={({ provider }) => provider ?? ''}
        columns={[
          { title: words.provider, cell: ({ provider }) => provider ?? words.otherHosts },
          {
            title: words.state,
            cell: ({ state }) => (
              <StatusBadge status={state} label={words.states[state]} tone={TONES[state]} />
            ),
          },
          { title: words.accepted, number: true, cell: ({ accepted }) => whole(accepted) },
          {
            title: words.delivered,
            number: true,
            cell: ({ delivered, accepted }) => share(Math.min(delivered, accepted), accepted),
          },
          {
            title: words.deferred,
            number: true,
            cell: ({ deferred, accepted }) => share(Math.min(deferred, accepted), accepted),
          },
          {
            title: words.bounced,
            number: true,
            cell: ({ bounced, accepted }) => share(Math.min(bounced, accepted), accepted),
          },
          { title: words.complaints, number: true, from: 'md', cell: (one) => shown(one.complaint_share) },
          { title: words.tls, number: true, from: 'md', cell: (one) => shown(one.tls_share) },
        ]}
        empty={
          <Text c="dimmed" p="lg">
            {words.noMail}
          </Text>
        }
      />
    </Card>
  )
}

function Incidents() {
  const query = useQuery(incidentsQuery(useCursor()))
  return (
    <Card title={words.incidents} intro={words.incidentsIntro} flush>
      <DataTable
        label={words.incidents}
        query={query}
        keyOf={({ incident_id }) => incident_id}
        linkOf={({ incident_id }) => `/deliverability/incidents/${incident_id}`}
        columns={[
          {
            title: words.incident,
            cell: (one) => (
              <Anchor component={Link} to={`/deliverability/incidents/${one.incident_id}`} c="inherit">
                {incidentTitle(one)}
              </Anchor>
            ),
          },
          {
            title: words.state,
            cell: ({ state, muted_until }) =>
              state === 'open' && muted_until !== null && Date.parse(muted_until) > Date.now() ? (
                <StatusBadge status="muted" label={words.muted} tone="quiet" />
              ) : (
                <StatusBadge
                  status={state}
                  label={words.openOrClosed[state]}
                  tone={state === 'open' ? 'bad' : 'good'}
                />
              ),
          },
          { title: words.domain, from: 'lg', cell: ({ domain }) => domain },
          { title: words.noticed, number: true, cell: ({ noticed_at }) => <Time at={noticed_at} /> },
        ]}
        empty={
          <EmptyState icon={<IconListCheck size={36} stroke={1.2} />} title={words.none}>
            {words.noneHint}
          </EmptyState>
        }
      />
    </Card>
  )
}
