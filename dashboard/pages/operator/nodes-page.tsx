// The nodes of the installation: roles, load, and the time at which each node was last seen.

import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../parts/card.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconServer } from '../../parts/icons.tsx'
import { byteSize, hundredths } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { operator } from '../../texts/en/operator.ts'
import { fill } from '../../texts/texts.ts'
import { nodesQuery } from './calls.ts'
import { OperatorTabs } from './operator-tabs.tsx'

export function Component() {
  const words = operator.nodes
  return (
    <Page title={operator.title} size={1280}>
      <OperatorTabs />
      <Card flush>
        <DataTable
          label={operator.tabs.nodes}
          query={useQuery(nodesQuery)}
          keyOf={({ node_id }) => node_id}
          columns={[
            {
              title: words.node,
              cell: ({ host_name, node_id }) => (
                <>
                  <Text fw={500} inherit>
                    {host_name}
                  </Text>
                  <Text fz="xs" c="dimmed" className="code-line nowrap">
                    {node_id}
                  </Text>
                </>
              ),
            },
            {
              title: words.state,
              cell: ({ running }) =>
                running ? (
                  <StatusBadge status="active" label={words.running} />
                ) : (
                  <StatusBadge status="silent" tone="bad" />
                ),
            },
            {
              title: words.load,
              cell: ({ load, running }) =>
                !running ? (
                  '–'
                ) : (
                  <div className="nowrap">
                    {fill(words.eventLoop, { percent: Math.round(100 * load.event_loop) })}
                    <Text fz="xs" c="dimmed">
                      {fill(words.cores, { cores: hundredths(load.cpu), memory: byteSize(load.memory) })}
                    </Text>
                  </div>
                ),
            },
            { title: words.roles, from: 'sm', cell: ({ roles }) => roles.join(', ') },
            { title: words.version, from: 'md', cell: ({ version }) => version },
            { title: words.started, from: 'sm', cell: ({ started_at }) => <Time at={started_at} /> },
            { title: words.lastSeen, cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
          ]}
          empty={<EmptyState icon={<IconServer size={36} stroke={1.2} />} title={words.none} />}
        />
      </Card>
    </Page>
  )
}
