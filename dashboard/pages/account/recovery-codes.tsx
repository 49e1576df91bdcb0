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
        Keep these codes where you keep your passwords. Each logs you in once when the app is lost; they are
        not shown again.
      </Alert>
      <ul className="codes" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group justify="space-between">
        <CopyButton text={codes.join('\n')} what="the recovery codes" label="Copy all" />
        <Button onClick={onDone}>I have kept them</Button>
      </Group>
    </Stack>
  )
}
