// Asks for a link to set a new password.

import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { post } from '../../client.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { OutsidePage } from './outside-page.tsx'
import { typedEmail } from './typed-email.ts'

export function Component() {
  const [email, setEmail] = useState(typedEmail(useLocation().state))
  const ask = useMutation({ mutationFn: () => post('/api/password-reset', { email }) })
  return (
    <OutsidePage title={ask.isSuccess ? 'Check your email' : 'Forgot your password?'}>
      {ask.isSuccess ? (
        <Text role="status">
          If there is a user with the address {email}, a link to set a new password is on its way. It works
          once and expires after an hour.
        </Text>
      ) : (
        <form
          onSubmit={(event: FormEvent) => {
            event.preventDefault()
            ask.mutate()
          }}
        >
          <Stack>
            <ErrorNotice error={ask.error} />
            <TextInput
              label="Email address"
              type="email"
              autoComplete="username"
              required
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <Button type="submit" loading={ask.isPending}>
              Send the link
            </Button>
          </Stack>
        </form>
      )}
      <Text ta="center" fz="sm" mt="lg">
        <Anchor component={Link} to="/login" state={{ email }} inherit>
          Back to login
        </Anchor>
      </Text>
    </OutsidePage>
  )
}
