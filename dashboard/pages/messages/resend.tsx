// Dialog that sends the content of a message again, by default to recipients without a delivery.

import { Anchor, Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconRefresh } from '../../parts/icons.tsx'
import { inWords } from '../../parts/in-words.ts'
import { tell } from '../../parts/tell.ts'
import { common } from '../../texts/en/common.ts'
import { messages as words } from '../../texts/en/messages.ts'
import { fill, parts } from '../../texts/texts.ts'
import {
  type Message,
  recipientsOf,
  removeSuppressions,
  resendMessage,
  resendsQuery,
  usefulToResend,
} from './calls.ts'
import { inShort } from './outcome.ts'

/** Statuses of recipients for whom the original message may still be delivered. */
const OPEN: ReadonlySet<string> = new Set(['scheduled', 'queued', 'sending', 'deferred'])

interface ResendProps {
  readonly domainId: string
  readonly message: Message
}

export function Resend({ domainId, message }: ResendProps) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" leftSection={<IconRefresh size={16} stroke={1.6} />} onClick={open}>
        {words.resend}
      </Button>
      <Modal opened={opened} onClose={close} title={words.resendMessage}>
        <Form domainId={domainId} message={message} onClose={close} />
      </Modal>
    </>
  )
}

/** Form that is created at each opening of the dialog, with the present recipients. */
function Form({ domainId, message, onClose }: ResendProps & { readonly onClose: () => void }) {
  const { message_id: id, stream } = message
  const queries = useQueryClient()
  const navigate = useNavigate()
  const recipients = recipientsOf(message)
  const [chosen, setChosen] = useState(() => usefulToResend(recipients))
  const [remove, setRemove] = useState(false)
  // A hard bounce also adds the address to the suppression list.
  const listed = recipients
    .filter(({ email, status }) => ['suppressed', 'bounced'].includes(status) && chosen.includes(email))
    .map(({ email }) => email)
  const open = recipients.filter(({ email, status }) => OPEN.has(status) && chosen.includes(email))
  const resend = useMutation({
    mutationFn: async () => {
      if (remove) for (const email of listed) await removeSuppressions(domainId, email, stream)
      return resendMessage(domainId, id, chosen)
    },
    onSuccess: ({ message_id }) => {
      onClose()
      tell.done(words.resentAsNew)
      // The page of the original message lists the resent message.
      void queries.invalidateQueries({ queryKey: resendsQuery(domainId, id).queryKey })
      navigate(`/domains/${domainId}/messages/${message_id}`)
    },
  })
  return (
    <Stack>
      <Text fz="sm">{words.resendHint}</Text>
      <Checkbox.Group
        label={words.recipients}
        value={[...chosen]}
        onChange={(value: string[]) => setChosen(value)}
      >
        <Stack gap="xs" mt="xs" mah={280} style={{ overflowY: 'auto' }}>
          {recipients.map(({ email, status, held }) => (
            <Checkbox
              key={email}
              value={email}
              label={`${email} (${inWords(held === undefined ? status : 'held').toLowerCase()})`}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      {open.length > 0 && (
        <Text fz="sm" fw={500}>
          {fill(words.resendTwice, { who: inShort(open, recipients.length) })}
        </Text>
      )}
      {listed.length > 0 && (
        <Checkbox
          label={words.resendRemove}
          description={parts(words.resendSuppressed, {
            list: (
              <Anchor key="list" component={Link} to={`/domains/${domainId}/suppressions`} inherit>
                {words.list}
              </Anchor>
            ),
          })}
          checked={remove}
          onChange={(event) => setRemove(event.currentTarget.checked)}
        />
      )}
      <ErrorNotice error={resend.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <ActionButton
          disabled={chosen.length === 0}
          loading={resend.isPending}
          onClick={() => resend.mutate()}
        >
          {words.resend}
        </ActionButton>
      </Group>
    </Stack>
  )
}
