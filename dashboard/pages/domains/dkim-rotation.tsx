// A new DKIM key beside the old one: publish, switch, retire; or discard.

import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { tell } from '../../parts/tell.ts'
import { domains as words } from '../../texts/en/domains.ts'
import { type Domain, useDomainAct } from './calls.ts'

type Act = keyof typeof words.dkim.steps

export function DkimRotation({ domain }: { readonly domain: Domain }) {
  const { records, dkim } = domain
  const { next_step: next } = dkim
  // The new RSA key has to be seen by the world before it signs.
  const published = records.every(({ purpose, status }) => purpose !== 'dkim_rsa_next' || status === 'found')
  return (
    <Card title={words.dkim.title}>
      <Stack align="flex-start">
        <Text fz="sm" maw={640}>
          {words.dkim.hints[next]}
        </Text>
        <Group gap="xs">
          <Step domain={domain} act={next} disabled={next === 'switch' && !published} />
          {next === 'switch' && <Step domain={domain} act="discard" />}
        </Group>
      </Stack>
    </Card>
  )
}

interface StepProps {
  readonly domain: Domain
  readonly act: Act
  readonly disabled?: boolean
}

/** Button of a step, which asks once more. */
function Step({ domain, act, disabled = false }: StepProps) {
  const { label, consequence, done } = words.dkim.steps[act]
  const [opened, { open, close }] = useDisclosure()
  const step = useDomainAct(domain.domain_id, `dkim/${act}`)
  // The step that follows may take this button away before the answer is told.
  const take = async () => {
    const taken = await step.mutateAsync().catch(() => undefined)
    if (taken === undefined) return
    close()
    tell.done(done)
  }
  return (
    <>
      <Button
        variant="default"
        disabled={disabled}
        onClick={() => {
          step.reset()
          open()
        }}
      >
        {label}
      </Button>
      <Confirm
        opened={opened}
        onClose={close}
        title={`${label}?`}
        action={label}
        busy={step.isPending}
        error={step.error}
        onConfirm={() => void take()}
      >
        {consequence}
      </Confirm>
    </>
  )
}
