// Login dialogs over a page: after the end of the session, and before a change that requires a new login.

import { Modal, type ModalProps } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { LoginForm } from '../pages/login/login-form.tsx'
import { tell } from '../parts/tell.ts'
import { recentLogin } from '../recent-login.ts'
import type { Session } from '../session.ts'
import { shell } from '../texts/en/shell.ts'
import { fill } from '../texts/texts.ts'
import { useHeldKeys } from './held-keys.ts'
import { useEnter } from './use-enter.ts'

interface LoginDialogsProps {
  /** The current session, or the last session if it has ended. */
  readonly session: Session
  /** True if the session has ended. */
  readonly ended: boolean
  /** True if a change waits for a new login. */
  readonly asked: boolean
}

export function LoginDialogs({ session: { user }, ended, asked }: LoginDialogsProps) {
  const goOn = useEnter()
  const enter = (session: Session) => {
    // The passkey may belong to another user: the waiting change must not run for this user, and a notice names the new
    // user.
    const isSame = session.user.user_id === user.user_id
    goOn(session, isSame)
    if (!isSame) tell.done(fill(shell.nowLoggedInAs, { email: session.user.email }))
    recentLogin.settle(isSame)
  }
  return (
    <>
      <LoginDialog opened={ended} onClose={() => {}} withCloseButton={false} title={shell.expired}>
        <LoginForm hint={shell.expiredHint} email={user.email} onEnter={enter} />
      </LoginDialog>
      <LoginDialog
        opened={asked && !ended}
        onClose={() => recentLogin.settle(false)}
        title={shell.confirmIdentity}
      >
        <LoginForm hint={shell.confirmIdentityHint} email={user.email} onEnter={enter} />
      </LoginDialog>
    </>
  )
}

/** Login dialog above all other dialogs; only the login dialog receives keyboard events and focus. */
function LoginDialog(
  props: Pick<ModalProps, 'opened' | 'onClose' | 'withCloseButton' | 'title' | 'children'>,
) {
  const { children, opened, onClose } = props
  return (
    <Modal {...props} closeOnClickOutside={false} zIndex={300} portalProps={{ reuseTargetNode: false }}>
      <Holding opened={opened} onEscape={onClose}>
        {children}
      </Holding>
    </Modal>
  )
}

interface HoldingProps {
  readonly opened: boolean
  readonly onEscape: () => void
  readonly children: ReactNode
}

/** Content of the dialog, which is in the document only while the dialog is open. */
function Holding({ opened, onEscape, children }: HoldingProps) {
  const content = useRef<HTMLDivElement>(null)
  useHeldKeys(opened, content, onEscape)
  return <div ref={content}>{children}</div>
}
