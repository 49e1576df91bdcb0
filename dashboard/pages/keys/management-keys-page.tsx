// The list of the management keys of the account.

import { Button, Menu, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { type Column, DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconKey, IconPlus } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { keys } from '../../texts/en/keys.ts'
import { managementKeys as words } from '../../texts/en/management-keys.ts'
import { tables } from '../../texts/en/tables.ts'
import { counted, fill, parts } from '../../texts/texts.ts'
import { AccountTabs } from '../account/account-tabs.tsx'
import { peopleQuery } from '../account/calls.ts'
import {
  type GivenScopes,
  MANAGEMENT_KEYS,
  type ManagementKey,
  managementKeysQuery,
  scopesQuery,
} from './calls.ts'
import { CredentialState, RevokeCredential } from './credential-table.tsx'
import { EditKey } from './edit-key.tsx'
import { NewManagementKey } from './new-management-key.tsx'
import { RotateKey } from './rotate-key.tsx'
import { scopesInWords } from './scope-names.ts'

export function Component() {
  const may = useMay('developer')
  const [making, { open, close }] = useDisclosure()
  const [editing, setEditing] = useState<ManagementKey>()
  const [rotating, setRotating] = useState<ManagementKey>()
  const [revoking, setRevoking] = useState<ManagementKey>()
  const query = useQuery(managementKeysQuery(useCursor()))
  const { data: given } = useQuery(scopesQuery)
  const nameOf = useMakerNames()
  const create = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      {words.add}
    </Button>
  )
  const acts: Column<ManagementKey> = {
    title: '',
    number: true,
    cell: (key) =>
      key.revoked_at === null && (
        <Acts value={key} edit={setEditing} rotate={setRotating} revoke={setRevoking} />
      ),
  }
  return (
    <Page title={words.title} intro={words.intro} actions={create}>
      <AccountTabs />
      <Card flush>
        <DataTable
          label={words.title}
          query={query}
          keyOf={({ id }) => id}
          columns={[...columns(given?.sets ?? [], nameOf), ...(may ? [acts] : [])]}
          empty={
            <EmptyState icon={<IconKey size={32} stroke={1.4} />} title={words.none} action={create}>
              {words.noneHint}
            </EmptyState>
          }
        />
      </Card>
      <NewManagementKey opened={making} onClose={close} />
      <EditKey place={MANAGEMENT_KEYS} value={editing} onClose={() => setEditing(undefined)} />
      <RotateKey value={rotating} onClose={() => setRotating(undefined)} />
      <RevokeCredential place={MANAGEMENT_KEYS} value={revoking} onClose={() => setRevoking(undefined)} />
    </Page>
  )
}

/** Returns the name of the maker of a key, by the ID or word in the field `created_by`. */
function useMakerNames(): (maker: string) => string {
  const { data } = useQuery(peopleQuery)
  return (maker) => {
    if (maker === 'gone' || maker === 'operator' || maker === 'command_line') return words.makers[maker]
    const person = data?.data.find(({ user_id }) => user_id === maker)
    return person === undefined ? maker : person.name || person.email
  }
}

const columns = (
  sets: GivenScopes['sets'],
  nameOf: (maker: string) => string,
): readonly Column<ManagementKey>[] => [
  {
    title: keys.name,
    cell: ({ name, last4 }) => (
      <div className="two-lines">
        <Text fz="sm" fw={500}>
          {name}
        </Text>
        <Text c="dimmed" className="code-line">
          {`manage_…${last4}`}
        </Text>
      </div>
    ),
  },
  {
    title: words.scopes,
    cell: ({ scopes }) => <span title={scopes.join(', ')}>{scopesInWords(scopes, sets)}</span>,
  },
  {
    title: words.limitedTo,
    cell: ({ domains, networks }) => (
      <>
        <span title={domains?.join(', ')}>{inShort(domains, words.everyDomain, words.noDomain)}</span>
        <Text fz="xs" c="dimmed" title={networks?.join(', ')}>
          {inShort(networks, words.everyNetwork, words.everyNetwork)}
        </Text>
      </>
    ),
  },
  {
    title: keys.lastUsed,
    cell: ({ last_used_at: at, last_used_from: network }) =>
      at === null ? (
        keys.never
      ) : (
        <>
          <Time at={at} />
          {network !== null && (
            <Text fz="xs" c="dimmed">
              {network}
            </Text>
          )}
        </>
      ),
  },
  {
    title: keys.created,
    from: 'lg',
    cell: ({ created_at: at, created_by: maker }) => (
      <>
        <Time at={at} />
        {maker !== null && (
          <Text fz="xs" c="dimmed">
            {fill(words.by, { name: nameOf(maker) })}
          </Text>
        )}
      </>
    ),
  },
  {
    title: keys.status,
    cell: (key) => (
      <>
        <CredentialState credential={key} />
        {key.revoked_at === null && key.rotating_until !== null && (
          <Text fz="xs" c="dimmed">
            {parts(words.rotatingUntil, { time: <Time key="time" at={key.rotating_until} /> })}
          </Text>
        )}
      </>
    ),
  },
]

/** Returns the first member of a list and the number of the others; `every` if there is no list. */
function inShort(list: readonly string[] | null, every: string, none: string): string {
  if (list === null) return every
  const [first = none, ...others] = list
  return others.length === 0 ? first : counted(words.andMore, others.length, { first })
}

interface ActsProps {
  readonly value: ManagementKey
  readonly edit: (key: ManagementKey) => void
  readonly rotate: (key: ManagementKey) => void
  readonly revoke: (key: ManagementKey) => void
}

function Acts({ value, edit, rotate, revoke }: ActsProps) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="compact-sm" variant="subtle" aria-label={fill(words.actionsFor, { name: value.name })}>
          {tables.actions}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => edit(value)}>{keys.edit}</Menu.Item>
        <Menu.Item onClick={() => rotate(value)}>{words.rotate}</Menu.Item>
        <Menu.Item color="red" c="var(--mantine-color-error)" onClick={() => revoke(value)}>
          {keys.revoke}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
