// Actions on a message: cancel the recipients that wait, send it again.

import { Anchor, Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconRefresh, IconX } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { inWords } from '../../parts/status-badge.tsx'
import { tell } from '../../parts/tell.ts'
import { useMay } from '../../session.ts'
import { cancelMessage, isFinal, type Message, type Recipient, recipientsOf, resendMessage } from './calls.ts'

interface ActionProps {
  readonly domainId: string
  readonly message: Message
}

export function MessageActions(props: ActionProps) {
  if (!useMay('developer')) return null
  return (
    <>
      {!isFinal(props.message.status) && <Cancel {...props} />}
      <Resend {...props} />
    </>
  )
}

function Cancel({ domainId, message }: ActionProps) {
  const queries = useQueryClient()
  const [opened, { open, close }] = useDisclosure()
  const cancel = useMutation({
    mutationFn: () => cancelMessage(domainId, message.message_id),
    onSuccess: (cancelled) => {
      queries.setQueryData(['domains', domainId, 'message', message.message_id], cancelled)
      tell.done('Message cancelled.')
      close()
    },
  })
  return (
    <>
      <Button variant="default" leftSection={<IconX size={16} stroke={1.6} />} onClick={open}>
        Cancel
      </Button>
      <Modal opened={opened} onClose={close} title="Cancel this message?">
        <Stack>
          <Text fz="sm">Recipients it has not been delivered to yet will not receive it.</Text>
          <ErrorNotice error={cancel.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Keep message
            </Button>
            <Button color="red.9" loading={cancel.isPending} onClick={() => cancel.mutate()}>
              Cancel message
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}

function Resend({ domainId, message }: ActionProps) {
  const navigate = useNavigate()
  const recipients = recipientsOf(message)
  const [opened, { open, close }] = useDisclosure()
  const [chosen, setChosen] = useState<readonly string[]>(usefulToResend(recipients))
  const suppressed = recipients.filter(
    ({ email, status }) => status === 'suppressed' && chosen.includes(email),
  )
  const resend = useMutation({
    mutationFn: () => resendMessage(domainId, message.message_id, chosen),
    onSuccess: ({ message_id }) => {
      close()
      tell.done('Resent as a new message.')
      navigate(`/domains/${domainId}/messages/${message_id}`)
    },
  })
  return (
    <>
      <Button variant="default" leftSection={<IconRefresh size={16} stroke={1.6} />} onClick={open}>
        Resend
      </Button>
      <Modal opened={opened} onClose={close} title="Resend message">
        <Stack>
          <Text fz="sm">The same content is sent as a new message to the selected recipients.</Text>
          <Checkbox.Group label="Recipients" value={[...chosen]} onChange={setChosen}>
            <Stack gap="xs" mt="xs" mah={280} style={{ overflowY: 'auto' }}>
              {recipients.map(({ email, status }) => (
                <Checkbox key={email} value={email} label={`${email} (${inWords(status).toLowerCase()})`} />
              ))}
            </Stack>
          </Checkbox.Group>
          {suppressed.length > 0 && (
            <Text fz="sm">
              Suppressed addresses receive nothing until they are removed from the{' '}
              <Anchor component={Link} to={`/domains/${domainId}/suppressions`} inherit>
                suppression list
              </Anchor>
              .
            </Text>
          )}
          <ErrorNotice error={resend.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button disabled={chosen.length === 0} loading={resend.isPending} onClick={() => resend.mutate()}>
              Resend
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}

/** Those that it may still reach: bounced or failed ones, and all when it was delivered to each of them. */
function usefulToResend(recipients: readonly Recipient[]): readonly string[] {
  const missed = recipients.filter(({ status }) => ['bounced', 'failed', 'cancelled'].includes(status))
  const all = recipients.every(({ status }) => status === 'delivered')
  return (all ? recipients : missed).map(({ email }) => email)
}
