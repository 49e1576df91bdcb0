// Makes an account and invites its owner.

import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { LinkOnce } from '../../parts/link-once.tsx'
import { createAccount } from './calls.ts'

interface NewAccountProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export function NewAccount({ opened, onClose }: NewAccountProps) {
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
    <Modal opened={opened} onClose={close} title={create.isSuccess ? 'Account created' : 'New account'}>
      {create.data !== undefined ? (
        <Stack>
          <Text role="status">
            {create.data.invitation.mailed
              ? `${email} was invited by email as the owner of ${create.data.name}. You can also share this link; it is shown only once:`
              : `${email} is invited as the owner of ${create.data.name}, but no domain could send the invitation. Share this link yourself; it is shown only once.`}
          </Text>
          {create.data.invitation.url !== undefined && <LinkOnce url={create.data.invitation.url} />}
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
            <TextInput
              label="Name"
              required
              maxLength={100}
              data-autofocus
              value={name}
              error={problem?.field('name')}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <TextInput
              label="Email address of the owner"
              type="email"
              required
              value={email}
              error={problem?.field('owner_email')}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <ErrorNotice error={create.error} except={['name', 'owner_email']} />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={create.isPending}>
                Create account
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
