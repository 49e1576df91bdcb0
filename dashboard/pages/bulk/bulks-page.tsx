// The list of the bulks of a domain.

import { Anchor, Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconMailForward, IconPlus } from '../../parts/icons.tsx'
import { whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { bulk as words } from '../../texts/en/bulk.ts'
import { CannotSend } from '../domains/cannot-send.tsx'
import { useDomainId } from '../domains/workspace.ts'
import { BulkProgress } from './bulk-progress.tsx'
import { bulksQuery, nameOfBulk } from './calls.ts'

export function Component() {
  const domainId = useDomainId()
  const bulks = useQuery(bulksQuery(domainId, useCursor()))
  const may = useMay('developer')
  const upload = may && (
    <Button
      component={Link}
      to={`/domains/${domainId}/bulk/new`}
      leftSection={<IconPlus size={16} stroke={1.8} />}
    >
      {words.upload}
    </Button>
  )
  return (
    <Page title={words.title} intro={words.intro} actions={upload}>
      <Stack gap="lg">
        <CannotSend domainId={domainId} />
        <section className="card">
          <DataTable
            label={words.title}
            query={bulks}
            keyOf={({ bulk_id }) => bulk_id}
            linkOf={({ bulk_id }) => `/domains/${domainId}/bulk/${bulk_id}`}
            columns={[
              {
                title: words.list,
                cell: (bulk) => (
                  <Anchor
                    component={Link}
                    to={`/domains/${domainId}/bulk/${bulk.bulk_id}`}
                    fw={500}
                    c="inherit"
                  >
                    {nameOfBulk(bulk)}
                  </Anchor>
                ),
              },
              { title: words.subject, from: 'md', cell: ({ subject }) => subject ?? '' },
              { title: words.stream, from: 'md', cell: ({ stream }) => stream },
              { title: words.created, from: 'sm', cell: ({ created_at }) => <Time at={created_at} /> },
              { title: words.rows, number: true, cell: ({ total }) => whole(total) },
              { title: words.progress, width: '28%', cell: (bulk) => <BulkProgress bulk={bulk} /> },
            ]}
            empty={
              <EmptyState
                icon={<IconMailForward size={36} stroke={1.2} />}
                title={words.none}
                action={upload}
              >
                {words.noneHint}
              </EmptyState>
            }
          />
        </section>
      </Stack>
    </Page>
  )
}
