// The login above a page: when the session has ended, and when the service wants a new login for a change.

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
  /** The present session, or the last one. */
  readonly session: Session
  /** It has ended. */
  readonly ended: boolean
  /** A change waits for a new login. */
  readonly asked: boolean
}

export function LoginDialogs({ session: { user }, ended, asked }: LoginDialogsProps) {
  const goOn = useEnter()
  const enter = (session: Session) => {
    // A passkey may be another person's: nothing is done in their name, nor are they logged in unawares.
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

/** Above the dialog that it interrupts, and alone with the keys and the focus. */
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

/** Inside the dialog, which has its place in the page only then. */
function Holding({ opened, onEscape, children }: HoldingProps) {
  const content = useRef<HTMLDivElement>(null)
  useHeldKeys(opened, content, onEscape)
  return <div ref={content}>{children}</div>
}
