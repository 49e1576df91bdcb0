// The first account of an installation, made with the one-time link from the log.

import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { ProblemError, post } from '../../client.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import type { Session } from '../../session.ts'
import { NewPassword } from './new-password.tsx'
import { OutsidePage } from './outside-page.tsx'
import { useEnter } from './use-enter.ts'

const SHOWN = ['account_name', 'name', 'email', 'password']

export function Component() {
  const token = useSearchParams()[0].get('token') ?? ''
  const [fields, setFields] = useState({ account_name: '', name: '', email: '', password: '' })
  const enter = useEnter()
  const navigate = useNavigate()
  const create = useMutation({
    mutationFn: () => post<Session>('/api/first-run', { token, ...fields }),
    onSuccess: (session) => {
      enter(session)
      navigate('/', { replace: true })
    },
  })
  const problem = create.error instanceof ProblemError ? create.error : undefined
  const field = (name: keyof typeof fields) => ({
    name,
    required: true,
    value: fields[name],
    error: problem?.field(name),
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setFields((before) => ({ ...before, [name]: value }))
    },
  })
  return (
    <OutsidePage title="Set up Postrider">
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <Stack>
          <Text fz="sm" c="dimmed">
            Create the first account. It operates this installation and invites all other users.
          </Text>
          <ErrorNotice error={create.error} except={SHOWN} />
          <TextInput label="Organisation" autoComplete="organization" {...field('account_name')} />
          <TextInput label="Your name" autoComplete="name" {...field('name')} />
          <TextInput label="Email address" type="email" autoComplete="username" {...field('email')} />
          <NewPassword
            value={fields.password}
            error={problem?.field('password')}
            onChange={(password) => setFields((before) => ({ ...before, password }))}
          />
          <Button type="submit" loading={create.isPending}>
            Create account
          </Button>
        </Stack>
      </form>
    </OutsidePage>
  )
}
