// Actions on a message: try again now, cancel the recipients that wait, send it again, pass on a link to it.

import { Anchor, Button, Checkbox, Group, Modal, SegmentedControl, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLink, IconPlayerPlay, IconRefresh, IconX } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { Confirm } from '../../parts/confirm.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { LinkOnce } from '../../parts/link-once.tsx'
import { counted } from '../../parts/numbers.ts'
import { RevokeLinks } from '../../parts/revoke-links.tsx'
import { inWords } from '../../parts/status-badge.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import {
  cancelMessage,
  isFinal,
  type Message,
  recipientsOf,
  resendMessage,
  retryMessage,
  shareAddress,
  shareMessage,
  usefulToResend,
} from './calls.ts'

interface ActionProps {
  readonly domainId: string
  readonly message: Message
}

export function MessageActions(props: ActionProps) {
  if (!useMay('developer')) return null
  const { message } = props
  return (
    <>
      {recipientsOf(message).some(({ status }) => status === 'deferred') && <TryNow {...props} />}
      {!isFinal(message.status) && <Cancel {...props} />}
      <Resend {...props} />
      <Share {...props} />
    </>
  )
}

function TryNow({ domainId, message }: ActionProps) {
  const queries = useQueryClient()
  const retry = useMutation({
    mutationFn: () => retryMessage(domainId, message.message_id),
    onSuccess: async ({ recipients }) => {
      tell.done(`${counted(recipients, 'recipient')} queued for an attempt now.`)
      await queries.invalidateQueries({ queryKey: ['domains', domainId, 'message', message.message_id] })
    },
    onError: tell.problem,
  })
  return (
    <Button
      variant="default"
      leftSection={<IconPlayerPlay size={16} stroke={1.6} />}
      loading={retry.isPending}
      onClick={() => retry.mutate()}
    >
      Try now
    </Button>
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
      <Confirm
        opened={opened}
        onClose={close}
        title="Cancel this message?"
        action="Cancel message"
        keep="Keep message"
        busy={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate()}
      >
        Recipients it has not been delivered to yet will not receive it.
      </Confirm>
    </>
  )
}

function Resend({ domainId, message }: ActionProps) {
  const navigate = useNavigate()
  const recipients = recipientsOf(message)
  const [opened, { open, close }] = useDisclosure()
  const [chosen, setChosen] = useState<readonly string[]>([])
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
      <Button
        variant="default"
        leftSection={<IconRefresh size={16} stroke={1.6} />}
        onClick={() => {
          // As the recipients are now.
          setChosen(usefulToResend(recipients))
          open()
        }}
      >
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

const LIFETIMES = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '7 days' },
]

function Share({ domainId, message }: ActionProps) {
  const [opened, { open, close }] = useDisclosure()
  const [hours, setHours] = useState('24')
  const share = useMutation({ mutationFn: () => shareMessage(domainId, message.message_id, Number(hours)) })
  const end = () => {
    share.reset()
    close()
  }
  return (
    <>
      <Button variant="default" leftSection={<IconLink size={16} stroke={1.6} />} onClick={open}>
        Share
      </Button>
      <Modal opened={opened} onClose={end} title="Share this message">
        <Stack>
          <Text fz="sm">
            Anyone with the link can see the message, its recipients except Bcc, and the replies of their
            hosts, without a login, until it expires or is revoked.
          </Text>
          {share.data === undefined ? (
            <SegmentedControl aria-label="Lifetime" data={LIFETIMES} value={hours} onChange={setHours} />
          ) : (
            <>
              <LinkOnce url={share.data.url} />
              <Text fz="sm" c="dimmed">
                Expires <Time at={share.data.expires_at} exact />
              </Text>
            </>
          )}
          <ErrorNotice error={share.error} />
          <Group justify="flex-end">
            <RevokeLinks address={shareAddress(domainId, message.message_id)} onDone={end} />
            <Button variant="default" onClick={end}>
              {share.data === undefined ? 'Cancel' : 'Done'}
            </Button>
            {share.data === undefined && (
              <Button loading={share.isPending} onClick={() => share.mutate()}>
                Create link
              </Button>
            )}
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
