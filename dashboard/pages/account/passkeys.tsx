// Passkeys of the current user, who can log in with the fingerprint, face or key of a device.

import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconFingerprint } from '../../parts/icons.tsx'
import { Time } from '../../parts/time.tsx'
import { sessionQuery } from '../../session.ts'
import { account as words } from '../../texts/en/account.ts'
import { fill } from '../../texts/texts.ts'
import { type Passkey, passkeysQuery, removePasskey } from './calls.ts'
import { addPasskey } from './new-passkey.ts'

export function Passkeys() {
  const passkeys = useQuery(passkeysQuery)
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Passkey>()
  return (
    <Card
      title={words.passkeys.title}
      intro={words.passkeys.intro}
      actions={
        <Button variant="default" size="xs" onClick={() => setAdding(true)}>
          {words.passkeys.add}
        </Button>
      }
      flush
    >
      <DataTable
        label={words.passkeys.title}
        query={passkeys}
        keyOf={({ passkey_id }) => passkey_id}
        columns={[
          { title: words.name, cell: ({ name }) => name },
          {
            title: words.passkeys.lastUsed,
            cell: ({ last_used_at: at }) => (at === null ? words.never : <Time at={at} />),
          },
          {
            title: '',
            number: true,
            cell: (passkey) => (
              <Button
                size="compact-sm"
                variant="subtle"
                aria-label={fill(words.passkeys.removeOne, { name: passkey.name })}
                onClick={() => setRemoving(passkey)}
              >
                {words.remove}
              </Button>
            ),
          },
        ]}
        empty={
          <Group px="lg" pb="lg" gap="xs" c="dimmed">
            <IconFingerprint size={18} stroke={1.5} />
            <Text fz="sm">{words.passkeys.none}</Text>
          </Group>
        }
      />
      <Modal opened={adding} onClose={() => setAdding(false)} title={words.passkeys.add}>
        <AddPasskey onDone={() => setAdding(false)} />
      </Modal>
      <RemovePasskey passkey={removing} onClose={() => setRemoving(undefined)} />
    </Card>
  )
}

function AddPasskey({ onDone }: { readonly onDone: () => void }) {
  const [name, setName] = useState('')
  const queries = useQueryClient()
  const add = useMutation({
    mutationFn: () => addPasskey(name.trim()),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: passkeysQuery.queryKey })
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      onDone()
    },
  })
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        add.mutate()
      }}
    >
      <Stack>
        <TextInput
          label={words.name}
          description={words.passkeys.nameHint}
          placeholder={words.passkeys.nameExample}
          required
          maxLength={100}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ErrorNotice error={add.error} />
        <Group justify="flex-end">
          <ActionButton type="submit" loading={add.isPending}>
            {words.passkeys.addAction}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}

interface RemovePasskeyProps {
  readonly passkey: Passkey | undefined
  readonly onClose: () => void
}

function RemovePasskey({ passkey, onClose }: RemovePasskeyProps) {
  const queries = useQueryClient()
  const end = useMutation({
    mutationFn: (id: string) => removePasskey(id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: passkeysQuery.queryKey })
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      onClose()
    },
  })
  return (
    <Confirm
      opened={passkey !== undefined}
      onClose={() => {
        end.reset()
        onClose()
      }}
      title={fill(words.passkeys.removeTitle, { name: passkey?.name ?? '' })}
      action={words.remove}
      busy={end.isPending}
      error={end.error}
      onConfirm={() => passkey !== undefined && end.mutate(passkey.passkey_id)}
    >
      {words.passkeys.removeHint}
    </Confirm>
  )
}
