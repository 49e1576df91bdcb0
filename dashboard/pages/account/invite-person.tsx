// Invites a user by mail; where the link is shown as well, it can be passed on by hand.

import { Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { LinkOnce } from '../../parts/link-once.tsx'
import { mayAs, type Role, useSession } from '../../session.ts'
import { invitationsQuery, invite } from './calls.ts'
import { ROLES } from './roles.ts'

const SHARE = {
  also: 'You can also share this link; it is shown only once:',
  only: 'Share this link yourself; it is shown only once:',
}

interface InvitePersonProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export function InvitePerson({ opened, onClose }: InvitePersonProps) {
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
    <Modal opened={opened} onClose={close} title={send.isSuccess ? 'Invitation created' : 'Invite a user'}>
      {send.data !== undefined ? (
        <Stack>
          <Text role="status">
            {send.data.mailed
              ? `The invitation was sent to ${email}.`
              : `${email} is invited, but no domain could send the invitation.`}
            {send.data.url !== undefined && ` ${SHARE[send.data.mailed ? 'also' : 'only']}`}
          </Text>
          {send.data.url !== undefined && <LinkOnce url={send.data.url} />}
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
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
              label="Email address"
              type="email"
              required
              data-autofocus
              autoComplete="off"
              value={email}
              error={send.error instanceof ProblemError ? send.error.field('email') : undefined}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <Radio.Group label="Role" value={role} onChange={(value) => setRole(value as Role)}>
              <Stack gap="xs" mt={4}>
                {ROLES.filter((one) => mayAs(user.role, one.role)).map((one) => (
                  <Radio key={one.role} value={one.role} label={one.label} description={one.may} />
                ))}
              </Stack>
            </Radio.Group>
            <ErrorNotice error={send.error} except={['email']} />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={send.isPending}>
                Invite
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
