// The authentication of a domain's mail by source, as receivers report it, with the reports and their upload.

import { Anchor, FileInput, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../../parts/action-button.tsx'
import { BackLink } from '../../parts/back-link.tsx'
import { Card } from '../../parts/card.tsx'
import { type Column, DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconListCheck } from '../../parts/icons.tsx'
import { share, whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time, utcDay } from '../../parts/time.tsx'
import { reports as words } from '../../texts/en/reports.ts'
import { fill } from '../../texts/texts.ts'
import { useDomainId } from '../domains/workspace.ts'
import {
  type AuthenticationRow,
  authenticationQuery,
  nameSource,
  type ReportSummary,
  rawAddress,
  reportsQuery,
  uploadReport,
} from './calls.ts'

export function Component() {
  const domainId = useDomainId()
  return (
    <Page
      title={words.title}
      intro={words.intro}
      above={<BackLink to={`/domains/${domainId}/dns`}>{words.back}</BackLink>}
      size={1240}
    >
      <Stack gap="lg">
        <Sources domainId={domainId} />
        <Upload domainId={domainId} />
        <Reports domainId={domainId} />
      </Stack>
    </Page>
  )
}

interface OfDomain {
  readonly domainId: string
}

const TONES = { ours: 'good', forwarded: 'quiet', known: 'quiet', unknown: 'bad' } as const

function Sources({ domainId }: OfDomain) {
  const { data, error, refetch } = useQuery(authenticationQuery(domainId))
  return (
    <Card title={words.sources} intro={words.sourcesIntro} flush>
      <DataTable<AuthenticationRow>
        label={words.sources}
        query={{ data, error, refetch }}
        keyOf={({ source }) => source?.source_id ?? ''}
        columns={sourceColumns(domainId)}
        empty={
          <EmptyState icon={<IconListCheck size={36} stroke={1.2} />} title={words.noSources}>
            {words.noSourcesHint}
          </EmptyState>
        }
      />
      {data !== undefined && data.data.length > 0 && (
        <Text c="dimmed" fz="sm" p={{ base: 'md', sm: 'lg' }}>
          {coverageOf(data.coverage)}
        </Text>
      )}
    </Card>
  )
}

const coverageOf = ({
  reporters,
  share_of_own_mail: part,
}: {
  readonly reporters: number
  readonly share_of_own_mail: number | null
}): string =>
  part === null
    ? fill(words.coverageUnknown, { receivers: whole(reporters) })
    : fill(words.coverage, { receivers: whole(reporters), share: share(part, 1) })

const sourceColumns = (domainId: string): readonly Column<AuthenticationRow>[] => [
  {
    title: words.source,
    cell: ({ source }) => (
      <div className="two-lines one-line-each">
        <Text fz="sm" fw={500}>
          {source?.kind === 'ours' ? words.kinds.ours : source?.name}
        </Text>
        {source !== null && `${source.addresses}` !== source.name && (
          <Text fz="sm" c="dimmed" title={source.addresses.join(', ')}>
            {source.addresses.slice(0, 3).join(', ')}
          </Text>
        )}
        {source !== null && source.kind !== 'ours' && (
          <Text fz="sm" component="div">
            <StatusBadge status={source.kind} label={words.kinds[source.kind]} tone={TONES[source.kind]} />
          </Text>
        )}
      </div>
    ),
  },
  { title: words.messages, number: true, cell: ({ messages }) => whole(messages), width: 110 },
  { title: words.pass, number: true, cell: (row) => share(row.dmarc_pass, row.messages), width: 110 },
  { title: words.dkim, number: true, from: 'lg', cell: (row) => share(row.dkim_aligned, row.messages) },
  { title: words.spf, number: true, from: 'lg', cell: (row) => share(row.spf_aligned, row.messages) },
  { title: words.whatToDo, cell: (row) => <Advice domainId={domainId} row={row} />, width: '40%' },
]

const MAX_NAMES = 3

const few = (names: readonly string[]): string =>
  `${names.slice(0, MAX_NAMES).join(', ')}${names.length > MAX_NAMES ? ' …' : ''}`

const failingInWords = (
  { mechanism, addresses, receivers }: NonNullable<AuthenticationRow['failing']>,
  day: string,
): string =>
  fill(words.failing, {
    ...{ mechanism: mechanism.toUpperCase(), day: utcDay(day) },
    ...{ addresses: few(addresses), receivers: few(receivers) },
  })

/** Returns the advice about a source; the text of the service if the dashboard has no translation. */
function adviceInWords({ advice, what_to_do, source }: AuthenticationRow): string {
  if (advice === null) return words.nothing
  if (!Object.hasOwn(words.advice, advice)) return what_to_do
  return fill(words.advice[advice as keyof typeof words.advice], { name: source?.name ?? '' } as never)
}

function Advice({ domainId, row }: OfDomain & { readonly row: AuthenticationRow }) {
  const queries = useQueryClient()
  const kind = row.source?.kind === 'known' ? 'unknown' : 'known'
  const naming = useMutation({
    mutationFn: () => nameSource(domainId, row.source?.source_id ?? '', kind),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['domains', domainId, 'authentication'] }),
  })
  const mayName = row.source?.kind === 'known' || row.source?.kind === 'unknown'
  return (
    <Stack gap={4} align="start" py={4}>
      {row.failing !== null && row.failing_since !== null && (
        <Text fz="sm" fw={500} style={{ whiteSpace: 'normal' }}>
          {failingInWords(row.failing, row.failing_since)}
        </Text>
      )}
      <Text fz="sm" style={{ whiteSpace: 'normal' }} c={row.advice === null ? 'dimmed' : undefined}>
        {adviceInWords(row)}
      </Text>
      {mayName && (
        <ActionButton
          size="compact-sm"
          variant="default"
          loading={naming.isPending}
          onClick={() => naming.mutate()}
        >
          {kind === 'known' ? words.markKnown : words.markUnknown}
        </ActionButton>
      )}
    </Stack>
  )
}

