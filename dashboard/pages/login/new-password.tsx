// Field for a new password, with the requirements for passwords.

import { login } from '../../texts/en/login.ts'
import { PasswordField } from './fields.tsx'

interface NewPasswordProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | undefined
  readonly label?: string
}

export const NewPassword = ({ value, onChange, error, label = login.password }: NewPasswordProps) => (
  <PasswordField
    label={label}
    hint={login.passwordHint}
    name="new-password"
    autoComplete="new-password"
    required
    minLength={10}
    value={value}
    error={error}
    onChange={onChange}
  />
)
