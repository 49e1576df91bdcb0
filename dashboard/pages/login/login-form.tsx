// Email address and password, then the code of the authenticator where one is set up; or a passkey.

import { Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ProblemError, post } from '../../client.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import type { Session } from '../../session.ts'
import { logInWithPasskey } from './passkey.ts'
import { useEnter } from './use-enter.ts'

interface LoginFormProps {
  readonly hint?: string
  readonly email: string
  /** Left out when only this one person can log in. */
  readonly onEmail?: (email: string) => void
  readonly onEnter?: (session: Session) => void
}

export function LoginForm({ hint, email, onEmail, onEnter }: LoginFormProps) {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [asksCode, setAsksCode] = useState(false)
  const goIn = useEnter()
  const enter = (session: Session) => {
    goIn(session)
    onEnter?.(session)
  }
  const withPassword = useMutation({
    mutationFn: () =>
      post<Session>('/api/session', { email, password, ...(code === '' ? {} : { code: code.trim() }) }),
    onSuccess: enter,
    onError: (error) => {
      if (isSecondFactor(error)) setAsksCode(true)
    },
  })
  const withPasskey = useMutation({ mutationFn: logInWithPasskey, onSuccess: enter, onError: () => {} })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    withPasskey.reset()
    withPassword.mutate()
  }
  const error = withPasskey.error ?? (isSecondFactor(withPassword.error) ? null : withPassword.error)
  return (
    <form onSubmit={submit}>
      <Stack>
        {hint !== undefined && <Text fz="sm">{hint}</Text>}
        <ErrorNotice error={error} />
        <TextInput
          label="Email address"
          type="email"
          name="email"
          autoComplete="username webauthn"
          required
          readOnly={onEmail === undefined}
          value={email}
          onChange={(event) => onEmail?.(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          data-autofocus={onEmail === undefined ? true : undefined}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {asksCode && (
          <TextInput
            label="Code"
            description="The six-digit code from your authenticator app, or a recovery code"
            name="code"
            autoComplete="one-time-code"
            required
            autoFocus
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        <Button type="submit" loading={withPassword.isPending}>
          Log in
        </Button>
        <Divider label="or" />
        <Button
          variant="default"
          leftSection={<IconFingerprint size={18} stroke={1.6} />}
          loading={withPasskey.isPending}
          onClick={() => withPasskey.mutate()}
        >
          Log in with a passkey
        </Button>
      </Stack>
    </form>
  )
}

const isSecondFactor = (error: Error | null): boolean =>
  error instanceof ProblemError && error.code === 'second_factor_required'
