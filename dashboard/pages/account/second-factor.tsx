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
  end: 'Switch the second factor off',
}

export function SecondFactor() {
  const { user } = useSession()
  const [doing, setDoing] = useState<Doing>()
  const close = () => setDoing(undefined)
  return (
    <Card
      title="Second factor"
      intro="A code from an authenticator app, asked for after the password."
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
            {counted(user.recovery_codes_left, 'recovery code')} left for the day the app is lost.
          </Text>
          <Group gap="xs">
            <Button variant="default" onClick={() => setDoing('codes')}>
              New recovery codes
            </Button>
            <Button variant="default" onClick={() => setDoing('end')}>
              Switch it off
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
            text="The codes that you have now stop working."
            action="Make new codes"
            change={newRecoveryCodes}
            onClose={close}
          >
            {({ recovery_codes }) => <RecoveryCodes codes={recovery_codes} onDone={close} />}
          </ChangeOfLogin>
        )}
        {doing === 'end' && (
          <ChangeOfLogin
            text="From then on the password alone is enough to log in."
            action="Switch it off"
            change={endTotp}
            onClose={close}
          />
        )}
      </Modal>
    </Card>
  )
}
