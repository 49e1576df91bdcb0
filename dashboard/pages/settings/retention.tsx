// Retention of a domain: for how many days its contents, SMTP dialogs and records are kept.

import { Button, Group, NumberInput, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { tell } from '../../parts/tell.ts'
import { changeDomain, type Domain, type DomainChanges, domainQuery } from '../domains/calls.ts'

const FIELDS = [
  {
    field: 'content_retention_days',
    label: 'Contents, in days',
    about: 'HTML, text and attachments. Without them a message cannot be resent.',
  },
  {
    field: 'transcript_retention_days',
    label: 'SMTP dialogs, in days',
    about: 'The commands and replies of each attempt.',
  },
  {
    field: 'record_retention_days',
    label: 'Messages, in days',
    about: 'Recipients, attempts and events. Contents and dialogs are removed with them.',
  },
] as const

interface RetentionProps {
  readonly domain: Domain
  readonly mayChange: boolean
}

export function Retention({ domain, mayChange }: RetentionProps) {
  const { domain_id: id, installation_retention_days: limits } = domain
  const queries = useQueryClient()
  const [typed, setTyped] = useState<Readonly<Record<string, number | string>>>({})
  const inForce = (field: (typeof FIELDS)[number]['field']) => typed[field] ?? domain[field] ?? ''
  const saving = useMutation({
    mutationFn: (changes: DomainChanges) => changeDomain(id, changes),
    onSuccess: (changed) => {
      queries.setQueryData(domainQuery(id).queryKey, changed)
      setTyped({})
      tell.done('Retention saved. What is older is removed within the next hours.')
    },
  })
  const changed = FIELDS.filter(({ field }) => String(inForce(field)) !== String(domain[field] ?? ''))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.mutate(
      Object.fromEntries(
        changed.map(({ field }) => [field, inForce(field) === '' ? null : Number(inForce(field))]),
      ),
    )
  }
  const problem = (field: string) =>
    saving.error instanceof ProblemError ? saving.error.field(field) : undefined
  return (
    <Card
      title="Retention"
      intro="How long messages of this domain are kept, counted from their submission. Streams can keep them for less."
    >
      <form onSubmit={submit}>
        <Stack>
          {FIELDS.map(({ field, label, about }) => (
            <NumberInput
              key={field}
              label={label}
              description={about}
              placeholder={`${limits[field]}, as the installation`}
              min={1}
              max={Math.max(1, Math.floor(limits[field]))}
              clampBehavior="none"
              allowDecimal={false}
              maw={420}
              disabled={!mayChange}
              value={inForce(field)}
              onChange={(value) => setTyped({ ...typed, [field]: value })}
              error={problem(field)}
            />
          ))}
          <Text fz="sm" c="dimmed">
            Empty: as long as the installation. A shorter retention removes what is older, for good.
          </Text>
          <ErrorNotice error={saving.error} except={FIELDS.map(({ field }) => field)} />
          {mayChange && (
            <Group>
              <Button type="submit" disabled={changed.length === 0} loading={saving.isPending}>
                Save retention
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Card>
  )
}
