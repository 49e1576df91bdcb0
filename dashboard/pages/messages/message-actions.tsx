// Actions on a message: cancel the recipients that wait, send it again.

import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconRefresh, IconX } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { inWords } from '../../parts/status-badge.tsx'
import { tell } from '../../parts/tell.ts'
import { useMay } from '../../session.ts'
import { cancelMessage, isFinal, type Message, recipientsOf, resendMessage } from './calls.ts'

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
  const [chosen, setChosen] = useState<readonly string[]>(recipients.map(({ email }) => email))
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
