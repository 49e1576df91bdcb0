// Passkeys: logging in with the fingerprint, face or key of a device.

import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconFingerprint } from '../../parts/icons.tsx'
import { Time } from '../../parts/time.tsx'
import { sessionQuery } from '../../session.ts'
import { type Passkey, passkeysQuery, removePasskey } from './calls.ts'
import { addPasskey } from './new-passkey.ts'

export function Passkeys() {
  const passkeys = useQuery(passkeysQuery)
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Passkey>()
  return (
    <Card
      title="Passkeys"
      intro="Log in with a fingerprint, face recognition or security key instead of password and code."
      actions={
        <Button variant="default" size="xs" onClick={() => setAdding(true)}>
          Add a passkey
        </Button>
      }
      flush
    >
      <DataTable
        label="Passkeys"
        query={passkeys}
        keyOf={({ passkey_id }) => passkey_id}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          {
            title: 'Last used',
            cell: ({ last_used_at: at }) => (at === null ? 'Never' : <Time at={at} />),
          },
          {
            title: '',
            number: true,
            cell: (passkey) => (
              <Button
                size="compact-sm"
                variant="subtle"
                aria-label={`Remove the passkey ${passkey.name}`}
                onClick={() => setRemoving(passkey)}
              >
                Remove
              </Button>
            ),
          },
        ]}
        empty={
          <Group px="lg" pb="lg" gap="xs" c="dimmed">
            <IconFingerprint size={18} stroke={1.5} />
            <Text fz="sm">No passkeys yet.</Text>
          </Group>
        }
      />
      <Modal opened={adding} onClose={() => setAdding(false)} title="Add a passkey">
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
          label="Name"
          description="The device or password manager that stores it"
          placeholder="Laptop"
          required
          maxLength={100}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ErrorNotice error={add.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={add.isPending}>
            Add
          </Button>
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
      onClose={onClose}
      title={`Remove ${passkey?.name ?? ''}`}
      action="Remove"
      busy={end.isPending}
      error={end.error}
      onConfirm={() => passkey !== undefined && end.mutate(passkey.passkey_id)}
    >
      This passkey can no longer be used to log in. Remove it from the device as well.
    </Confirm>
  )
}
