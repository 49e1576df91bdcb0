// Table of the DNS records of a domain: required values, found values, and advice.

import { Badge, Group, Loader, SegmentedControl, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Breakable } from '../../parts/breakable.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { domains as texts } from '../../texts/en/domains.ts'
import { fill } from '../../texts/texts.ts'
import type { DomainRecord } from './calls.ts'

const words = texts.records
/** Purposes of records that add a feature; the other records that are not required improve delivery. */
const OPTIONAL: ReadonlySet<DomainRecord['purpose']> = new Set([
  'tracking',
  'inbound_mx',
  'mta_sts_host',
  'mta_sts',
  'tls_report',
])
const COLUMNS = ['record', 'type', 'name', 'value', 'status'] as const

interface RecordTableProps {
  readonly label: string
  readonly records: readonly DomainRecord[]
  /** True while a DNS check is in progress. */
  readonly looking?: boolean
  /** True if record names include the domain; most DNS providers expect names without it. */
  readonly fullNames: boolean
}

export function RecordTable({ label, records, looking = false, fullNames }: RecordTableProps) {
  return (
    <Table className="records" aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          {COLUMNS.map((column) => (
            <Table.Th key={column}>{words.columns[column]}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      {records.map((record) => (
        <Record
          key={`${record.purpose} ${record.name}`}
          record={record}
          looking={looking}
          name={fullNames ? record.name : record.host}
        />
      ))}
    </Table>
  )
}

interface RecordProps {
  readonly record: DomainRecord
  readonly looking: boolean
  readonly name: string
}

function Record({ record, looking, name }: RecordProps) {
  const title = words.titles[record.purpose]
  // Records of a DKIM key that will be or was replaced.
  const passing = /_(next|old)$/.test(record.purpose)
  // A record that was not checked yet needs no advice, because its row says what to publish.
  const advice = record.advice !== '' && !['found', 'pending'].includes(passing ? '' : record.status)
  const mismatch = record.status === 'mismatch'
  return (
    <Table.Tbody aria-label={title}>
      <Table.Tr>
        <Table.Th scope="row">
          <Group gap="xs">
            {title}
            {!record.required && record.purpose !== 'claim' && !passing && (
              <Badge variant="light" color="gray" size="sm" tt="none" fw={500}>
                {OPTIONAL.has(record.purpose) ? words.optional : words.recommended}
              </Badge>
            )}
          </Group>
          <Text c="dimmed" fz="sm">
            {words.purposes[record.purpose]}
            {record.purpose === 'dmarc' && !/\brua=/i.test(record.value) && ` ${words.reportsHint}`}
          </Text>
          {record.purpose === 'inbound_mx' && record.host === '@' && (
            <Text fz="sm" fw={500}>
              {fill(words.takesAllMail, { domain: record.name })}
            </Text>
          )}
        </Table.Th>
        <Table.Td data-title={words.columns.type}>
          <span className="code-line">{record.type}</span>
        </Table.Td>
        <Table.Td data-title={words.columns.name}>
          <Copied what={fill(words.nameOf, { record: title })} text={name} />
        </Table.Td>
        <Table.Td data-title={words.columns.value}>
          <Copied what={fill(words.valueOf, { record: title })} text={record.value} whole={mismatch} />
        </Table.Td>
        <Table.Td data-title={words.columns.status}>
          <State record={record} looking={looking} />
        </Table.Td>
      </Table.Tr>
      {(mismatch || advice) && (
        <Table.Tr className="record-more">
          <Table.Td colSpan={5}>
            {mismatch && <Found values={record.found} />}
            {advice && <Text fz="sm">{record.advice}</Text>}
          </Table.Td>
        </Table.Tr>
      )}
    </Table.Tbody>
  )
}

interface CopiedProps {
  readonly what: string
  readonly text: string
  /** True if a long value is shown completely, so that the user can compare it with the found value. */
  readonly whole?: boolean
}

const Copied = ({ what, text, whole = false }: CopiedProps) => (
  <div className="record-value">
    <span className="code-line" data-whole={whole || undefined} title={text}>
      <Breakable text={text} after="." />
    </span>
    <CopyButton text={text} what={what} />
  </div>
)

function State({ record, looking }: Pick<RecordProps, 'record' | 'looking'>): ReactNode {
  if (looking) {
    return (
      <Group gap={6} wrap="nowrap">
        <Loader size={12} /> <span className="nowrap">{words.checking}</span>
      </Group>
    )
  }
  const { status } = record
  const tone = record.required || status !== 'missing' ? undefined : 'waiting'
  return <StatusBadge status={status} label={words.statuses[status]} tone={tone} />
}

const Found = ({ values }: { readonly values: readonly string[] }) => (
  <div className="record-found">
    <Text fz="sm" c="dimmed">
      {words.foundInstead}
    </Text>
    {values.map((one) => (
      <div key={one} className="code-line">
        {one}
      </div>
    ))}
  </div>
)

interface NameChoiceProps {
  readonly fullNames: boolean
  readonly onChange: (fullNames: boolean) => void
}

/** Choice between record names without the domain, as most DNS providers expect, and complete names. */
export const NameChoice = ({ fullNames, onChange }: NameChoiceProps) => (
  <SegmentedControl
    aria-label={texts.dns.names}
    size="xs"
    value={fullNames ? 'full' : 'short'}
    onChange={(value) => onChange(value === 'full')}
    data={[
      { value: 'short', label: texts.dns.shortNames },
      { value: 'full', label: texts.dns.fullNames },
    ]}
  />
)
