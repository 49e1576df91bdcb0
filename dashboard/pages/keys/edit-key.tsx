// Changes a key or an SMTP credential: its name, its scopes, its networks and its expiry.

import { Button, Group, Modal, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { tell } from '../../parts/tell.ts'
import { common } from '../../texts/en/common.ts'
import { keys as words } from '../../texts/en/keys.ts'
import { managementKeys } from '../../texts/en/management-keys.ts'
import { fill } from '../../texts/texts.ts'
import { changeCredential, credentialsQuery, type EditedCredential, type Place } from './calls.ts'
import { changesOf, type Edited, editedOf, KEPT_EXPIRY } from './edited-key.ts'
import { EXPIRIES } from './expiries.ts'
import { fieldOf, messagesAt, SHOWN } from './filled-key.ts'
import { ScopeChoice } from './scope-choice.tsx'

interface EditKeyProps {
  readonly place: Place
  readonly value: EditedCredential | undefined
  readonly onClose: () => void
}

export const EditKey = ({ place, value, onClose }: EditKeyProps) => (
  <Modal
    opened={value !== undefined}
    onClose={onClose}
    title={fill(words.editOne, { name: value?.name ?? '' })}
    size="lg"
  >
    {value !== undefined && <Form place={place} value={value} onClose={onClose} />}
  </Modal>
)

interface FormProps {
  readonly place: Place
  readonly value: EditedCredential
  readonly onClose: () => void
}

function Form({ place, value, onClose }: FormProps) {
  // Another user may change the key meanwhile; only the fields that this user changes are sent.
  const [before] = useState(() => editedOf(value))
  const [edited, setEdited] = useState(before)
  const change = (one: Partial<Edited>) => setEdited({ ...edited, ...one })
  const queries = useQueryClient()
  const changing = useMutation({
    mutationFn: () => changeCredential(place, value.id, changesOf(edited, before)),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: credentialsQuery(place).queryKey })
      tell.done(fill(words.saved, { name: edited.name.trim() }))
      onClose()
    },
  })
  const errors = changing.error instanceof ProblemError ? changing.error.errors : []
  const problem = (field: string) => messagesAt(errors, field, edited)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    changing.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={words.name}
          value={edited.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          error={problem('name')}
          maxLength={100}
          required
          data-autofocus
        />
        {value.scopes !== undefined && (
          <div>
            <ScopeChoice
              label={managementKeys.scopes}
              scopes={value.scopes}
              chosen={edited.scopes}
              change={(scopes) => change({ scopes })}
              error={problem('scopes')}
            />
            <Text fz="xs" c="dimmed" mt={4}>
              {words.scopesHint}
            </Text>
          </div>
        )}
        <Textarea
          label={managementKeys.networks}
          description={managementKeys.networksHint}
          value={edited.networks}
          onChange={(event) => change({ networks: event.currentTarget.value })}
          error={problem('networks')}
          autosize
          minRows={2}
          maxRows={8}
        />
        <Select
          label={words.expiry}
          data={[
            { value: KEPT_EXPIRY, label: words.unchanged },
            ...EXPIRIES.map((days) => ({ value: days, label: words.expiries[days] })),
          ]}
          value={edited.days}
          onChange={(days) => change({ days: days ?? KEPT_EXPIRY })}
          error={problem('expires_at')}
          allowDeselect={false}
        />
        <ErrorNotice
          error={changing.error}
          except={errors.map(({ path }) => path).filter((path) => SHOWN.has(fieldOf(path)))}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <ActionButton type="submit" loading={changing.isPending}>
            {words.save}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}
