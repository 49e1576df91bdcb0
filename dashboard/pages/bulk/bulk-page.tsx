// The page of a bulk: its progress, the states of its messages, and its rows, including refused rows.

import { Alert, Anchor, Button, SegmentedControl, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams, useSearchParams } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { BackLink } from '../../parts/back-link.tsx'
import { Breakable } from '../../parts/breakable.tsx'
import { Card } from '../../parts/card.tsx'
import { DataTable, useCursor } from '../../parts/data-table.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconDownload } from '../../parts/icons.tsx'
import { share, whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { tell } from '../../parts/tell.ts'
import { fromNow, Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { bulk as words } from '../../texts/en/bulk.ts'
import { counted, parts } from '../../texts/texts.ts'
import { useDomainId } from '../domains/workspace.ts'
import { holdInWords } from '../messages/held-words.ts'
import { BulkProgress } from './bulk-progress.tsx'
import { type Bulk, bulkQuery, cancelBulk, csvAddress, isStoppable, nameOfBulk, rowsQuery } from './calls.ts'

export function Component() {
  const domainId = useDomainId()
  const { bulkId = '' } = useParams()
  const { data: bulk, error, refetch } = useQuery(bulkQuery(domainId, bulkId))
  return (
    <Page
      title={bulk === undefined ? words.title : nameOfBulk(bulk)}
      above={<BackLink to={`/domains/${domainId}/bulk`}>{words.title}</BackLink>}
      intro={bulk && <Intro bulk={bulk} />}
      actions={bulk !== undefined && isStoppable(bulk) && <Cancel domainId={domainId} bulk={bulk} />}
    >
      {bulk === undefined ? (
        <ErrorNotice error={error} again={refetch} />
      ) : (
        <Stack gap="lg">
          <Summary bulk={bulk} />
          <Rows domainId={domainId} bulk={bulk} />
        </Stack>
      )}
    </Page>
  )
}

function Intro({ bulk: { total, stream, subject, created_at } }: { readonly bulk: Bulk }) {
  const about = counted(words.about, total, { stream })
  const time = <Time key="time" at={created_at} />
  return subject === null
    ? parts(words.uploaded, { about, time })
    : parts(words.uploadedWith, { about, subject, time })
}

/** States of recipients, in their usual order. */
const ORDER = [
  'scheduled',
  'queued',
  'sending',
  'deferred',
  'delivered',
  'bounced',
  'suppressed',
  'failed',
  'cancelled',
]

function Summary({ bulk }: { readonly bulk: Bulk }) {
  const { recipients = {}, accepted, problem } = bulk
  const known = ORDER.filter((status) => recipients[status] !== undefined)
  return (
    <Card>
      <div role="status">
        <BulkProgress bulk={bulk} />
      </div>
      {problem !== null && (
        <Alert mt="md" color="yellow" title={bulk.status === 'paused' ? words.paused : words.ended}>
          {problem.detail} {bulk.status === 'paused' && words.triedAgain}
        </Alert>
      )}
      {known.length > 0 && (
        <div className="counts">
          {known.map((status) => (
            <div key={status}>
              <StatusBadge status={status} />
              <div className="figure-value">{whole(recipients[status] ?? 0)}</div>
              <div className="figure-share">{share(recipients[status] ?? 0, accepted)}</div>
            </div>
          ))}
        </div>
      )}
    </Card>
  )
}

function Rows({ domainId, bulk }: { readonly domainId: string; readonly bulk: Bulk }) {
  const [search, setSearch] = useSearchParams()
  const failures = search.get('rows') === 'failures'
  const rows = useQuery(rowsQuery(domainId, bulk.bulk_id, { cursor: useCursor(), failures }))
  return (
    <Card
      flush
      title={words.rows}
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={words.rows}
            value={failures ? 'failures' : 'all'}
            onChange={(chosen) => setSearch(chosen === 'all' ? {} : { rows: chosen }, { replace: true })}
            data={[
              { value: 'all', label: words.all },
              { value: 'failures', label: words.failures },
            ]}
          />
          <Button
            component="a"
            href={csvAddress(domainId, bulk.bulk_id, failures)}
            download
            variant="default"
            size="xs"
            leftSection={<IconDownload size={14} />}
          >
            {failures ? words.downloadFailures : words.download}
          </Button>
        </>
      }
    >
      <DataTable
        label={words.rows}
        query={rows}
        keyOf={({ line }) => String(line)}
        columns={[
          { title: words.line, number: true, cell: ({ line }) => whole(line), width: 80 },
          {
            title: words.to,
            width: { base: '60%', sm: '40%' },
            cell: ({ to, message_id }) =>
              message_id === null ? (
                <Breakable text={to} after="@" />
              ) : (
                <Anchor component={Link} to={`/domains/${domainId}/messages/${message_id}`} c="inherit">
                  {to ? <Breakable text={to} after="@" /> : words.removed}
                </Anchor>
              ),
          },
          {
            title: words.status,
            cell: ({ status, held }) => (
              <StatusBadge
                status={held === undefined ? status : 'held'}
                {...(status === 'refused' ? { tone: 'bad' } : {})}
              />
            ),
          },
          {
            title: words.reason,
            cell: ({ reason, held }) => (held === undefined ? (reason ?? '') : holdInWords(held, fromNow)),
          },
        ]}
        empty={
          <Text c="dimmed" p="lg">
            {failures ? words.noFailures : words.noRows}
          </Text>
        }
      />
    </Card>
  )
}

function Cancel({
  domainId,
  bulk: { bulk_id: id, status },
}: {
  readonly domainId: string
  readonly bulk: Bulk
}) {
  const queries = useQueryClient()
  const may = useMay('developer')
  const cancel = useMutation({
    mutationFn: () => cancelBulk(domainId, id),
    onSuccess: () => {
      tell.done(words.cancelled)
      return queries.invalidateQueries({ queryKey: ['domains', domainId, 'bulk', id] })
    },
    onError: tell.problem,
  })
  return (
    may &&
    status !== 'cancelling' && (
      <ActionButton variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
        {words.stop}
      </ActionButton>
    )
  )
}
