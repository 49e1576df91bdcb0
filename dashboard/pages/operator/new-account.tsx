// Form that creates an account and invites its owner.

import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { LinkOnce } from '../../parts/link-once.tsx'
import { common } from '../../texts/en/common.ts'
import { operator } from '../../texts/en/operator.ts'
import { fill } from '../../texts/texts.ts'
import { createAccount } from './calls.ts'

interface NewAccountProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export function NewAccount({ opened, onClose }: NewAccountProps) {
  const words = operator.accounts
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const queries = useQueryClient()
  const create = useMutation({
    mutationFn: () => createAccount({ name: name.trim(), owner_email: email.trim() }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['operator', 'accounts'] }),
  })
  const problem = create.error instanceof ProblemError ? create.error : undefined
  const close = () => {
    onClose()
    setName('')
    setEmail('')
    create.reset()
  }
  return (
    <Modal opened={opened} onClose={close} title={create.isSuccess ? words.wasCreated : words.new}>
      {create.data !== undefined ? (
        <Stack>
          <Text role="status">
            {fill(create.data.invitation?.mailed ? words.invited : words.notMailed, {
              email,
              name: create.data.name,
            })}
          </Text>
          {create.data.invitation?.url !== undefined && <LinkOnce url={create.data.invitation.url} />}
          <Group justify="flex-end">
            <Button onClick={close}>{words.done}</Button>
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
            <TextInput
              label={words.name}
              required
              maxLength={100}
              data-autofocus
              value={name}
              error={problem?.field('name')}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <TextInput
              label={words.ownerEmail}
              type="email"
              required
              value={email}
              error={problem?.field('owner_email')}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <ErrorNotice error={create.error} except={['name', 'owner_email']} />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {common.cancel}
              </Button>
              <ActionButton type="submit" loading={create.isPending}>
                {words.create}
              </ActionButton>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
