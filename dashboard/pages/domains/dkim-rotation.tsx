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
    label: 'Create new keys',
    text: 'Rotating DKIM keys limits the damage of a stolen key; once or twice a year is enough. The current keys sign until you switch.',
  },
  switch: {
    label: 'Sign with new keys',
    text: 'The records of the new keys are listed above. Publish them; once they are found, switch signing to the new keys. Keep the old records published for mail in transit.',
  },
  retire: {
    label: 'Retire old keys',
    text: 'Mail is signed with the new keys. Keep the old records published for a few days, until mail signed with them has been delivered; then retire the old keys and remove their records.',
  },
}

export function DkimRotation({ domain }: { readonly domain: Domain }) {
  const { act, label, ready, text } = stepOf(domain)
  const step = useDomainAct(domain.domain_id, act)
  return (
    <Card title="DKIM key rotation">
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
