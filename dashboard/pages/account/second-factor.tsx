// The second factor of the login: codes of an authenticator app, and recovery codes.

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useSession } from '../../session.ts'
import { account as words } from '../../texts/en/account.ts'
import { counted } from '../../texts/texts.ts'
import { endTotp, newRecoveryCodes } from './calls.ts'
import { ChangeOfLogin } from './change-of-login.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { SetUpTotp } from './set-up-totp.tsx'

type Doing = 'set-up' | 'codes' | 'end'

export function SecondFactor() {
  const texts = words.factor
  const titles = { 'set-up': texts.setUpTitle, codes: texts.newCodes, end: texts.turnOffTitle }
  const { user } = useSession()
  const [doing, setDoing] = useState<Doing>()
  const [codes, setCodes] = useState<readonly string[]>()
  const show = (made: readonly string[] | undefined) => {
    setDoing(undefined)
    setCodes(made)
  }
  const close = () => show(undefined)
  return (
    <Card
      title={texts.title}
      intro={texts.intro}
      actions={
        <StatusBadge
          status={user.totp ? 'active' : 'off'}
          label={user.totp ? words.on : words.off}
          tone={user.totp ? 'good' : 'quiet'}
        />
      }
    >
      {user.totp ? (
        <Stack align="flex-start">
          <Text fz="sm">{counted(texts.codesLeft, user.recovery_codes_left)}</Text>
          <Group gap="xs">
            <Button variant="default" onClick={() => setDoing('codes')}>
              {texts.newCodes}
            </Button>
            <Button variant="default" onClick={() => setDoing('end')}>
              {texts.turnOff}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Button variant="default" onClick={() => setDoing('set-up')}>
          {texts.setUp}
        </Button>
      )}
      <Modal
        opened={doing !== undefined || codes !== undefined}
        onClose={close}
        title={codes === undefined ? doing && titles[doing] : texts.recoveryCodes}
        closeOnClickOutside={false}
        // The recovery codes are shown only once, so a key press must not close the dialog.
        closeOnEscape={codes === undefined}
      >
        {doing === 'set-up' && <SetUpTotp onDone={show} />}
        {doing === 'codes' && (
          <ChangeOfLogin
            text={texts.newCodesHint}
            action={texts.createCodes}
            change={newRecoveryCodes}
            onDone={({ recovery_codes }) => show(recovery_codes)}
            onClose={close}
          />
        )}
        {doing === 'end' && (
          <ChangeOfLogin
            text={texts.turnOffHint}
            action={texts.turnOff}
            change={endTotp}
            onDone={close}
            onClose={close}
          />
        )}
        {codes !== undefined && <RecoveryCodes codes={codes} onDone={close} />}
      </Modal>
    </Card>
  )
}
