// Page behind the link for a new password.

import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { ProblemError, post } from '../../client.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { NewPassword } from './new-password.tsx'
import { OutsidePage } from './outside-page.tsx'

export function Component() {
  const token = useSearchParams()[0].get('token') ?? ''
  const [password, setPassword] = useState('')
  const reset = useMutation({ mutationFn: () => post('/api/password-reset/confirm', { token, password }) })
  if (reset.isSuccess) {
    return (
      <OutsidePage title="Password changed">
        <Stack>
          <Text role="status">All sessions are logged out. Log in with the new password.</Text>
          <Button component={Link} to="/login">
            Log in
          </Button>
        </Stack>
      </OutsidePage>
    )
  }
  return (
    <OutsidePage title="Choose a new password">
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          reset.mutate()
        }}
      >
        <Stack>
          <ErrorNotice error={reset.error} except={['password']} />
          <NewPassword
            value={password}
            onChange={setPassword}
            error={reset.error instanceof ProblemError ? reset.error.field('password') : undefined}
          />
          <Button type="submit" loading={reset.isPending}>
            Change password
          </Button>
        </Stack>
      </form>
    </OutsidePage>
  )
}
