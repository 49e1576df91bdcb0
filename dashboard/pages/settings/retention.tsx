// Retention of a domain in days, for contents, SMTP dialogs and records.

import { Group, NumberInput, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { tell } from '../../parts/tell.ts'
import { settings as words } from '../../texts/en/settings.ts'
import { fill } from '../../texts/texts.ts'
import { changeDomain, type Domain, type DomainChanges, domainQuery } from '../domains/calls.ts'

const FIELDS = ['content_retention_days', 'transcript_retention_days', 'record_retention_days'] as const

interface RetentionProps {
  readonly domain: Domain
  readonly mayChange: boolean
}

export function Retention({ domain, mayChange }: RetentionProps) {
  const { domain_id: id, installation_retention_days: limits } = domain
  const queries = useQueryClient()
  const [typed, setTyped] = useState<Readonly<Record<string, number | string>>>({})
  const inForce = (field: (typeof FIELDS)[number]) => typed[field] ?? domain[field] ?? ''
  const saving = useMutation({
    mutationFn: (changes: DomainChanges) => changeDomain(id, changes),
    onSuccess: (changed) => {
      queries.setQueryData(domainQuery(changed.domain_id).queryKey, changed)
      setTyped({})
      tell.done(words.saved)
    },
  })
  const changed = FIELDS.filter((field) => String(inForce(field)) !== String(domain[field] ?? ''))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!FIELDS.every(isValid)) return
    saving.mutate(
      Object.fromEntries(
        changed.map((field) => [field, inForce(field) === '' ? null : Number(inForce(field))]),
      ),
    )
  }
  const most = (field: (typeof FIELDS)[number]) => Math.max(1, Math.floor(limits[field]))
  const isValid = (field: (typeof FIELDS)[number]): boolean => {
    const days = inForce(field)
    return days === '' || (Number.isInteger(Number(days)) && Number(days) >= 1 && Number(days) <= most(field))
  }
  const problem = (field: (typeof FIELDS)[number]) => {
    if (!isValid(field)) return fill(words.daysOrEmpty, { most: most(field) })
    return saving.error instanceof ProblemError ? saving.error.field(field) : undefined
  }
  return (
    <Card title={words.retention} intro={words.retentionHint}>
      <form onSubmit={submit}>
        <Stack>
          {FIELDS.map((field) => (
            <NumberInput
              key={field}
              label={words.kept[field].name}
              description={words.kept[field].about}
              placeholder={fill(words.asInstallation, { days: limits[field] })}
              min={1}
              max={most(field)}
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
            {words.emptyHint}
          </Text>
          <ErrorNotice error={saving.error} except={FIELDS} />
          {mayChange && (
            <Group>
              <ActionButton type="submit" disabled={changed.length === 0} loading={saving.isPending}>
                {words.saveRetention}
              </ActionButton>
            </Group>
          )}
        </Stack>
      </form>
    </Card>
  )
}
