// A new password, with what makes a good one.

import { PasswordInput } from '@mantine/core'

interface NewPasswordProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | undefined
  readonly label?: string
}

export function NewPassword({ value, onChange, error, label = 'Password' }: NewPasswordProps) {
  return (
    <PasswordInput
      label={label}
      description="At least 10 characters; several unrelated words work well"
      name="new-password"
      autoComplete="new-password"
      required
      minLength={10}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
