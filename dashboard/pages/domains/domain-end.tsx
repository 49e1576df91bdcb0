// Pausing a domain, and deleting it.

import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { tell } from '../../parts/tell.ts'
import { type Domain, deleteDomain, useDomainAct } from './calls.ts'

export function DomainEnd({ domain }: { readonly domain: Domain }) {
  const paused = domain.status === 'paused'
  const toggle = useDomainAct(domain.domain_id, paused ? 'resume' : 'pause')
  const [deleting, { open, close }] = useDisclosure(false)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const end = useMutation({
    mutationFn: () => deleteDomain(domain.domain_id, domain.domain),
    onSuccess: () => {
      tell.done(`${domain.domain} is deleted.`)
      navigate('/domains', { replace: true })
      queries.removeQueries({ queryKey: ['domains', domain.domain_id] })
      void queries.invalidateQueries({ queryKey: ['domains'] })
    },
  })
  return (
    <Card title="Pause or delete domain">
      <Stack>
        <ErrorNotice error={toggle.error} />
        <Group justify="space-between">
          <Text fz="sm" maw={560}>
            {paused
              ? 'The domain is paused: requests to send from it are rejected.'
              : 'Pause the domain to reject new messages and hold queued ones. Nothing is lost.'}
          </Text>
          <Button variant="default" loading={toggle.isPending} onClick={() => toggle.mutate()}>
            {paused ? 'Resume' : 'Pause'}
          </Button>
        </Group>
        <Group justify="space-between">
          <Text fz="sm" maw={560}>
            Delete the domain with its API keys, templates, streams and messages.
          </Text>
          <Button variant="outline" color="red" c="var(--mantine-color-error)" onClick={open}>
            Delete
          </Button>
        </Group>
      </Stack>
      <ConfirmByName
        opened={deleting}
        onClose={close}
        title={`Delete ${domain.domain}`}
        name={domain.domain}
        action="Delete permanently"
        busy={end.isPending}
        error={end.error}
        onConfirm={() => end.mutate()}
      >
        Its API keys and SMTP credentials stop working at once, and queued messages are cancelled. This cannot
        be undone.
      </ConfirmByName>
    </Card>
  )
}
