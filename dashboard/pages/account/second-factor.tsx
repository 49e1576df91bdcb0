// The code of an authenticator as second factor of the login, with its recovery codes.

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { counted } from '../../parts/numbers.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useSession } from '../../session.ts'
import { endTotp, newRecoveryCodes } from './calls.ts'
import { ChangeOfLogin } from './change-of-login.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { SetUpTotp } from './set-up-totp.tsx'

type Doing = 'set-up' | 'codes' | 'end'

const TITLES = {
  'set-up': 'Set up an authenticator',
  codes: 'New recovery codes',
  end: 'Turn off the second factor',
}

export function SecondFactor() {
  const { user } = useSession()
  const [doing, setDoing] = useState<Doing>()
  const close = () => setDoing(undefined)
  return (
    <Card
      title="Second factor"
      intro="A code from an authenticator app, required after the password."
      actions={
        <StatusBadge
          status={user.totp ? 'active' : 'off'}
          label={user.totp ? 'On' : 'Off'}
          tone={user.totp ? 'good' : 'quiet'}
        />
      }
    >
      {user.totp ? (
        <Stack align="flex-start">
          <Text fz="sm">
            {counted(user.recovery_codes_left, 'recovery code')} left, in case you lose the app.
          </Text>
          <Group gap="xs">
            <Button variant="default" onClick={() => setDoing('codes')}>
              New recovery codes
            </Button>
            <Button variant="default" onClick={() => setDoing('end')}>
              Turn off
            </Button>
          </Group>
        </Stack>
      ) : (
        <Button variant="default" onClick={() => setDoing('set-up')}>
          Set up
        </Button>
      )}
      <Modal
        opened={doing !== undefined}
        onClose={close}
        title={doing && TITLES[doing]}
        closeOnClickOutside={false}
      >
        {doing === 'set-up' && <SetUpTotp onDone={close} />}
        {doing === 'codes' && (
          <ChangeOfLogin
            text="Your current recovery codes stop working."
            action="Create new codes"
            change={newRecoveryCodes}
            onClose={close}
          >
            {({ recovery_codes }) => <RecoveryCodes codes={recovery_codes} onDone={close} />}
          </ChangeOfLogin>
        )}
        {doing === 'end' && (
          <ChangeOfLogin
            text="Logging in then requires the password only."
            action="Turn off"
            change={endTotp}
            onClose={close}
          />
        )}
      </Modal>
    </Card>
  )
}
