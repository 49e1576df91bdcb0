// The login that the service wants once more before it changes a login.

import { Modal } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { LoginForm } from '../pages/login/login-form.tsx'
import { recentLogin } from '../recent-login.ts'
import { type Session, useSession } from '../session.ts'

export function RecentLoginAsked() {
  const { user } = useSession()
  const asked = useSyncExternalStore(recentLogin.subscribe, recentLogin.isAsked)
  return (
    <Modal
      opened={asked}
      onClose={() => recentLogin.settle(false)}
      title="Confirm your identity"
      closeOnClickOutside={false}
      // Above the dialog that it interrupts.
      zIndex={300}
    >
      <LoginForm
        hint="This change requires a login within the last ten minutes. Log in again; your change is then completed."
        email={user.email}
        // A passkey may be another person's: nothing is done in their name.
        onEnter={(session: Session) => recentLogin.settle(session.user.user_id === user.user_id)}
      />
    </Modal>
  )
}
