// Page of a link that sets a new password.

import { useState } from 'react'
import { post } from '../../client.ts'
import { useCall } from '../../parts/use-call.ts'
import { login } from '../../texts/en/login.ts'
import { CheckedLink } from './checked-link.tsx'
import { Action, fieldError, Problem } from './fields.tsx'
import { NewPassword } from './new-password.tsx'
import { Form, inAddress, OutsidePage } from './outside-page.tsx'

export function ResetPasswordPage() {
  const [password, setPassword] = useState('')
  const [isDone, setDone] = useState(false)
  const reset = useCall(() =>
    post('/api/password-reset/confirm', { token: inAddress('token'), password }).then(() => setDone(true)),
  )
  if (isDone) {
    return (
      <OutsidePage title={login.changed}>
        <div className="form">
          <div role="status">{login.changedHint}</div>
          <a className="form-button" href="/login">
            {login.logIn}
          </a>
        </div>
      </OutsidePage>
    )
  }
  return (
    <OutsidePage title={login.chooseNew}>
      <CheckedLink address="/api/password-reset/confirm" token={inAddress('token')}>
        <Form onSubmit={reset.run}>
          <Problem error={reset.error} except={['password']} />
          <NewPassword value={password} onChange={setPassword} error={fieldError(reset.error, 'password')} />
          <Action pending={reset.pending}>{login.changePassword}</Action>
        </Form>
      </CheckedLink>
    </OutsidePage>
  )
}
