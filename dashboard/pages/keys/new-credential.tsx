// Makes a key or an SMTP credential, and shows it this once with programs that use it.

import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { createCredential, credentialsQuery, type Place } from './calls.ts'

interface NewCredentialProps<Made> {
  readonly place: Place
  /** "API key". */
  readonly noun: string
  readonly opened: boolean
  readonly onClose: () => void
  /** Renders a new one. */
  readonly shown: (made: Made) => ReactNode
}

const DAY_MS = 86_400_000

const EXPIRIES = [
  { value: 'never', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]

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
      title={made === undefined ? `New ${noun}` : `Your new ${noun}`}
      size={made === undefined ? 'md' : 'xl'}
      // A click beside it must not lose what is shown once.
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
    >
      {made === undefined ? (
        <Form place={place} noun={noun} onMade={setMade} onClose={close} />
      ) : (
        <Stack>
          {shown(made)}
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
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
          label="Name"
          description="For example the application that uses it"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problem('name')}
          required
          data-autofocus
        />
        <Select
          label="Expires"
          data={EXPIRIES}
          value={days}
          onChange={(value) => setDays(value ?? 'never')}
          error={problem('expires_at')}
          allowDeselect={false}
        />
        <TextInput
          label="Rate limit"
          description="For example 50/s; empty for the default of this installation"
          value={rate}
          onChange={(event) => setRate(event.currentTarget.value)}
          error={problem('rate')}
          maxLength={20}
        />
        <ErrorNotice error={creating.error} except={['name', 'expires_at', 'rate']} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={creating.isPending}>
            Create {noun}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
