// Page of the audit log: author, action, time and origin.

import { Box, Button, Group, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconHistory } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { account } from '../../texts/en/account.ts'
import { audit as words } from '../../texts/en/audit.ts'
import { AccountTabs } from './account-tabs.tsx'
import { actionName } from './audit-actions.ts'
import { type AuditEntry, auditQuery } from './calls.ts'

export function Component() {
  const [search, setSearch] = useSearchParams()
  const filter = { actor: search.get('actor') ?? undefined, action: search.get('action') ?? undefined }
  const audit = useQuery({ ...auditQuery({ ...filter, cursor: useCursor() }), refetchInterval: 10_000 })
  return (
    <Page title={account.title}>
      <AccountTabs />
      <Card flush>
        <Box p="md">
          <Filter
            key={search.toString()}
            actor={filter.actor ?? ''}
            action={filter.action ?? ''}
            onChange={(changed) =>
              setSearch(Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== '')))
            }
          />
        </Box>
        <DataTable
          label={account.auditLog}
          query={audit}
          keyOf={({ audit_id }) => audit_id}
          columns={[
            { title: words.time, cell: ({ at }) => <Time at={at} />, width: { base: 110, sm: 140 } },
            { title: words.actor, from: 'sm', cell: ({ actor }) => actor, width: 230 },
            { title: words.action, cell: (entry) => <What entry={entry} /> },
            { title: words.ipAddress, from: 'md', cell: ({ address }) => address ?? '', width: 140 },
          ]}
          empty={
            <EmptyState icon={<IconHistory size={36} stroke={1.2} />} title={words.none}>
              {words.noneHint}
            </EmptyState>
          }
        />
      </Card>
    </Page>
  )
}

interface FilterProps {
  readonly actor: string
  readonly action: string
  readonly onChange: (filter: { actor: string; action: string }) => void
}

function Filter({ onChange, ...given }: FilterProps) {
  const [actor, setActor] = useState(given.actor)
  const [action, setAction] = useState(given.action)
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        onChange({ actor: actor.trim(), action: action.trim() })
      }}
    >
      <Group gap="xs">
        <TextInput
          aria-label={words.actor}
          placeholder={words.actorExample}
          w={220}
          value={actor}
          onChange={(event) => setActor(event.currentTarget.value)}
        />
        <TextInput
          aria-label={words.action}
          placeholder={words.actionExample}
          w={200}
          value={action}
          onChange={(event) => setAction(event.currentTarget.value)}
        />
        <Button type="submit" variant="default">
          {words.filter}
        </Button>
        {(given.actor !== '' || given.action !== '') && (
          <Button variant="subtle" onClick={() => onChange({ actor: '', action: '' })}>
            {words.showAll}
          </Button>
        )}
      </Group>
    </form>
  )
}

function What({ entry }: { readonly entry: AuditEntry }) {
  const { action, actor, target, detail } = entry
  const more = detailsOf(detail)
  return (
    <>
      <Text inherit fw={500}>
        {actionName(action)}
      </Text>
      <Text c="dimmed" className="code-line">
        {action}
      </Text>
      <Text fz="sm" hiddenFrom="sm">
        {actor}
      </Text>
      <Text fz="sm" c="dimmed">
        {[target, more].filter((one) => one !== null && one !== '').join(' · ')}
      </Text>
    </>
  )
}

/** `name: News, kind: broadcast` */
function detailsOf(detail: unknown): string {
  if (typeof detail === 'string') return detail
  if (typeof detail !== 'object' || detail === null) return ''
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}
