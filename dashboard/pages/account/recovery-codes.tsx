// Recovery codes, shown once.

import { Alert, Button, Group, Stack } from '@mantine/core'
import { CopyButton } from '../../parts/copy-button.tsx'

interface RecoveryCodesProps {
  readonly codes: readonly string[]
  readonly onDone: () => void
}

export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  return (
    <Stack>
      <Alert color="yellow">
        Store these codes with your passwords. Each one replaces the authenticator code once, if you lose the
        app. They are not shown again.
      </Alert>
      <ul className="codes" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group justify="space-between">
        <CopyButton text={codes.join('\n')} what="the recovery codes" label="Copy all" />
        <Button onClick={onDone}>I have saved them</Button>
      </Group>
    </Stack>
  )
}
