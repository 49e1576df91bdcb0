// Name, password, second factor, passkeys and sessions of the current user.

import { Group, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Page } from '../../parts/page.tsx'
import { tell } from '../../parts/tell.ts'
import { sessionQuery, useSession } from '../../session.ts'
import { account as words } from '../../texts/en/account.ts'
import { PasswordField } from '../login/fields.tsx'
import { NewPassword } from '../login/new-password.tsx'
import { AccountTabs } from './account-tabs.tsx'
import { changePassword, renameMe, sessionsQuery } from './calls.ts'
import { OwnSessions } from './own-sessions.tsx'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'

export function Component() {
  return (
    <Page title={words.profile}>
      <AccountTabs />
      <Stack gap="lg" maw={720}>
        <Name />
        <Password />
        <SecondFactor />
        <Passkeys />
        <OwnSessions />
      </Stack>
    </Page>
  )
}

function Name() {
  const { user } = useSession()
  const [name, setName] = useState(user.name ?? '')
  const queries = useQueryClient()
  const rename = useMutation({
    mutationFn: () => renameMe(name.trim()),
    onSuccess: async () => {
      tell.done(words.login.nameSaved)
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    },
  })
  return (
    <Card title={words.name} intro={user.email}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          rename.mutate()
        }}
      >
        <Stack>
          <ErrorNotice error={rename.error} />
          <Group align="flex-end">
            <TextInput
              aria-label={words.login.yourName}
              autoComplete="name"
              required
              flex={1}
              miw={200}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <ActionButton
              type="submit"
              variant="default"
              loading={rename.isPending}
              disabled={name.trim() === (user.name ?? '')}
            >
              {words.login.save}
            </ActionButton>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

function Password() {
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: () => changePassword({ current, password }),
    onSuccess: async () => {
      tell.done(words.login.passwordChanged)
      setCurrent('')
      setPassword('')
      await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    },
  })
  const problem = change.error instanceof ProblemError ? change.error : undefined
  return (
    <Card title={words.login.password} intro={words.login.passwordHint}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          change.mutate()
        }}
      >
        <Stack align="stretch" maw={400}>
          <ErrorNotice error={change.error} except={['current', 'password']} />
          <PasswordField
            label={words.login.currentPassword}
            name="current-password"
            autoComplete="current-password"
            required
            value={current}
            error={problem?.field('current')}
            onChange={setCurrent}
          />
          <NewPassword
            label={words.login.newPassword}
            value={password}
            onChange={setPassword}
            error={problem?.field('password')}
          />
          <Group>
            <ActionButton type="submit" variant="default" loading={change.isPending}>
              {words.login.changePassword}
            </ActionButton>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}
