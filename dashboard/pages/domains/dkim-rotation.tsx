// A new DKIM key beside the old one: publish, switch, retire.

import { Button, Stack, Text } from '@mantine/core'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { type Domain, useDomainAct } from './calls.ts'

/** Next step of the rotation. */
function stepOf({ records, dkim }: Domain) {
  const { next_step: next } = dkim
  // The new RSA key has to be seen by the world before it signs.
  const published = records.every(({ purpose, status }) => purpose !== 'dkim_rsa_next' || status === 'found')
  return { act: `dkim/${next}` as const, ready: next !== 'switch' || published, ...WORDS[next] }
}

const WORDS = {
  rotate: {
    label: 'Make new keys',
    text: 'New keys limit what a stolen one is worth; once or twice a year is plenty. Old and new ones are valid side by side until you switch.',
  },
  switch: {
    label: 'Sign with the new keys',
    text: 'New keys are made, and their records are listed above. When they are published and found, signing can be switched over to them; the old ones stay valid for mail that is on its way.',
  },
  retire: {
    label: 'Retire the old keys',
    text: 'Mail is signed with the new keys. Keep the old records for some days, until everything signed with them has arrived; then retire the keys and remove the records.',
  },
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
