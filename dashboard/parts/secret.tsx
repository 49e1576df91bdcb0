// A secret that is shown only once, with a button to copy it.

import { Alert, Group, Stack } from '@mantine/core'
import { tables } from '../texts/en/tables.ts'
import { fill } from '../texts/texts.ts'
import { CopyButton } from './copy-button.tsx'

interface SecretProps {
  /** Name of the secret, such as "the key". */
  readonly what: string
  readonly value: string
}

export function Secret({ what, value }: SecretProps) {
  return (
    <Stack gap="sm">
      <Alert color="yellow">{fill(tables.copyNow, { what })}</Alert>
      <Group wrap="nowrap" gap="xs" className="block" style={{ overflow: 'visible' }}>
        <span className="code-line" style={{ flex: 1, minWidth: 0 }}>
          {value}
        </span>
        <CopyButton text={value} what={what} />
      </Group>
    </Stack>
  )
}
