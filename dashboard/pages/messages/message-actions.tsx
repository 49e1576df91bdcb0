// Buttons for a message: retry at once, cancel waiting recipients, resend, and share a link.

import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ProblemError } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { IconPlayerPlay, IconX } from '../../parts/icons.tsx'
import { ShareLink } from '../../parts/share-link.tsx'
import { tell } from '../../parts/tell.ts'
import { fromNow } from '../../parts/time.tsx'
import { POLLED_MS } from '../../queries.ts'
import { useMay } from '../../session.ts'
import { common } from '../../texts/en/common.ts'
import { messages as words } from '../../texts/en/messages.ts'
import { counted } from '../../texts/texts.ts'
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
  const { domainId, message } = props
  return (
    <>
      {recipientsOf(message).some(({ status }) => status === 'deferred') && <TryNow {...props} />}
      {!isFinal(message.status) && <Cancel {...props} />}
      <Resend {...props} />
      <ShareLink
        hint={words.shareHint}
        address={shareAddress(domainId, message.message_id)}
        create={(hours) => shareMessage(domainId, message.message_id, hours)}
      />
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
