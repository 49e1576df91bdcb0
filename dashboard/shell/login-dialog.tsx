// The login above a page: when the session has ended, and when the service wants a new login for a change.

import { Modal } from '@mantine/core'
import { LoginForm } from '../pages/login/login-form.tsx'
import { recentLogin } from '../recent-login.ts'
import type { Session } from '../session.ts'
import { shell } from '../texts/en/shell.ts'
import { useEnter } from './use-enter.ts'

interface LoginDialogsProps {
  /** The present session, or the last one. */
  readonly session: Session
  /** It has ended. */
  readonly ended: boolean
  /** A change waits for a new login. */
  readonly asked: boolean
}

export function LoginDialogs({ session: { user }, ended, asked }: LoginDialogsProps) {
  const enter = useEnter()
  return (
    <>
      <Modal opened={ended} onClose={() => {}} withCloseButton={false} title={shell.expired}>
        <LoginForm hint={shell.expiredHint} email={user.email} onEnter={enter} />
      </Modal>
      <Modal
        opened={asked}
        onClose={() => recentLogin.settle(false)}
        title={shell.confirmIdentity}
        closeOnClickOutside={false}
        // Above the dialog that it interrupts.
        zIndex={300}
      >
        <LoginForm
          hint={shell.confirmIdentityHint}
          email={user.email}
          onEnter={(session) => {
            enter(session)
            // A passkey may be another person's: nothing is done in their name.
            recentLogin.settle(session.user.user_id === user.user_id)
          }}
        />
      </Modal>
    </>
  )
}
