// Creates an API key or an SMTP credential, and shows the secret only once, with example programs.

import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { common } from '../../texts/en/common.ts'
import { keys as words } from '../../texts/en/keys.ts'
import { createCredential, credentialsQuery, type Place } from './calls.ts'

interface NewCredentialProps<Made> {
  readonly place: Place
  readonly noun: 'key' | 'smtp' | 'verification'
  readonly opened: boolean
  readonly onClose: () => void
  /** Renders a new credential. */
  readonly shown: (made: Made) => ReactNode
}

const DAY_MS = 86_400_000

/** Choices for the expiry in days; a credential does not expire by default. */
const EXPIRIES = ['never', '30', '90', '365'] as const

export function NewCredential<Made>(props: NewCredentialProps<Made>) {
  const { place, noun, opened, onClose, shown } = props
  const [made, setMade] = useState<Made>()
  const close = () => {
    onClose()
    setMade(undefined)
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={made === undefined ? words[noun].new : words[noun].yours}
      size={made === undefined ? 'md' : 'xl'}
      // The secret is shown only once, so a click outside the dialog must not close it.
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
    >
      {made === undefined ? (
        <Form place={place} noun={noun} onMade={setMade} onClose={close} />
      ) : (
        <Stack>
          {shown(made)}
          <Group justify="flex-end">
            <Button onClick={close}>{words.done}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
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
        ...(days === 'never'
          ? {}
          : { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
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
