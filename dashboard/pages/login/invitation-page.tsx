// Page behind the link of an invitation: name and password of the new user.

import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import type { InvitationLookup } from '../../../src/api/contract/dashboard-people.ts'
import { get, ProblemError, post } from '../../client.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Loading } from '../../parts/loading.tsx'
import type { Session } from '../../session.ts'
import { NewPassword } from './new-password.tsx'
import { OutsidePage } from './outside-page.tsx'
import { useEnter } from './use-enter.ts'

export function Component() {
  const token = useSearchParams()[0].get('token') ?? ''
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => get<InvitationLookup>('/api/invitations/lookup', { token }, signal),
  })
  return (
    <OutsidePage
      title={invitation.data === undefined ? 'Your invitation' : `Join ${invitation.data.account_name}`}
    >
      {invitation.data !== undefined ? (
        <AcceptForm token={token} invitation={invitation.data} />
      ) : invitation.error !== null ? (
        <ErrorNotice error={invitation.error} again={invitation.refetch} />
      ) : (
        <Loading />
      )}
    </OutsidePage>
  )
}

function AcceptForm({
  token,
  invitation,
}: {
  readonly token: string
  readonly invitation: InvitationLookup
}) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const enter = useEnter()
  const navigate = useNavigate()
  const accept = useMutation({
    mutationFn: () => post<Session>('/api/invitations/accept', { token, name, password }),
    onSuccess: (session) => {
      enter(session)
      navigate('/', { replace: true })
    },
  })
  const problem = accept.error instanceof ProblemError ? accept.error : undefined
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        accept.mutate()
      }}
    >
      <Stack>
        <Text fz="sm" c="dimmed">
          You are invited as {invitation.role}.
        </Text>
        <ErrorNotice error={accept.error} except={['name', 'password']} />
        <TextInput label="Email address" autoComplete="username" readOnly value={invitation.email} />
        <TextInput
          label="Your name"
          autoComplete="name"
          required
          value={name}
          error={problem?.field('name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <NewPassword value={password} onChange={setPassword} error={problem?.field('password')} />
        <Button type="submit" loading={accept.isPending}>
          Accept invitation
        </Button>
      </Stack>
    </form>
  )
}
