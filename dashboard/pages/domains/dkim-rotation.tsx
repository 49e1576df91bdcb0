// Replacement of a DKIM key: publish the new key, switch to it, retire the old key; or discard the new key.

import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { tell } from '../../parts/tell.ts'
import { domains as words } from '../../texts/en/domains.ts'
import { type Domain, useDomainAct } from './calls.ts'
import { KeyCalendar } from './key-calendar.tsx'

type Act = keyof typeof words.dkim.steps

export function DkimRotation({ domain }: { readonly domain: Domain }) {
  const { records, dkim } = domain
  const { next_step: next } = dkim
  // The DNS must contain the new RSA key before the key signs.
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
        <KeyCalendar domain={domain} />
      </Stack>
    </Card>
  )
}

interface StepProps {
  readonly domain: Domain
  readonly act: Act
  readonly disabled?: boolean
}

/** Button of a step, with a dialog that asks for confirmation. */
function Step({ domain, act, disabled = false }: StepProps) {
  const { label, consequence, done } = words.dkim.steps[act]
  const [opened, { open, close }] = useDisclosure()
  const step = useDomainAct(domain.domain_id, `dkim/${act}`)
  // The next step may replace this button before the success notice appears.
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
