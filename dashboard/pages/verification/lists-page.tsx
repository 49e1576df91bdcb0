// The lists of addresses, with a field for the upload of a list and the progress of each list.

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
import { statuses } from '../../texts/en/statuses.ts'
import { verification as words } from '../../texts/en/verification.ts'
import { listsQuery, nameOfList } from './calls.ts'
import { ListProgress } from './list-progress.tsx'
import { UploadList } from './upload-list.tsx'
import { VerificationTabs } from './verification-tabs.tsx'

const texts = words.lists

export function Component() {
  const lists = useQuery(listsQuery(useCursor()))
  return (
    <Page title={words.title} intro={texts.intro}>
      <VerificationTabs />
      <Stack gap="lg">
        {useMay('developer') && <UploadList />}
        <section className="card">
          <DataTable
            label={words.tabs.lists}
            query={lists}
            keyOf={({ verification_id }) => verification_id}
            linkOf={({ verification_id }) => `/verification/lists/${verification_id}`}
            columns={[
              {
                title: texts.list,
                cell: (list) => (
                  <Anchor
                    component={Link}
                    to={`/verification/lists/${list.verification_id}`}
                    fw={500}
                    c="inherit"
                  >
                    {nameOfList(list)}
                  </Anchor>
                ),
              },
              { title: texts.uploaded, from: 'md', cell: ({ created_at }) => <Time at={created_at} /> },
              { title: texts.addresses, number: true, cell: ({ total }) => whole(total) },
              { title: texts.progress, width: '40%', cell: (list) => <ListProgress list={list} /> },
              {
                title: statuses.deliverable,
                number: true,
                from: 'sm',
                cell: ({ results }) => whole(results.deliverable),
              },
            ]}
            empty={
              <EmptyState icon={<IconFileSpreadsheet size={36} stroke={1.2} />} title={texts.none}>
                {texts.noneHint}
              </EmptyState>
            }
          />
        </section>
      </Stack>
    </Page>
  )
}
