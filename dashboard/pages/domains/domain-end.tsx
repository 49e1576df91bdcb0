// Buttons that pause or delete a domain.

import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { tell } from '../../parts/tell.ts'
import { domains as words } from '../../texts/en/domains.ts'
import { fill } from '../../texts/texts.ts'
import { type Domain, deleteDomain, useDomainAct } from './calls.ts'

export function DomainEnd({ domain }: { readonly domain: Domain }) {
  const { domain_unicode: name } = domain
  const paused = domain.status === 'paused'
  const toggle = useDomainAct(domain.domain_id, paused ? 'resume' : 'pause')
  const [deleting, { open, close }] = useDisclosure(false)
  const [asking, { open: ask, close: closeQuestion }] = useDisclosure(false)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const end = useMutation({
    mutationFn: () => deleteDomain(domain.domain_id, domain.domain),
    onSuccess: () => {
      tell.done(fill(words.end.deleted, { domain: name }))
      navigate('/domains', { replace: true })
      queries.removeQueries({ queryKey: ['domains', domain.domain_id] })
      void queries.invalidateQueries({ queryKey: ['domains'] })
    },
  })
  return (
    <Card title={words.end.title}>
      <Stack>
        <ErrorNotice error={asking ? null : toggle.error} />
        <Group justify="space-between">
          <Text fz="sm" maw={560}>
            {paused ? words.end.isPaused : words.end.mayPause}
          </Text>
          <ActionButton
            variant="default"
            loading={toggle.isPending}
            onClick={() => (paused ? toggle.mutate() : ask())}
          >
            {paused ? words.end.resume : words.end.pause}
          </ActionButton>
        </Group>
        <Group justify="space-between">
          <Text fz="sm" maw={560}>
            {words.end.deleteHint}
          </Text>
          <Button variant="outline" color="red" c="var(--mantine-color-error)" onClick={open}>
            {words.end.delete}
          </Button>
        </Group>
      </Stack>
      <Confirm
        opened={asking}
        onClose={() => {
          toggle.reset()
          closeQuestion()
        }}
        title={fill(words.end.pauseQuestion, { domain: name })}
        action={words.end.pause}
        harmless
        busy={toggle.isPending}
        error={toggle.error}
        onConfirm={() => toggle.mutate(undefined, { onSuccess: closeQuestion })}
      >
        {words.end.pauseHint}
      </Confirm>
      <ConfirmByName
        opened={deleting}
        onClose={() => {
          end.reset()
          close()
        }}
        title={fill(words.end.deleteDomain, { domain: name })}
        name={name}
        action={words.end.deletePermanently}
        busy={end.isPending}
        error={end.error}
        onConfirm={() => end.mutate()}
      >
        {words.end.deleteConsequence}
      </ConfirmByName>
    </Card>
  )
}
