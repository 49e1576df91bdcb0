// Page of an invitation link, where a new user enters name and password.

import { useState } from 'react'
import type { InvitationLookup } from '../../../src/api/contract/dashboard-people.ts'
import { get, post } from '../../client.ts'
import { useAnswer, useCall } from '../../parts/use-call.ts'
import type { Session } from '../../session.ts'
import { common } from '../../texts/en/common.ts'
import { login } from '../../texts/en/login.ts'
import { fill } from '../../texts/texts.ts'
import { Action, Field, fieldError, Problem } from './fields.tsx'
import { NewPassword } from './new-password.tsx'
import { Form, goInside, inAddress, OutsidePage } from './outside-page.tsx'

export function InvitationPage() {
  const token = inAddress('token')
  const { answer, error, again } = useAnswer((signal) =>
    get<InvitationLookup>('/api/invitations/lookup', { token }, signal),
  )
  const title = answer === undefined ? login.invitation : fill(login.join, { account: answer.account_name })
  return (
    <OutsidePage title={title}>
      {answer !== undefined ? (
        <AcceptForm token={token} invitation={answer} />
      ) : error !== null ? (
        <Problem error={error} again={again} />
      ) : (
        common.loading
      )}
    </OutsidePage>
  )
}

interface AcceptFormProps {
  readonly token: string
  readonly invitation: InvitationLookup
}

function AcceptForm({ token, invitation }: AcceptFormProps) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const accept = useCall(() => post<Session>('/api/invitations/accept', { token, name, password }))
  const submit = async () => {
    if ((await accept.run()) !== undefined) goInside()
  }
  return (
    <Form onSubmit={submit}>
      <p className="form-hint" data-quiet>
        {fill(login.invitedAs, { role: login.roles[invitation.role] })}
      </p>
      <Problem error={accept.error} except={['name', 'password']} />
      <Field label={login.email} autoComplete="username" readOnly value={invitation.email} />
      <Field
        label={login.name}
        autoComplete="name"
        required
        value={name}
        error={fieldError(accept.error, 'name')}
        onChange={setName}
      />
      <NewPassword value={password} onChange={setPassword} error={fieldError(accept.error, 'password')} />
      <Action pending={accept.pending}>{login.accept}</Action>
    </Form>
  )
}
