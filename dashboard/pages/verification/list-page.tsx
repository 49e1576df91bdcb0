// One list of addresses: its progress, its results, and the file with all of them.

import { Button, Progress, SegmentedControl, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useSearchParams } from 'react-router'
import { BackLink } from '../../parts/back-link.tsx'
import { Card } from '../../parts/card.tsx'
import { DataTable, useCursor } from '../../parts/data-table.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconDownload } from '../../parts/icons.tsx'
import { inWords } from '../../parts/in-words.ts'
import { counted, share, whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { isWorkbook } from '../../parts/table-file.ts'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { type AddressList, cancelList, fileAddress, isUnderWay, listQuery, resultsQuery } from './calls.ts'
import { ListProgress, ListRest } from './list-progress.tsx'
import { RESULTS, reasonOf } from './words.ts'

const ORDER = ['deliverable', 'risky', 'undeliverable', 'unknown'] as const

export function Component() {
  const { verificationId = '' } = useParams()
  const list = useQuery(listQuery(verificationId))
  const [search, setSearch] = useSearchParams()
  const result = ORDER.find((one) => one === search.get('result'))
  const results = useQuery(resultsQuery(verificationId, { cursor: useCursor(), result }, list.data?.done))
  return (
    <Page
      title={list.data?.name ?? 'Address list'}
      above={<BackLink to="/verification/lists">Lists</BackLink>}
      intro={list.data && <Intro list={list.data} />}
      actions={
        list.data !== undefined && (
          <>
            {isUnderWay(list.data) && <Cancel list={list.data} />}
            {list.data.done > 0 && <Download list={list.data} result={result} />}
          </>
        )
      }
    >
      <Stack gap="lg">
        {list.data !== undefined ? (
          <Summary list={list.data} />
        ) : (
          <ErrorNotice error={list.error} again={list.refetch} />
        )}
        {list.data !== undefined && (
          <Card
            flush
            title="Results"
            actions={
              <SegmentedControl
                size="xs"
                aria-label="Result"
                value={result ?? ''}
                onChange={(chosen) => setSearch(chosen === '' ? {} : { result: chosen }, { replace: true })}
                data={[
                  { value: '', label: 'All' },
                  ...ORDER.map((one) => ({ value: one, label: inWords(one) })),
                ]}
              />
            }
          >
            <DataTable
              label="Results"
              query={results}
              keyOf={({ email }) => email}
              columns={[
                { title: 'Address', cell: ({ email }) => email },
                {
                  title: 'Result',
                  cell: ({ result }) => (
                    <StatusBadge
                      status={result}
                      label={inWords(result)}
                      tone={RESULTS[result]?.tone ?? 'quiet'}
                    />
                  ),
                },
                {
                  title: 'Reason',
                  from: 'sm',
                  cell: (answer) => (
                    <>
                      {reasonOf(answer)}
                      {answer.didYouMean !== undefined && <> Did you mean {answer.didYouMean}?</>}
                    </>
                  ),
                },
              ]}
              empty={
                <Text c="dimmed" p="lg">
                  {result === undefined
                    ? 'Results appear here as addresses are verified.'
                    : 'No addresses have this result.'}
                </Text>
              }
            />
          </Card>
        )}
      </Stack>
    </Page>
  )
}

interface DownloadProps {
  readonly list: AddressList
  /** Only those with this result. */
  readonly result: string | undefined
}

/** The results as a file like the one that was uploaded, or as one of the other kind. */
function Download({ list: { verification_id, name, status }, result }: DownloadProps) {
  const [first, second] = isWorkbook(name) ? (['xlsx', 'csv'] as const) : (['csv', 'xlsx'] as const)
  const some = result ?? (status === 'done' ? 'results' : 'results so far')
  return (
    <>
      <Button
        component="a"
        variant="default"
        href={fileAddress(verification_id, second, result)}
        download
        aria-label={`Download ${some} as ${second.toUpperCase()}`}
      >
        {second.toUpperCase()}
      </Button>
      <Button
        component="a"
        href={fileAddress(verification_id, first, result)}
        download
        leftSection={<IconDownload size={16} />}
      >
        {`Download ${some}`}
      </Button>
    </>
  )
}

function Cancel({ list: { verification_id: id } }: { readonly list: AddressList }) {
  const queries = useQueryClient()
  const may = useMay('developer')
  const cancel = useMutation({
    mutationFn: () => cancelList(id),
    onSuccess: (list) => {
      queries.setQueryData(listQuery(id).queryKey, list)
      tell.done('Cancelled. Addresses that are not verified take no credits.')
    },
    onError: tell.problem,
  })
  return (
    may && (
      <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
        Cancel
      </Button>
    )
  )
}

function Intro({ list }: { readonly list: AddressList }) {
  return (
    <>
      {counted(list.total, 'address', 'addresses')}
      {list.duplicates > 0 && `, ${whole(list.duplicates)} duplicates`}. Uploaded{' '}
      <Time at={list.created_at} />.
    </>
  )
}

function Summary({ list }: { readonly list: AddressList }) {
  const { results, done, status } = list
  return (
    <Card>
      <div role="status">{status !== 'done' && <ListProgress list={list} />}</div>
      <ListRest list={list} />
      {done > 0 && (
        <>
          <Progress.Root size="lg" mt={status === 'done' ? 0 : 'lg'} aria-hidden="true">
            {ORDER.map((result) => (
              <Progress.Section
                key={result}
                value={(100 * results[result]) / done}
                color={`var(--tone-${RESULTS[result]?.tone})`}
              />
            ))}
          </Progress.Root>
          <div className="counts">
            {ORDER.map((result) => (
              <div key={result}>
                <StatusBadge
                  status={result}
                  label={inWords(result)}
                  tone={RESULTS[result]?.tone ?? 'quiet'}
                />
                <div className="figure-value">{whole(results[result])}</div>
                <div className="figure-share">{share(results[result], done)}</div>
              </div>
            ))}
          </div>
        </>
      )}
    </Card>
  )
}
