// The users of the account with their roles, and the open invitations.

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
import { mayAs, ROLES, type Role, sessionQuery, useMay, useSession } from '../../session.ts'
import { account as words } from '../../texts/en/account.ts'
import { login } from '../../texts/en/login.ts'
import { tables } from '../../texts/en/tables.ts'
import { fill } from '../../texts/texts.ts'
import { AccountTabs } from './account-tabs.tsx'
import { changeRole, type Person, peopleQuery, removePerson } from './calls.ts'
import { Invitations } from './invitations.tsx'
import { InvitePerson } from './invite-person.tsx'

export function Component() {
  const people = useQuery(peopleQuery)
  const mayInvite = useMay('admin')
  const [inviting, { open, close }] = useDisclosure(false)
  const [leaving, setLeaving] = useState<Person>()
  return (
    <Page
      title={words.users}
      actions={
        mayInvite && (
          <Button leftSection={<IconUserPlus size={16} />} onClick={open}>
            {words.people.invite}
          </Button>
        )
      }
    >
      <AccountTabs />
      <Stack gap="lg">
        <Card flush>
          <DataTable
            label={words.users}
            query={people}
            keyOf={({ user_id }) => user_id}
            columns={[
              { title: words.people.user, cell: (person) => <Who person={person} /> },
              { title: words.people.role, cell: (person) => <RoleChoice person={person} /> },
              {
                title: words.factor.title,
                from: 'md',
                cell: ({ totp }) => (totp ? words.on : words.off),
              },
              {
                title: words.lastSeen,
                from: 'sm',
                cell: ({ last_seen_at: at }) => (at === null ? words.never : <Time at={at} />),
              },
              { title: '', number: true, cell: (person) => <Acts person={person} onRemove={setLeaving} /> },
            ]}
            empty={null}
          />
        </Card>
        {mayInvite && <Invitations />}
        <Card title={words.people.roles}>
          <dl className="facts">
            {ROLES.map((role) => (
              <div key={role} style={{ display: 'contents' }}>
                <dt>{inWords(role)}</dt>
                <dd>{words.people.may[role]}</dd>
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
            {words.people.you}
          </Text>
        )}
      </Text>
      <Text fz="sm" c="dimmed">
        {person.email}
      </Text>
    </>
  )
}

/** True if the current user may change this user; admins may not change owners. */
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
      tell.done(fill(words.people.nowRole, { name: person.name || person.email, role: login.roles[role] }))
      if (person.user_id === user.user_id) void queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    },
    onError: tell.problem,
    onSettled: () => queries.invalidateQueries({ queryKey: peopleQuery.queryKey }),
  })
  // A user who lowers their own role cannot raise it again, and an arrow key is enough to change a selection.
  const [asked, setAsked] = useState<Role>()
  if (!useMayChange(person)) return inWords(person.role)
  const choose = (role: Role): void => {
    if (person.user_id === user.user_id) setAsked(role)
    else change.mutate(role)
  }
  return (
    <>
      <NativeSelect
        aria-label={fill(words.people.roleOf, { email: person.email })}
        size="xs"
        w={130}
        // A disabled field would lose the focus to the page.
        aria-busy={change.isPending || undefined}
        value={change.isPending ? change.variables : person.role}
        onChange={(event) => !change.isPending && choose(event.currentTarget.value as Role)}
        data={ROLES.filter((role) => mayAs(user.role, role)).map((role) => ({
          value: role,
          label: inWords(role),
        }))}
      />
      <Confirm
        opened={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={words.people.ownRole}
        action={words.people.changeRole}
        busy={change.isPending}
        onConfirm={() => {
          if (asked !== undefined) change.mutate(asked, { onSettled: () => setAsked(undefined) })
        }}
      >
        {fill(words.people.ownRoleHint, { role: login.roles[asked ?? person.role] })}
      </Confirm>
    </>
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
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={fill(words.people.actionsFor, { email: person.email })}
        >
          {tables.actions}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item color="red" c="var(--mantine-color-error)" onClick={() => onRemove(person)}>
          {words.people.removeFromAccount}
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
      // A user who removes themselves from the account is logged out.
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
      title={fill(words.people.removeOne, { name: person?.name || person?.email || '' })}
      action={words.remove}
      busy={leave.isPending}
      error={leave.error}
      onConfirm={() => person !== undefined && leave.mutate(person.user_id)}
    >
      {words.people.removeHint}
    </Confirm>
  )
}
