// Login form: e-mail address and password, followed by the TOTP code if the user has set up an authenticator app; or a
// passkey.

import { useState } from 'react'
import { ProblemError, post } from '../../client.ts'
import { useCall } from '../../parts/use-call.ts'
import type { PlaygroundLogin, Session } from '../../session.ts'
import { login } from '../../texts/en/login.ts'
import { Action, Field, PasswordField, Problem, Sign } from './fields.tsx'
import { Form } from './outside-page.tsx'
import { logInWithPasskey } from './passkey.ts'

interface LoginFormProps {
  readonly hint?: string
  readonly email: string
  /** Called when the user changes the e-mail address; undefined if only one user can log in. */
  readonly onEmail?: (email: string) => void
  readonly onEnter: (session: Session) => void
  /** Login of the playground, which the form shows and fills in. */
  readonly offered?: PlaygroundLogin | undefined
}

const KEY = 'M12.5 8a4.5 4.5 0 1 1-9 0a4.5 4.5 0 1 1 9 0M11.2 11.2l8.8 8.8M15 15l3-3M18.5 18.5l2.5-2.5'

export function LoginForm({ hint, email, onEmail, onEnter, offered }: LoginFormProps) {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [asksCode, setAsksCode] = useState(false)
  const withPassword = useCall(() =>
    post<Session>('/api/session', {
      email,
      password,
      ...(code === '' ? {} : { code: code.trim() }),
    }).catch((error: unknown) => {
      if (isSecondFactor(error)) setAsksCode(true)
      throw error
    }),
  )
  const withPasskey = useCall(logInWithPasskey)
  const enter = async (way: typeof withPassword, other: typeof withPassword) => {
    other.reset()
    const session = await way.run()
    if (session !== undefined) onEnter(session)
  }
  const error = withPasskey.error ?? (isSecondFactor(withPassword.error) ? null : withPassword.error)
  return (
    <Form onSubmit={() => enter(withPassword, withPasskey)}>
      {hint !== undefined && <p className="form-hint">{hint}</p>}
      <Problem error={error} />
      <Field
        label={login.email}
        type="email"
        name="email"
        autoComplete="username webauthn"
        required
        readOnly={onEmail === undefined}
        value={email}
        onChange={(typed) => onEmail?.(typed)}
      />
      <PasswordField
        label={login.password}
        name="password"
        autoComplete="current-password"
        required
        data-autofocus={onEmail === undefined ? true : undefined}
        value={password}
        onChange={setPassword}
      />
      {asksCode && (
        <Field
          label={login.code}
          hint={login.codeHint}
          name="code"
          autoComplete="one-time-code"
          required
          autoFocus
          value={code}
          onChange={setCode}
        />
      )}
      <Action pending={withPassword.pending}>{login.logIn}</Action>
      <div className="form-or">{login.or}</div>
      <Action plain pending={withPasskey.pending} onClick={() => void enter(withPasskey, withPassword)}>
        <Sign path={KEY} />
        {login.passkey}
      </Action>
      {offered !== undefined && (
        <Offer
          login={offered}
          onUse={() => {
            onEmail?.(offered.email)
            setPassword(offered.password)
          }}
        />
      )}
    </Form>
  )
}

interface OfferProps {
  readonly login: PlaygroundLogin
  readonly onUse: () => void
}

/** Shows the login of the playground with a button that fills in the form. */
const Offer = ({ login: { email, password }, onUse }: OfferProps) => (
  <div className="form-offer">
    <p>{login.playground}</p>
    <p>
      <code>{email}</code>
      <br />
      <code>{password}</code>
    </p>
    <Action plain onClick={onUse}>
      {login.fillIn}
    </Action>
  </div>
)

const isSecondFactor = (error: unknown): boolean =>
  error instanceof ProblemError && error.code === 'second_factor_required'
