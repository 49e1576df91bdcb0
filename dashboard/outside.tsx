// Starts the pages before the login, which are a separate program, so that the login page loads no unused code.

import './colors.css'
import './outside-base.css'
import { type ComponentType, StrictMode, useLayoutEffect, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { FirstRunPage } from './pages/login/first-run-page.tsx'
import { ForgottenPasswordPage } from './pages/login/forgotten-password-page.tsx'
import { InvitationPage } from './pages/login/invitation-page.tsx'
import { LoginPage } from './pages/login/login-page.tsx'
import { ResetPasswordPage } from './pages/login/reset-password-page.tsx'

const PAGES: Readonly<Record<string, ComponentType>> = {
  '/login': LoginPage,
  '/first-run': FirstRunPage,
  '/invitation': InvitationPage,
  '/forgotten-password': ForgottenPasswordPage,
  '/reset-password': ResetPasswordPage,
}

function onMove(listener: () => void): () => void {
  addEventListener('popstate', listener)
  return () => removeEventListener('popstate', listener)
}

function Outside() {
  const address = useSyncExternalStore(onMove, () => `${location.pathname}${location.search}`)
  const [path = ''] = address.split('?', 1)
  const Page = PAGES[path]
  useLayoutEffect(() => {
    // The path belongs to the other program, so a reload fetches the document of the other program.
    if (Page === undefined) location.reload()
    else document.documentElement.dataset.page = address
  }, [address, Page])
  return Page === undefined ? null : <Page key={address} />
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <Outside />
  </StrictMode>,
)
