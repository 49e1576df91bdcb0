// Creates an API key or an SMTP credential, and shows the secret only once, with example programs.

import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { common } from '../../texts/en/common.ts'
import { keys as words } from '../../texts/en/keys.ts'
import { createCredential, credentialsQuery, type Place } from './calls.ts'
import { EXPIRIES, expiryIn } from './expiries.ts'
import { SecretDialog } from './secret-dialog.tsx'

interface NewCredentialProps<Made> {
  readonly place: Place
  readonly noun: 'key' | 'smtp' | 'verification'
  readonly opened: boolean
  readonly onClose: () => void
  /** Renders a new credential. */
  readonly shown: (made: Made) => ReactNode
}

export function NewCredential<Made>({ place, noun, opened, onClose, shown }: NewCredentialProps<Made>) {
  return (
    <SecretDialog<Made>
      opened={opened}
      onClose={onClose}
      titles={[words[noun].new, words[noun].yours]}
      form={(onMade, close) => <Form place={place} noun={noun} onMade={onMade} onClose={close} />}
      shown={shown}
    />
  )
}

interface FormProps<Made> extends Pick<NewCredentialProps<Made>, 'place' | 'noun' | 'onClose'> {
  readonly onMade: (made: Made) => void
}

function Form<Made>({ place, noun, onMade, onClose }: FormProps<Made>) {
  const [name, setName] = useState('')
  const [days, setDays] = useState('never')
  const [rate, setRate] = useState('')
  const queries = useQueryClient()
  const creating = useMutation({
    mutationFn: () =>
      createCredential<Made>(place, {
        name: name.trim(),
        ...expiryIn(days),
        ...(rate.trim() === '' ? {} : { rate: rate.trim() }),
      }),
    onSuccess: (made) => {
      onMade(made)
      void queries.invalidateQueries({ queryKey: credentialsQuery(place).queryKey })
    },
  })
  const problem = (path: string) =>
    creating.error instanceof ProblemError ? creating.error.field(path) : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    creating.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={words.name}
          description={words.nameHint}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problem('name')}
          required
          data-autofocus
        />
        <Select
          label={words.expiry}
          data={EXPIRIES.map((value) => ({ value, label: words.expiries[value] }))}
          value={days}
          onChange={(value) => setDays(value ?? 'never')}
          error={problem('expires_at')}
          allowDeselect={false}
        />
        <TextInput
          label={words.rateLimit}
          description={words.rateHint}
          value={rate}
          onChange={(event) => setRate(event.currentTarget.value)}
          error={problem('rate')}
          maxLength={20}
        />
        <ErrorNotice error={creating.error} except={['name', 'expires_at', 'rate']} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <ActionButton type="submit" loading={creating.isPending}>
            {words[noun].create}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}
