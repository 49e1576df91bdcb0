// The login that the service wants once more before it changes how somebody gets in.

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
      title="Is it still you?"
      closeOnClickOutside={false}
      // Above the dialog that it interrupts.
      zIndex={300}
    >
      <LoginForm
        hint="What changes who gets in wants a login of the last ten minutes. Log in once more; then it goes on by itself."
        email={user.email}
        // A passkey may be another person's: nothing is done in their name.
        onEnter={(session: Session) => recentLogin.settle(session.user.user_id === user.user_id)}
      />
    </Modal>
  )
}
