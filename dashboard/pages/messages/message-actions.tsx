// Buttons for a message: retry at once, cancel waiting recipients, resend, and share a link.

import { Button, Group, Modal, SegmentedControl, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconLink, IconPlayerPlay, IconX } from '../../parts/icons.tsx'
import { LinkOnce } from '../../parts/link-once.tsx'
import { RevokeLinks } from '../../parts/revoke-links.tsx'
import { tell } from '../../parts/tell.ts'
import { fromNow, Time } from '../../parts/time.tsx'
import { POLLED_MS } from '../../queries.ts'
import { useMay } from '../../session.ts'
import { common } from '../../texts/en/common.ts'
import { messages as words } from '../../texts/en/messages.ts'
import { counted, parts } from '../../texts/texts.ts'
import {
  cancelMessage,
  isFinal,
  type Message,
  messageQuery,
  recipientsOf,
  retryMessage,
  shareAddress,
  shareMessage,
} from './calls.ts'
import { whyNotTried } from './held-words.ts'
import { Resend } from './resend.tsx'

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
      tell.done(counted(words.triedNow, recipients))
      await queries.invalidateQueries({ queryKey: ['domains', domainId, 'message', message.message_id] })
    },
    onError: async (error) => {
      if (!(error instanceof ProblemError) || error.code !== 'conflict') return tell.problem(error)
      const query = messageQuery(domainId, message.message_id, POLLED_MS)
      tell.refusal(words.notTried, whyNotTried(await queries.fetchQuery({ ...query, staleTime: 0 }), fromNow))
    },
  })
  return (
    <ActionButton
      variant="default"
      leftSection={<IconPlayerPlay size={16} stroke={1.6} />}
      loading={retry.isPending}
      onClick={() => retry.mutate()}
    >
      {words.tryNow}
    </ActionButton>
  )
}

function Cancel({ domainId, message }: ActionProps) {
  const queries = useQueryClient()
  const [opened, { open, close }] = useDisclosure()
  const cancel = useMutation({
    mutationFn: () => cancelMessage(domainId, message.message_id),
    onSuccess: (cancelled) => {
      queries.setQueryData(['domains', domainId, 'message', cancelled.message_id], cancelled)
      tell.done(words.cancelled)
      close()
    },
  })
  return (
    <>
      <Button variant="default" leftSection={<IconX size={16} stroke={1.6} />} onClick={open}>
        {common.cancel}
      </Button>
      <Confirm
        opened={opened}
        onClose={() => {
          cancel.reset()
          close()
        }}
        title={words.cancelQuestion}
        action={words.cancelMessage}
        keep={words.keepMessage}
        busy={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate()}
      >
        {words.cancelHint}
      </Confirm>
    </>
  )
}

const LIFETIMES = ['1', '24', '168'] as const

function Share({ domainId, message }: ActionProps) {
  const [opened, { open, close }] = useDisclosure()
  const [hours, setHours] = useState<string>('24')
  const share = useMutation({ mutationFn: () => shareMessage(domainId, message.message_id, Number(hours)) })
  const end = () => {
    share.reset()
    close()
  }
  return (
    <>
      <Button variant="default" leftSection={<IconLink size={16} stroke={1.6} />} onClick={open}>
        {words.share}
      </Button>
      <Modal opened={opened} onClose={end} title={words.shareTitle}>
        <Stack>
          <Text fz="sm">{words.shareHint}</Text>
          {share.data === undefined ? (
            <SegmentedControl
              aria-label={words.lifetime}
              data={LIFETIMES.map((value) => ({ value, label: words.lifetimes[value] }))}
              value={hours}
              onChange={setHours}
            />
          ) : (
            <>
              <LinkOnce url={share.data.url} />
              <Text fz="sm" c="dimmed">
                {parts(words.expires, { time: <Time key="time" at={share.data.expires_at} exact /> })}
              </Text>
            </>
          )}
          <ErrorNotice error={share.error} />
          <Group justify="flex-end">
            <RevokeLinks address={shareAddress(domainId, message.message_id)} onDone={end} />
            <Button variant="default" onClick={end}>
              {share.data === undefined ? common.cancel : words.done}
            </Button>
            {share.data === undefined && (
              <ActionButton loading={share.isPending} onClick={() => share.mutate()}>
                {words.createLink}
              </ActionButton>
            )}
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
