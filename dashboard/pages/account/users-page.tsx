// The people of the account and their roles, and who was invited.

import { Button, Menu, NativeSelect, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { IconUserPlus } from '../../parts/icons.tsx'
import { inWords } from '../../parts/in-words.ts'
import { Page } from '../../parts/page.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { mayAs, type Role, sessionQuery, useMay, useSession } from '../../session.ts'
import { AccountTabs } from './account-tabs.tsx'
import { changeRole, type Person, peopleQuery, removePerson } from './calls.ts'
import { Invitations } from './invitations.tsx'
import { InvitePerson } from './invite-person.tsx'
import { ROLES } from './roles.ts'

export function Component() {
  const people = useQuery(peopleQuery)
  const mayInvite = useMay('admin')
  const [inviting, { open, close }] = useDisclosure(false)
  const [leaving, setLeaving] = useState<Person>()
  return (
    <Page
      title="Account"
      actions={
        mayInvite && (
          <Button leftSection={<IconUserPlus size={16} />} onClick={open}>
            Invite a user
          </Button>
        )
      }
    >
      <AccountTabs />
      <Stack gap="lg">
        <Card flush>
          <DataTable
            label="Users"
            query={people}
            keyOf={({ user_id }) => user_id}
            columns={[
              { title: 'User', cell: (person) => <Who person={person} /> },
              { title: 'Role', cell: (person) => <RoleChoice person={person} /> },
              {
                title: 'Second factor',
                from: 'md',
                cell: ({ totp }) => (totp ? 'On' : 'Off'),
              },
              {
                title: 'Last seen',
                from: 'sm',
                cell: ({ last_seen_at: at }) => (at === null ? 'Never' : <Time at={at} />),
              },
              { title: '', number: true, cell: (person) => <Acts person={person} onRemove={setLeaving} /> },
            ]}
            empty={null}
          />
        </Card>
        {mayInvite && <Invitations />}
        <Card title="Roles">
          <dl className="facts">
            {ROLES.map(({ role, label, may }) => (
              <div key={role} style={{ display: 'contents' }}>
                <dt>{label}</dt>
                <dd>{may}</dd>
              </div>
            ))}
          </dl>
        </Card>
      </Stack>
      <InvitePerson opened={inviting} onClose={close} />
      <RemovePerson person={leaving} onClose={() => setLeaving(undefined)} />
    </Page>
  )
}

function Who({ person }: { readonly person: Person }) {
  return (
    <>
      <Text fw={500} inherit>
        {person.name || person.email}
        {person.current && (
          <Text span inherit c="dimmed" fw={400}>
            {' '}
            (you)
          </Text>
        )}
      </Text>
      <Text fz="sm" c="dimmed">
        {person.email}
      </Text>
    </>
  )
}

/** True if the present user may change this person: admins may not touch owners. */
function useMayChange(person: Person): boolean {
  const { user } = useSession()
  return mayAs(user.role, 'admin') && (person.role !== 'owner' || user.role === 'owner')
}

function RoleChoice({ person }: { readonly person: Person }) {
  const { user } = useSession()
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (role: Role) => changeRole(person.user_id, role),
    onSuccess: (_, role) => {
      tell.done(`${person.name || person.email} is now ${role}.`)
      if (person.user_id === user.user_id) void queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    },
    onError: tell.problem,
    onSettled: () => queries.invalidateQueries({ queryKey: peopleQuery.queryKey }),
  })
  if (!useMayChange(person)) return inWords(person.role)
  return (
    <NativeSelect
      aria-label={`Role of ${person.email}`}
      size="xs"
      w={130}
      disabled={change.isPending}
      value={change.isPending ? change.variables : person.role}
      onChange={(event) => change.mutate(event.currentTarget.value as Role)}
      data={ROLES.filter(({ role }) => mayAs(user.role, role)).map(({ role, label }) => ({
        value: role,
        label,
      }))}
    />
  )
}

interface ActsProps {
  readonly person: Person
  readonly onRemove: (person: Person) => void
}

function Acts({ person, onRemove }: ActsProps) {
  if (!useMayChange(person)) return null
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="compact-sm" variant="subtle" aria-label={`Actions for ${person.email}`}>
          Actions
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item color="red" c="var(--mantine-color-error)" onClick={() => onRemove(person)}>
          Remove from the account
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

interface RemovePersonProps {
  readonly person: Person | undefined
  readonly onClose: () => void
}

function RemovePerson({ person, onClose }: RemovePersonProps) {
  const { user } = useSession()
  const queries = useQueryClient()
  const leave = useMutation({
    mutationFn: (id: string) => removePerson(id),
    onSuccess: async (_, id) => {
      onClose()
      // A user who has removed themselves is logged out.
      if (id === user.user_id) window.location.assign('/login')
      await queries.invalidateQueries({ queryKey: peopleQuery.queryKey })
    },
  })
  return (
    <Confirm
      opened={person !== undefined}
      onClose={() => {
        leave.reset()
        onClose()
      }}
      title={`Remove ${person?.name || person?.email || ''}`}
      action="Remove"
      busy={leave.isPending}
      error={leave.error}
      onConfirm={() => person !== undefined && leave.mutate(person.user_id)}
    >
      All sessions of this user end at once. API keys created by this user remain valid.
    </Confirm>
  )
}
