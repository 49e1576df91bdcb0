// Creates the first user of an installation, and the first account unless the command line has created an account.
// The single-use link is in the log.

import { useState } from 'react'
import type { FirstRunView } from '../../../src/api/contract/dashboard-people.ts'
import { post } from '../../client.ts'
import { useCall } from '../../parts/use-call.ts'
import type { Session } from '../../session.ts'
import { login } from '../../texts/en/login.ts'
import { fill } from '../../texts/texts.ts'
import { CheckedLink } from './checked-link.tsx'
import { Action, Field, fieldError, Problem } from './fields.tsx'
import { NewPassword } from './new-password.tsx'
import { Form, goInside, inAddress, OutsidePage } from './outside-page.tsx'

const SHOWN = ['account_name', 'name', 'email', 'password']

export function FirstRunPage() {
  const [fields, setFields] = useState({ account_name: '', name: '', email: '', password: '' })
  const create = useCall(() => {
    const { account_name, ...user } = fields
    const named = account_name === '' ? user : fields
    return post<Session>('/api/first-run', { token: inAddress('token'), ...named })
  })
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
      <CheckedLink<FirstRunView> address="/api/first-run" token={inAddress('token')}>
        {({ account_name: account }) => (
          <Form onSubmit={submit}>
            <p className="form-hint" data-quiet>
              {account === null ? login.setUpHint : fill(login.setUpOwner, { account })}
            </p>
            <Problem error={create.error} except={SHOWN} />
            {account === null && (
              <Field label={login.organisation} autoComplete="organization" {...field('account_name')} />
            )}
            <Field label={login.name} autoComplete="name" {...field('name')} />
            <Field label={login.email} type="email" autoComplete="username" {...field('email')} />
            <NewPassword {...field('password')} />
            <Action pending={create.pending}>
              {account === null ? login.createAccount : login.createUser}
            </Action>
          </Form>
        )}
      </CheckedLink>
    </OutsidePage>
  )
}
