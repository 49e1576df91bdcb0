// A new DKIM key beside the old one: publish, switch, retire.

import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { tell } from '../../parts/tell.ts'
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
    consequence: 'Two more DNS records have to be published before the new keys can sign.',
    done: 'New keys created. Publish their records.',
  },
  switch: {
    label: 'Sign with new keys',
    text: 'The records of the new keys are listed above. Publish them; once they are found, switch signing to the new keys. Keep the old records published for mail in transit.',
    consequence: 'All mail is signed with the new keys from now on.',
    done: 'Mail is signed with the new keys.',
  },
  retire: {
    label: 'Retire old keys',
    text: 'Mail is signed with the new keys. Keep the old records published for a few days, until mail signed with them has been delivered; then retire the old keys and remove their records.',
    consequence: 'The old keys are removed for good; their DNS records are no longer needed.',
    done: 'Old keys retired.',
  },
}

export function DkimRotation({ domain }: { readonly domain: Domain }) {
  const { act, label, ready, text, consequence, done } = stepOf(domain)
  const [opened, { open, close }] = useDisclosure()
  const step = useDomainAct(domain.domain_id, act)
  return (
    <Card title="DKIM key rotation">
      <Stack align="flex-start">
        <Text fz="sm" maw={640}>
          {text}
        </Text>
        <ErrorNotice error={step.error} />
        <Button variant="default" disabled={!ready} onClick={open}>
          {label}
        </Button>
      </Stack>
      <Confirm
        opened={opened}
        onClose={close}
        title={`${label}?`}
        action={label}
        busy={step.isPending}
        onConfirm={() => step.mutate(undefined, { onSettled: close, onSuccess: () => tell.done(done) })}
      >
        {consequence}
      </Confirm>
    </Card>
  )
}
