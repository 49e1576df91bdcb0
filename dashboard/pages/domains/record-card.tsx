// One DNS record: what to publish, what was found, what to do.

import { Badge, Box, Group, Loader, Text, Title } from '@mantine/core'
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

interface RecordCardProps {
  readonly record: DomainRecord
  /** A look-up is under way. */
  readonly looking: boolean
  /** Names with the domain; most providers want them without. */
  readonly fullNames: boolean
}

export function RecordCard({ record, looking, fullNames }: RecordCardProps) {
  const [title, why] = PURPOSES[record.purpose]
  // Keys that come and go.
  const passing = /_(next|old)$/.test(record.purpose)
  const wanted = record.required || record.status !== 'missing'
  return (
    <Box component="section" className="record" aria-label={title}>
      <Group justify="space-between" align="flex-start" gap="xs">
        <Box miw={0} flex="1 1 16rem">
          <Group gap="xs">
            <Title order={3}>{title}</Title>
            {!record.required && record.purpose !== 'claim' && !passing && (
              <Badge variant="light" color="gray" size="sm" tt="none" fw={500}>
                {record.purpose === 'tracking' ? 'Optional' : 'Recommended'}
              </Badge>
            )}
          </Group>
          <Text c="dimmed" fz="sm">
            {why}
          </Text>
        </Box>
        <Text fz="sm" component="div">
          {looking ? (
            <Group gap={6} wrap="nowrap">
              <Loader size={12} /> <span className="nowrap">Checking</span>
            </Group>
          ) : (
            <StatusBadge
              status={record.status}
              label={STATUSES[record.status]}
              tone={wanted ? undefined : 'waiting'}
            />
          )}
        </Text>
      </Group>
      <dl className="record-fields">
        <Field name="Type" value={record.type} title={title} />
        <Field name="Name" value={fullNames ? record.name : record.host} title={title} />
        <Field name="Value" value={record.value} title={title} />
        {record.status === 'mismatch' && (
          <div>
            <dt>Found</dt>
            <dd className="found-values">
              {record.found.map((one) => (
                <div key={one} className="code-line found-other">
                  {one}
                </div>
              ))}
            </dd>
          </div>
        )}
      </dl>
      {record.advice !== '' && (record.status !== 'found' || passing) && <Text fz="sm">{record.advice}</Text>}
    </Box>
  )
}

interface FieldProps {
  readonly name: string
  readonly value: string
  readonly title: string
}

function Field({ name, value, title }: FieldProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className="code-line">{value}</span>
        {name !== 'Type' && <CopyButton text={value} what={`the ${name.toLowerCase()} of ${title}`} />}
      </dd>
    </div>
  )
}
