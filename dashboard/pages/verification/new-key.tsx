// Makes a Verification API key and shows it this once, with a line that uses it.

import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Secret } from '../../parts/secret.tsx'
import { createKey, keysQuery } from './calls.ts'

interface NewKeyProps {
  readonly opened: boolean
  readonly onClose: () => void
}

const DAY_MS = 86_400_000

export function NewKey({ opened, onClose }: NewKeyProps) {
  const [name, setName] = useState('')
  const [days, setDays] = useState('never')
  const queries = useQueryClient()
  const create = useMutation({
    mutationFn: () => {
      const expires =
        days === 'never' ? undefined : new Date(Date.now() + Number(days) * DAY_MS).toISOString()
      return createKey({ name: name.trim(), ...(expires === undefined ? {} : { expires_at: expires }) })
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: keysQuery.queryKey }),
  })
  const close = () => {
    onClose()
    setName('')
    create.reset()
  }
  const key = create.data?.key
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={key === undefined ? 'New Verification API key' : 'Your new key'}
      closeOnClickOutside={key === undefined}
    >
      {key !== undefined ? (
        <Stack>
          <Secret what="the key" value={key} />
          <Curl value={key} />
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={(event: FormEvent) => {
            event.preventDefault()
            create.mutate()
          }}
        >
          <Stack>
            <ErrorNotice error={create.error} />
            <TextInput
              label="Name"
              description="To tell it from others: the program that uses it, say"
              required
              maxLength={100}
              data-autofocus
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Select
              label="Expires"
              data={[
                { value: 'never', label: 'Never' },
                { value: '30', label: 'In 30 days' },
                { value: '90', label: 'In 90 days' },
                { value: '365', label: 'In a year' },
              ]}
              allowDeselect={false}
              value={days}
              onChange={(value) => setDays(value ?? 'never')}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={create.isPending}>
                Make the key
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}

function Curl({ value }: { readonly value: string }) {
  const line = `curl '${window.location.origin}/v1/verifyEmail?email=ann@example.net' \\\n  -H 'Authorization: Bearer ${value}'`
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text fz="sm" fw={500}>
          Try it
        </Text>
        <CopyButton text={line} what="the curl line" />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard */}
      <pre className="block" tabIndex={0}>
        {line}
      </pre>
    </div>
  )
}
