// Recovery codes, which are shown only once.

import { Alert, Button, Group, Stack } from '@mantine/core'
import { CopyButton } from '../../parts/copy-button.tsx'
import { account as words } from '../../texts/en/account.ts'

interface RecoveryCodesProps {
  readonly codes: readonly string[]
  readonly onDone: () => void
}

export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  return (
    <Stack>
      <Alert color="yellow">{words.factor.storeCodes}</Alert>
      <ul className="codes" aria-label={words.factor.recoveryCodes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group justify="space-between">
        <CopyButton text={codes.join('\n')} what={words.factor.theCodes} label={words.factor.copyAll} />
        <Button onClick={onDone}>{words.factor.saved}</Button>
      </Group>
    </Stack>
  )
}
