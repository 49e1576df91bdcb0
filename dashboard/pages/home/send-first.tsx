// Sends a first mail from a verified domain, to whoever is logged in or anybody else.

import { Anchor, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { path, post } from '../../client.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { useSession } from '../../session.ts'

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
        subject: 'A first mail from Postrider',
        text: `It works: ${domain.domain} can send mail with Postrider.\n`,
        html: `<p>It works: <b>${domain.domain}</b> can send mail with Postrider.</p>`,
      }),
  })
  return (
    <Modal opened={opened} onClose={onClose} title="Send a first mail">
      {send.data !== undefined ? (
        <Stack>
          <Text role="status">The mail is on its way to {to}.</Text>
          <Anchor component={Link} to={`/domains/${domain.domain_id}/messages/${send.data.message_id}`}>
            See what becomes of it
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
              From hello@{domain.domain}, with a line that says that it works.
            </Text>
            <TextInput
              label="To"
              type="email"
              required
              data-autofocus
              value={to}
              onChange={(event) => setTo(event.currentTarget.value)}
            />
            <ErrorNotice error={send.error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={send.isPending}>
                Send
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
