// The nodes of the installation: what each does, how busy it is, and when it was last seen.

import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../parts/card.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconServer } from '../../parts/icons.tsx'
import { octets } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { nodesQuery } from './calls.ts'
import { OperatorTabs } from './operator-tabs.tsx'

export function Component() {
  return (
    <Page title="Operator">
      <OperatorTabs />
      <Card flush>
        <DataTable
          label="Nodes"
          query={useQuery(nodesQuery)}
          keyOf={({ node_id }) => node_id}
          columns={[
            {
              title: 'Node',
              cell: ({ host_name, node_id }) => (
                <>
                  <Text fw={500} inherit>
                    {host_name}
                  </Text>
                  <Text fz="xs" c="dimmed" className="code-line">
                    {node_id}
                  </Text>
                </>
              ),
            },
            {
              title: 'State',
              cell: ({ running }) =>
                running ? (
                  <StatusBadge status="active" label="Running" />
                ) : (
                  <StatusBadge status="silent" tone="bad" />
                ),
            },
            {
              title: 'Load',
              cell: ({ load, running }) =>
                load === null || !running ? (
                  '–'
                ) : (
                  <div className="nowrap">
                    {Math.round(100 * load.event_loop)} % event loop
                    <Text fz="xs" c="dimmed">
                      {load.cpu.toFixed(2)} cores, {octets(load.memory)}
                    </Text>
                  </div>
                ),
            },
            { title: 'Roles', from: 'sm', cell: ({ roles }) => roles.join(', ') },
            { title: 'Version', from: 'md', cell: ({ version }) => version },
            { title: 'Started', from: 'sm', cell: ({ started_at }) => <Time at={started_at} /> },
            { title: 'Last seen', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
          ]}
          empty={<EmptyState icon={<IconServer size={36} stroke={1.2} />} title="No nodes" />}
        />
      </Card>
    </Page>
  )
}
