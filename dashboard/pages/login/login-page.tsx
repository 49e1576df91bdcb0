// Login page.

import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, Navigate, useLocation, useSearchParams } from 'react-router'
import { sessionQuery } from '../../session.ts'
import { LoginForm } from './login-form.tsx'
import { OutsidePage } from './outside-page.tsx'
import { typedEmail } from './typed-email.ts'

export function Component() {
  const { data } = useQuery(sessionQuery)
  const [search] = useSearchParams()
  const [email, setEmail] = useState(typedEmail(useLocation().state))
  if (data?.session !== undefined) return <Navigate to={insideAddress(search.get('to'))} replace />
  if (data?.firstRun === true) {
    return (
      <OutsidePage title="Welcome to Postrider">
        <Text>
          There are no users yet. Open the one-time link in the log of the service; it contains{' '}
          <code>/first-run?token=</code>.
        </Text>
      </OutsidePage>
    )
  }
  return (
    <OutsidePage title="Log in to Postrider">
      <LoginForm email={email} onEmail={setEmail} />
      <Text ta="center" fz="sm" mt="lg">
        <Anchor component={Link} to="/forgotten-password" state={{ email }} inherit>
          Forgot your password?
        </Anchor>
      </Text>
    </OutsidePage>
  )
}

/** A page of our own only: the address bar may come from any site. */
const insideAddress = (to: string | null): string =>
  to !== null && /^\/(?![/\\])/.test(to) && !to.startsWith('/login') ? to : '/'
