// Asks for the password before something that weakens or renews the login, then shows what came of it.

import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { sessionQuery } from '../../session.ts'

interface PasswordAskedProps<Answer> {
  readonly text: string
  /** Words on the button. */
  readonly action: string
  readonly onPassword: (password: string) => Promise<Answer>
  readonly onSuccess?: () => void
  /** What is shown of the answer. */
  readonly children?: (answer: Answer) => ReactNode
}

export function PasswordAsked<Answer>(props: PasswordAskedProps<Answer>) {
  const { text, action, onPassword, onSuccess, children } = props
  const [password, setPassword] = useState('')
  const queries = useQueryClient()
  const act = useMutation({
    mutationFn: () => onPassword(password),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      onSuccess?.()
    },
  })
  if (act.isSuccess && children !== undefined) return children(act.data)
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        act.mutate()
      }}
    >
      <Stack>
        <Text fz="sm">{text}</Text>
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          data-autofocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <ErrorNotice error={act.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={act.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
