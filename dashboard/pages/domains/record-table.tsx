// The DNS records of a domain as a table: what to publish, what was found, what to do.

import { Badge, Group, Loader, SegmentedControl, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import type { DomainRecord } from './calls.ts'

const PURPOSES: Readonly<Record<DomainRecord['purpose'], readonly [title: string, why: string]>> = {
  dkim_rsa: ['DKIM, RSA', 'Signs your mail, so that receivers can authenticate it.'],
  dkim_ed25519: ['DKIM, Ed25519', 'A second signature, for receivers that support Ed25519.'],
  return_path: ['Return-Path', 'Directs bounces to this installation and aligns SPF with your domain.'],
  dmarc: [
    'DMARC',
    'Tells receivers what to do with mail that fails authentication. Required for broadcast streams.',
  ],
  tracking: ['Tracking', 'The host name of tracked links. Needed only where opens or clicks are tracked.'],
  dkim_rsa_next: ['New DKIM key, RSA', 'Signs your mail once you switch to the new keys.'],
  dkim_ed25519_next: ['New DKIM key, Ed25519', 'Signs your mail once you switch to the new keys.'],
  dkim_rsa_old: ['Old DKIM key, RSA', 'Signed mail that may still be in transit.'],
  dkim_ed25519_old: ['Old DKIM key, Ed25519', 'Signed mail that may still be in transit.'],
  inbound_mx: [
    'Inbound mail (MX)',
    'Brings mail for the addresses of your inbound streams to this installation.',
  ],
  claim: ['Ownership', 'Proves that you own the domain, which another account has added.'],
}

const STATUSES = {
  pending: 'Not checked yet',
  found: 'Found',
  mismatch: 'Mismatch',
  missing: 'Not found',
} as const

interface RecordTableProps {
  readonly label: string
  readonly records: readonly DomainRecord[]
  /** A look-up is under way. */
  readonly looking?: boolean
  /** Names with the domain; most providers want them without. */
  readonly fullNames: boolean
}

export function RecordTable({ label, records, looking = false, fullNames }: RecordTableProps) {
  return (
    <Table className="records" aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          {['Record', 'Type', 'Name', 'Value', 'Status'].map((title) => (
            <Table.Th key={title}>{title}</Table.Th>
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
  const [title, why] = PURPOSES[record.purpose]
  // Keys that come and go.
  const passing = /_(next|old)$/.test(record.purpose)
  // Until it was looked up, the row itself says what to do.
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
                {record.purpose === 'tracking' ? 'Optional' : 'Recommended'}
              </Badge>
            )}
          </Group>
          <Text c="dimmed" fz="sm">
            {why}
          </Text>
        </Table.Th>
        <Table.Td data-title="Type">
          <span className="code-line">{record.type}</span>
        </Table.Td>
        <Table.Td data-title="Name">
          <Copied what={`the name of ${title}`} text={name} />
        </Table.Td>
        <Table.Td data-title="Value">
          <Copied what={`the value of ${title}`} text={record.value} whole={mismatch} />
        </Table.Td>
        <Table.Td data-title="Status">
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
  /** All of a long value, to be compared with what was found. */
  readonly whole?: boolean
}

const Copied = ({ what, text, whole = false }: CopiedProps) => (
  <div className="record-value">
    <span className="code-line" data-whole={whole || undefined} title={text}>
      {text}
    </span>
    <CopyButton text={text} what={what} />
  </div>
)

function State({ record, looking }: Pick<RecordProps, 'record' | 'looking'>): ReactNode {
  if (looking) {
    return (
      <Group gap={6} wrap="nowrap">
        <Loader size={12} /> <span className="nowrap">Checking</span>
      </Group>
    )
  }
  const { status } = record
  const tone = record.required || status !== 'missing' ? undefined : 'waiting'
  return <StatusBadge status={status} label={STATUSES[status]} tone={tone} />
}

const Found = ({ values }: { readonly values: readonly string[] }) => (
  <div className="record-found">
    <Text fz="sm" c="dimmed">
      Found instead
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

/** Names without the domain, as most providers want them, or with it. */
export const NameChoice = ({ fullNames, onChange }: NameChoiceProps) => (
  <SegmentedControl
    aria-label="Record names"
    size="xs"
    value={fullNames ? 'full' : 'short'}
    onChange={(value) => onChange(value === 'full')}
    data={[
      { value: 'short', label: 'Short names' },
      { value: 'full', label: 'Full names' },
    ]}
  />
)
