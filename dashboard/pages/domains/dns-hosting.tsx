// Instructions for publishing DNS records: the DNS provider, a link for the administrator of the DNS, and a zone file.

import { Alert, Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconExternalLink, IconShare } from '../../parts/icons.tsx'
import { LinkOnce } from '../../parts/link-once.tsx'
import { RevokeLinks } from '../../parts/revoke-links.tsx'
import { Time } from '../../parts/time.tsx'
import { domains as words } from '../../texts/en/domains.ts'
import { fill, parts } from '../../texts/texts.ts'
import { type Domain, dnsHostingQuery, recordLinksAddress, shareRecords } from './calls.ts'

/** Names the DNS provider of the zone, with a link to its record editor. */
export function DnsHosting({ domain }: { readonly domain: Domain }) {
  const { data } = useQuery(dnsHostingQuery(domain.domain_id))
  if (data === undefined || data.zone === null) return null
  const { zone, name_servers: servers, provider, connect_url: connectUrl } = data
  const name = provider?.name ?? zone
  return (
    <Alert
      color="gray"
      title={
        provider === null
          ? fill(words.hosting.dnsOf, { zone })
          : fill(words.hosting.dnsAt, { zone, provider: provider.name })
      }
    >
      <Group justify="space-between">
        <Text fz="sm">
          {parts(words.hosting.servers, {
            servers: (
              <span key="servers" className="code-line">
                {servers.join(', ')}
              </span>
            ),
          })}
        </Text>
        {provider !== null && (
          <Elsewhere address={provider.url}>
            {fill(words.hosting.open, { provider: provider.name })}
          </Elsewhere>
        )}
      </Group>
      {connectUrl !== null && (
        <Text fz="sm" mt="xs">
          <Elsewhere address={connectUrl}>{fill(words.hosting.connect, { provider: name })}</Elsewhere>
          {fill(words.hosting.connectHint, { provider: name })}
        </Text>
      )}
    </Alert>
  )
}

const Elsewhere = ({ address, children }: { readonly address: string; readonly children: string }) => (
  <Anchor href={address} target="_blank" rel="noreferrer" fz="sm">
    <Group gap={4} component="span">
      {children} <IconExternalLink size={14} />
    </Group>
  </Anchor>
)

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
        {words.share.action}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={words.share.title}>
        <Stack>
          <Text fz="sm">{fill(words.share.hint, { domain: domain.domain_unicode })}</Text>
          <ErrorNotice error={sharing.error} again={() => sharing.mutate()} />
          {sharing.data !== undefined && (
            <>
              <LinkOnce url={sharing.data.url} />
              <Text fz="sm" c="dimmed">
                {parts(words.share.expires, {
                  time: <Time key="time" at={sharing.data.expires_at} />,
                })}
              </Text>
            </>
          )}
          <Group justify="flex-end">
            <RevokeLinks address={recordLinksAddress(domain.domain_id)} onDone={() => setOpened(false)} />
            <Button onClick={() => setOpened(false)}>{words.share.done}</Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
