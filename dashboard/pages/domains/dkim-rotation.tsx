// A new DKIM key beside the old one: publish, switch, retire.

import { Button, Stack, Text } from '@mantine/core'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { type Domain, useDomainAct } from './calls.ts'

/** What can be done next. */
function stepOf({ records }: Domain) {
  const next = records.filter(({ purpose }) => purpose.endsWith('_next'))
  if (next.length > 0) {
    const published = next.every(({ status, purpose }) => status === 'found' || purpose !== 'dkim_rsa_next')
    return {
      act: 'dkim/switch',
      label: 'Sign with the new keys',
      ready: published,
      text: published
        ? 'The new keys are published. Switch signing over to them; the old ones stay valid for mail that is on its way.'
        : 'New keys are made, and their records are listed above. Publish them; when they are found, signing can be switched over.',
    } as const
  }
  if (records.some(({ purpose }) => purpose.endsWith('_old'))) {
    return {
      act: 'dkim/retire',
      label: 'Retire the old keys',
      ready: true,
      text: 'Mail is signed with the new keys. Keep the old records for some days, until everything signed with them has arrived; then retire the keys and remove the records.',
    } as const
  }
  return {
    act: 'dkim/rotate',
    label: 'Make new keys',
    ready: true,
    text: 'New keys limit what a stolen one is worth; once or twice a year is plenty. Old and new ones are valid side by side until you switch.',
  } as const
}

export function DkimRotation({ domain }: { readonly domain: Domain }) {
  const { act, label, ready, text } = stepOf(domain)
  const step = useDomainAct(domain.domain_id, act)
  return (
    <Card title="New DKIM keys">
      <Stack align="flex-start">
        <Text fz="sm" maw={640}>
          {text}
        </Text>
        <ErrorNotice error={step.error} />
        <Button variant="default" disabled={!ready} loading={step.isPending} onClick={() => step.mutate()}>
          {label}
        </Button>
      </Stack>
    </Card>
  )
}
