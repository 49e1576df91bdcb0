// The page of a list of addresses: progress, results, and a file with all results.

import { Button, Progress, SegmentedControl, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useSearchParams } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { BackLink } from '../../parts/back-link.tsx'
import { Breakable } from '../../parts/breakable.tsx'
import { Card } from '../../parts/card.tsx'
import { DataTable, useCursor } from '../../parts/data-table.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconDownload } from '../../parts/icons.tsx'
import { inWords } from '../../parts/in-words.ts'
import { share, whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { isWorkbook } from '../../parts/table-file.ts'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { verification as words } from '../../texts/en/verification.ts'
import { counted, fill, parts } from '../../texts/texts.ts'
import {
  type AddressList,
  cancelList,
  fileAddress,
  isUnderWay,
  type Listed,
  listQuery,
  nameOfList,
  resultsQuery,
} from './calls.ts'
import { ListProgress, ListRest } from './list-progress.tsx'
import { explanationOf, RESULTS, TONES } from './words.ts'

const texts = words.lists

export function Component() {
  const { verificationId = '' } = useParams()
  const list = useQuery(listQuery(verificationId))
  const [search, setSearch] = useSearchParams()
  const result = RESULTS.find((one) => one === search.get('result'))
  const columns = list.data?.columns ?? []
  const results = useQuery(resultsQuery(verificationId, { cursor: useCursor(), result }, list.data?.done))
  return (
    <Page
      title={list.data === undefined ? texts.unnamed : nameOfList(list.data)}
      above={<BackLink to="/verification/lists">{words.tabs.lists}</BackLink>}
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
            title={texts.results}
            actions={
              <SegmentedControl
                size="xs"
                aria-label={words.result}
                value={result ?? ''}
                onChange={(chosen) => setSearch(chosen === '' ? {} : { result: chosen }, { replace: true })}
                data={[
                  { value: '', label: texts.all },
                  ...RESULTS.map((one) => ({ value: one, label: inWords(one) })),
                ]}
              />
            }
          >
            <DataTable
              label={texts.results}
              query={results}
              keyOf={({ email }) => email}
              columns={[
                {
                  title: words.address,
                  width: { base: '60%', md: '40%' },
                  cell: (answer) => <AddressOfRow columns={columns} answer={answer} />,
                },
                {
                  title: words.result,
                  cell: ({ result }) => (
                    <StatusBadge status={result} label={inWords(result)} tone={TONES[result] ?? 'quiet'} />
                  ),
                },
                { title: words.reason, cell: explanationOf },
              ]}
              empty={
                <Text c="dimmed" p="lg">
                  {result === undefined ? texts.noneVerified : texts.noneWith}
                </Text>
              }
            />
          </Card>
        )}
      </Stack>
    </Page>
  )
}

interface AddressOfRowProps {
  /** Names of the other columns of the list. */
  readonly columns: readonly string[]
  readonly answer: Listed
}

/** Maximum number of other cells that a row shows; the file of results has all of them. */
const SHOWN_CELLS = 4

/** An address, and below it the other cells of its row in the uploaded file. */
function AddressOfRow({ columns, answer: { email, cells = [] } }: AddressOfRowProps) {
  const others = columns.flatMap((name, index) => {
    const cell = cells[index]?.trim() ?? ''
    return cell === '' ? [] : [`${name}: ${cell}`]
  })
  if (others.length === 0) return <Breakable text={email} after="@" />
  const more = others.length > SHOWN_CELLS ? ' …' : ''
  return (
    <div>
      <Breakable text={email} after="@" />
      <Text fz="xs" c="dimmed" lineClamp={2} title={others.join('\n')}>
        {others.slice(0, SHOWN_CELLS).join(' · ')}
        {more}
      </Text>
    </div>
  )
}

interface DownloadProps {
  readonly list: AddressList
  /** Result to which the file is limited; undefined for all results. */
  readonly result: (typeof RESULTS)[number] | undefined
}

/** Buttons that download the results in the format of the uploaded file, or in the other format. */
function Download({ list: { verification_id, name, status }, result }: DownloadProps) {
  const [first, second] = isWorkbook(name) ? (['xlsx', 'csv'] as const) : (['csv', 'xlsx'] as const)
  const what =
    result === undefined ? (status === 'done' ? texts.theResults : texts.soFar) : texts.only[result]
  return (
    <>
      <Button
        component="a"
        variant="default"
        href={fileAddress(verification_id, second, result)}
        download
        leftSection={<IconDownload size={16} />}
        aria-label={fill(texts.downloadAs, { what, format: second.toUpperCase() })}
      >
        {second.toUpperCase()}
      </Button>
      <Button
        component="a"
        href={fileAddress(verification_id, first, result)}
        download
        leftSection={<IconDownload size={16} />}
      >
        {fill(texts.download, { what })}
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
      queries.setQueryData(listQuery(list.verification_id).queryKey, list)
      tell.done(texts.cancelled)
    },
    onError: tell.problem,
  })
  return (
    may && (
      <ActionButton variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
        {texts.cancel}
      </ActionButton>
    )
  )
}

function Intro({ list }: { readonly list: AddressList }) {
  const time = <Time key="time" at={list.created_at} />
  const count = counted(texts.count, list.total)
  if (list.duplicates === 0) return parts(texts.uploadedAt, { count, time })
  return parts(texts.uploadedWith, { count, duplicates: counted(texts.duplicates, list.duplicates), time })
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
            {RESULTS.map((result) => (
              <Progress.Section
                key={result}
                value={(100 * results[result]) / done}
                color={`var(--tone-${TONES[result]})`}
              />
            ))}
          </Progress.Root>
          <div className="counts">
            {RESULTS.map((result) => (
              <div key={result}>
                <StatusBadge status={result} label={inWords(result)} tone={TONES[result] ?? 'quiet'} />
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
