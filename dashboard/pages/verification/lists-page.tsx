// Lists of addresses: a file is dropped here, and its progress seen.

import { Anchor, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconFileSpreadsheet } from '../../parts/icons.tsx'
import { whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { listsQuery } from './calls.ts'
import { ListProgress } from './list-progress.tsx'
import { UploadList } from './upload-list.tsx'
import { VerificationTabs } from './verification-tabs.tsx'

export function Component() {
  const lists = useQuery(listsQuery(useCursor()))
  return (
    <Page title="Email Verification" intro="Verify lists of up to 100,000 addresses.">
      <VerificationTabs />
      <Stack gap="lg">
        {useMay('developer') && <UploadList />}
        <section className="card">
          <DataTable
            label="Lists"
            query={lists}
            keyOf={({ verification_id }) => verification_id}
            linkOf={({ verification_id }) => `/verification/lists/${verification_id}`}
            columns={[
              {
                title: 'List',
                cell: ({ verification_id, name, created_at }) => (
                  <Anchor component={Link} to={`/verification/lists/${verification_id}`} fw={500} c="inherit">
                    {name ?? <Time at={created_at} exact />}
                  </Anchor>
                ),
              },
              { title: 'Uploaded', from: 'md', cell: ({ created_at }) => <Time at={created_at} /> },
              { title: 'Addresses', number: true, cell: ({ total }) => whole(total) },
              { title: 'Progress', width: '40%', cell: (list) => <ListProgress list={list} /> },
              {
                title: 'Deliverable',
                number: true,
                from: 'sm',
                cell: ({ results }) => whole(results.deliverable),
              },
            ]}
            empty={
              <EmptyState icon={<IconFileSpreadsheet size={36} stroke={1.2} />} title="No lists yet">
                Upload a CSV or text file of addresses.
              </EmptyState>
            }
          />
        </section>
      </Stack>
    </Page>
  )
}