function Upload({ domainId }: OfDomain) {
  const queries = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const sending = useMutation({
    mutationFn: (chosen: File) => uploadReport(domainId, chosen),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['domains', domainId] }),
  })
  return (
    <Card title={words.upload}>
      <Stack align="start">
        <FileInput
          label={words.file}
          placeholder={words.choose}
          value={file}
          onChange={(chosen) => {
            setFile(chosen)
            sending.reset()
          }}
          w="100%"
          maw={480}
        />
        <ErrorNotice error={sending.error} />
        <Text role="status" fz="sm">
          {sending.data && (sending.data.duplicate_of === null ? words.uploading : words.duplicate)}
        </Text>
        <ActionButton
          disabled={file === null}
          loading={sending.isPending}
          onClick={() => file !== null && sending.mutate(file)}
        >
          {words.upload}
        </ActionButton>
      </Stack>
    </Card>
  )
}

function Reports({ domainId }: OfDomain) {
  const query = useQuery(reportsQuery(domainId, useCursor()))
  return (
    <Card title={words.reports} intro={words.reportsIntro} flush>
      <DataTable<ReportSummary>
        label={words.reports}
        query={query}
        keyOf={({ report_id }) => report_id}
        columns={reportColumns(domainId)}
        empty={
          <Text c="dimmed" p="lg">
            {words.none}
          </Text>
        }
      />
    </Card>
  )
}

const trustOf = ({ authenticated }: ReportSummary): string => {
  if (authenticated === null) return words.uploaded
  return authenticated ? words.authentic : words.notAuthentic
}

const reportColumns = (domainId: string): readonly Column<ReportSummary>[] => [
  {
    title: words.submitter,
    cell: (row) => (row.status === 'unreadable' ? words.unreadable : row.submitter || words.unread),
  },
  { title: words.kind, cell: ({ kind }) => (kind === null ? '' : words.reportKinds[kind]), width: 130 },
  {
    title: words.day,
    cell: ({ period }) => (period === null ? '–' : <span className="nowrap">{utcDay(period.begin)}</span>),
    width: 130,
  },
  { title: words.messages, number: true, cell: ({ messages }) => whole(messages), width: 120 },
  { title: words.failed, number: true, from: 'sm', cell: ({ failed }) => whole(failed), width: 120 },
  { title: words.trust, from: 'md', cell: trustOf, width: 150 },
  {
    title: words.received,
    from: 'sm',
    number: true,
    cell: ({ received_at }) => <Time at={received_at} />,
    width: 150,
  },
  {
    title: '',
    cell: ({ report_id, duplicate_of }) =>
      duplicate_of === null && (
        <Anchor href={rawAddress(domainId, report_id)} download fz="sm">
          {words.download}
        </Anchor>
      ),
    width: 130,
  },
]
