// Form that sends a first message from a verified domain, to the current user or to another address.

import { Anchor, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { path, post } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { useSession } from '../../session.ts'
import { common } from '../../texts/en/common.ts'
import { guide } from '../../texts/en/guide.ts'
import { fill } from '../../texts/texts.ts'

interface SendFirstProps {
  readonly domain: { readonly domain_id: string; readonly domain: string }
  readonly opened: boolean
  readonly onClose: () => void
}

export function SendFirst({ domain, opened, onClose }: SendFirstProps) {
  const { user } = useSession()
  const [to, setTo] = useState(user.email)
  const send = useMutation({
    mutationFn: () =>
      post<{ message_id: string }>(path`/api/domains/${domain.domain_id}/messages`, {
        from: `hello@${domain.domain}`,
        to: [{ email: to.trim() }],
        subject: guide.testSubject,
        text: `${fill(guide.testText, domain)}\n`,
        html: `<p>${fill(guide.testText, { domain: `<b>${domain.domain}</b>` })}</p>`,
      }),
  })
  return (
    <Modal opened={opened} onClose={onClose} title={guide.sendTest}>
      {send.data !== undefined ? (
        <Stack>
          <Text role="status">{fill(guide.queuedTo, { to })}</Text>
          <Anchor component={Link} to={`/domains/${domain.domain_id}/messages/${send.data.message_id}`}>
            {guide.viewMessage}
          </Anchor>
        </Stack>
      ) : (
        <form
          onSubmit={(event: FormEvent) => {
            event.preventDefault()
            send.mutate()
          }}
        >
          <Stack>
            <Text fz="sm" c="dimmed">
              {fill(guide.testFrom, { from: `hello@${domain.domain}` })}
            </Text>
            <TextInput
              label={guide.to}
              type="text"
              inputMode="email"
              required
              data-autofocus
              value={to}
              onChange={(event) => setTo(event.currentTarget.value)}
            />
            <ErrorNotice error={send.error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {common.cancel}
              </Button>
              <ActionButton type="submit" loading={send.isPending}>
                {guide.send}
              </ActionButton>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
