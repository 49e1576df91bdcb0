// Where the records of a domain are published: its provider, a link for the person who runs it, and a zone file.

import { Alert, Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconExternalLink, IconShare } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { LinkOnce } from '../../parts/link-once.tsx'
import { RevokeLinks } from '../../parts/revoke-links.tsx'
import { Time } from '../../parts/time.tsx'
import { type Domain, dnsHostingQuery, recordLinksAddress, shareRecords } from './calls.ts'

/** Says who hosts the zone, with a link to the place where its records are edited. */
export function DnsHosting({ domain }: { readonly domain: Domain }) {
  const { data } = useQuery(dnsHostingQuery(domain.domain_id))
  if (data === undefined || data.zone === null) return null
  const { zone, name_servers: servers, provider } = data
  return (
    <Alert
      color="gray"
      title={provider === null ? `DNS of ${zone}` : `DNS of ${zone} is at ${provider.name}`}
    >
      <Group justify="space-between">
        <Text fz="sm">
          Name servers: <span className="code-line">{servers.join(', ')}</span>
        </Text>
        {provider !== null && (
          <Anchor href={provider.url} target="_blank" rel="noreferrer" fz="sm">
            <Group gap={4} component="span">
              Open {provider.name} <IconExternalLink size={14} />
            </Group>
          </Anchor>
        )}
      </Group>
    </Alert>
  )
}

export function ShareRecords({ domain }: { readonly domain: Domain }) {
  const [opened, setOpened] = useState(false)
  const sharing = useMutation({ mutationFn: () => shareRecords(domain.domain_id) })
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconShare size={16} stroke={1.6} />}
        onClick={() => {
          setOpened(true)
          sharing.mutate()
        }}
      >
        Share
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Share these records">
        <Stack>
          <Text fz="sm">
            Send this link to the person who manages the DNS of {domain.domain}. It shows the records and
            their status, needs no login, and leads nowhere else.
          </Text>
          <ErrorNotice error={sharing.error} again={() => sharing.mutate()} />
          {sharing.data !== undefined && (
            <>
              <LinkOnce url={sharing.data.url} />
              <Text fz="sm" c="dimmed">
                Expires <Time at={sharing.data.expires_at} />.
              </Text>
            </>
          )}
          <Group justify="flex-end">
            <RevokeLinks address={recordLinksAddress(domain.domain_id)} onDone={() => setOpened(false)} />
            <Button onClick={() => setOpened(false)}>Done</Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
