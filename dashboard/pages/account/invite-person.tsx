// Form that invites a user by mail; if the link is shown, the user can also pass it on by hand.

import { Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { inWords } from '../../parts/in-words.ts'
import { LinkOnce } from '../../parts/link-once.tsx'
import { mayAs, ROLES, type Role, useSession } from '../../session.ts'
import { account as words } from '../../texts/en/account.ts'
import { common } from '../../texts/en/common.ts'
import { fill } from '../../texts/texts.ts'
import { invitationsQuery, invite } from './calls.ts'

interface InvitePersonProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export function InvitePerson({ opened, onClose }: InvitePersonProps) {
  const texts = words.people
  const { user } = useSession()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('developer')
  const queries = useQueryClient()
  const send = useMutation({
    mutationFn: () => invite({ email: email.trim(), role }),
    onSuccess: () => queries.invalidateQueries({ queryKey: invitationsQuery.queryKey }),
  })
  const close = () => {
    onClose()
    setEmail('')
    send.reset()
  }
  return (
    <Modal opened={opened} onClose={close} title={send.isSuccess ? texts.invitationCreated : texts.invite}>
      {send.data !== undefined ? (
        <Stack>
          <Text role="status">
            {fill(send.data.mailed ? texts.sent : texts.notSent, { email })}
            {send.data.url !== undefined && ` ${send.data.mailed ? texts.alsoShare : texts.onlyShare}`}
          </Text>
          {send.data.url !== undefined && <LinkOnce url={send.data.url} />}
          <Group justify="flex-end">
            <Button onClick={close}>{texts.done}</Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={(event: FormEvent) => {
            event.preventDefault()
            send.mutate()
          }}
        >
          <Stack>
            <TextInput
              label={texts.email}
              type="email"
              required
              data-autofocus
              autoComplete="off"
              value={email}
              error={send.error instanceof ProblemError ? send.error.field('email') : undefined}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <Radio.Group label={texts.role} value={role} onChange={(value) => setRole(value as Role)}>
              <Stack gap="xs" mt={4}>
                {ROLES.filter((one) => mayAs(user.role, one)).map((one) => (
                  <Radio key={one} value={one} label={inWords(one)} description={texts.may[one]} />
                ))}
              </Stack>
            </Radio.Group>
            <ErrorNotice error={send.error} except={['email']} />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {common.cancel}
              </Button>
              <ActionButton type="submit" loading={send.isPending}>
                {texts.sendInvitation}
              </ActionButton>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
