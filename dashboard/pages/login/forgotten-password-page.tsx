// Form that requests a link to set a new password.

import { useState } from 'react'
import { post } from '../../client.ts'
import { keep, readKept } from '../../kept.ts'
import { useCall } from '../../parts/use-call.ts'
import { login } from '../../texts/en/login.ts'
import { fill } from '../../texts/texts.ts'
import { Action, Field, Problem } from './fields.tsx'
import { TYPED_EMAIL } from './login-page.tsx'
import { Form, OutsidePage } from './outside-page.tsx'

export function ForgottenPasswordPage() {
  const [email, setEmail] = useState(readKept(TYPED_EMAIL) ?? '')
  const [isSent, setSent] = useState(false)
  const ask = useCall(() => post('/api/password-reset', { email }).then(() => setSent(true)))
  return (
    <OutsidePage title={isSent ? login.checkEmail : login.forgotten}>
      {isSent ? (
        <div className="form" role="status">
          {fill(login.linkSent, { email })}
        </div>
      ) : (
        <Form onSubmit={ask.run}>
          <Problem error={ask.error} />
          <Field
            label={login.email}
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={setEmail}
          />
          <Action pending={ask.pending}>{login.sendLink}</Action>
        </Form>
      )}
      <p className="form-link">
        <a href="/login" onClick={() => keep(TYPED_EMAIL, email)}>
          {login.back}
        </a>
      </p>
    </OutsidePage>
  )
}
