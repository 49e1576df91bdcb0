// The login page of the dashboard.

import { useEffect, useState } from 'react'
import { keep, readKept } from '../../kept.ts'
import { useAnswer } from '../../parts/use-call.ts'
import { readSession } from '../../session.ts'
import { login } from '../../texts/en/login.ts'
import { parts } from '../../texts/texts.ts'
import { insideAddress } from './inside-address.ts'
import { LoginForm } from './login-form.tsx'
import { goInside, inAddress, OutsidePage } from './outside-page.tsx'

/** Storage key of the e-mail address, which the login page and the page for a forgotten password share. */
export const TYPED_EMAIL = 'login email'

export function LoginPage() {
  const { answer } = useAnswer(readSession)
  const [email, setEmail] = useState(readKept(TYPED_EMAIL) ?? '')
  const isInside = answer?.session !== undefined
  const enter = () => {
    keep(TYPED_EMAIL, undefined)
    goInside(insideAddress(inAddress('to'), location.origin))
  }
  useEffect(() => {
    if (isInside) enter()
  })
  if (isInside) return null
  if (answer?.firstRun === true) {
    return (
      <OutsidePage title={login.welcome}>
        <p className="form">
          <span>{parts(login.noUsers, { code: <code key="code">/first-run?token=</code> })}</span>
        </p>
      </OutsidePage>
    )
  }
  return (
    <OutsidePage title={login.title}>
      <LoginForm email={email} onEmail={setEmail} onEnter={enter} offered={answer?.playgroundLogin} />
      <p className="form-link">
        <a href="/forgotten-password" onClick={() => keep(TYPED_EMAIL, email)}>
          {login.forgotten}
        </a>
      </p>
    </OutsidePage>
  )
}
