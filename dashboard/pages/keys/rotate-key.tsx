// Rotates the secret of a management key, and shows the new secret once.

import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { common } from '../../texts/en/common.ts'
import { managementKeys as words } from '../../texts/en/management-keys.ts'
import { fill } from '../../texts/texts.ts'
import { credentialsQuery, type KeyMade, MANAGEMENT_KEYS, type ManagementKey, rotateKey } from './calls.ts'
import { MadeKey } from './made-key.tsx'
import { SecretDialog } from './secret-dialog.tsx'

interface RotateKeyProps {
  readonly value: ManagementKey | undefined
  readonly onClose: () => void
}

export function RotateKey({ value, onClose }: RotateKeyProps) {
  const name = value?.name ?? ''
  return (
    <SecretDialog<KeyMade>
      opened={value !== undefined}
      onClose={onClose}
      titles={[fill(words.rotateOne, { name }), words.yourSecret]}
      form={(onMade, close) => value !== undefined && <Form id={value.id} onMade={onMade} onClose={close} />}
      shown={(made) => <MadeKey made={made} />}
    />
  )
}

/** Choices of the time for which the secret so far stays valid, in the notation of the API. */
const OVERLAPS = ['0s', '1h', '24h', '7d', '30d'] as const

interface FormProps {
  readonly id: string
  readonly onMade: (made: KeyMade) => void
  readonly onClose: () => void
}

function Form({ id, onMade, onClose }: FormProps) {
  const [overlap, setOverlap] = useState<string>('24h')
  const queries = useQueryClient()
  const rotating = useMutation({
    mutationFn: () => rotateKey(id, overlap),
    onSuccess: (made) => {
      onMade(made)
      void queries.invalidateQueries({ queryKey: credentialsQuery(MANAGEMENT_KEYS).queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rotating.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text fz="sm">{words.rotateHint}</Text>
        <Select
          label={words.overlap}
          data={OVERLAPS.map((value) => ({ value, label: words.overlaps[value] }))}
          value={overlap}
          onChange={(value) => setOverlap(value ?? '24h')}
          allowDeselect={false}
        />
        <ErrorNotice error={rotating.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <ActionButton type="submit" loading={rotating.isPending}>
            {words.rotateAction}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}
