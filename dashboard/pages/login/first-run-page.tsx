// Creates the first account of an installation with the single-use link from the log.

import { useState } from 'react'
import { post } from '../../client.ts'
import { useCall } from '../../parts/use-call.ts'
import type { Session } from '../../session.ts'
import { login } from '../../texts/en/login.ts'
import { CheckedLink } from './checked-link.tsx'
import { Action, Field, fieldError, Problem } from './fields.tsx'
import { NewPassword } from './new-password.tsx'
import { Form, goInside, inAddress, OutsidePage } from './outside-page.tsx'

const SHOWN = ['account_name', 'name', 'email', 'password']

export function FirstRunPage() {
  const [fields, setFields] = useState({ account_name: '', name: '', email: '', password: '' })
  const create = useCall(() => post<Session>('/api/first-run', { token: inAddress('token'), ...fields }))
  const field = (name: keyof typeof fields) => ({
    name,
    required: true,
    value: fields[name],
    error: fieldError(create.error, name),
    onChange: (value: string) => setFields((before) => ({ ...before, [name]: value })),
  })
  const submit = async () => {
    if ((await create.run()) !== undefined) goInside()
  }
  return (
    <OutsidePage title={login.setUp}>
      <CheckedLink address="/api/first-run" token={inAddress('token')}>
        <Form onSubmit={submit}>
          <p className="form-hint" data-quiet>
            {login.setUpHint}
          </p>
          <Problem error={create.error} except={SHOWN} />
          <Field label={login.organisation} autoComplete="organization" {...field('account_name')} />
          <Field label={login.name} autoComplete="name" {...field('name')} />
          <Field label={login.email} type="email" autoComplete="username" {...field('email')} />
          <NewPassword {...field('password')} />
          <Action pending={create.pending}>{login.createAccount}</Action>
        </Form>
      </CheckedLink>
    </OutsidePage>
  )
}
