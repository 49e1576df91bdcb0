// Shows pages to logged-in users. The page keeps its form input when the session ends, and a login dialog opens over
// the page.

import { Container } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { useLocation } from 'react-router'
import { fetched } from '../fetched.ts'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { Loading } from '../parts/loading.tsx'
import { recentLogin } from '../recent-login.ts'
import { type Session, SessionContext, sessionQuery } from '../session.ts'
// This import must come before the key listeners of all dialogs.
import './held-keys.ts'

const LoginDialogs = lazy(() =>
  fetched(() => import('./login-dialog.tsx')).then(({ LoginDialogs }) => ({ default: LoginDialogs })),
)

export function RequireSession({ children }: { readonly children: ReactNode }) {
  const { data, error, refetch } = useQuery({ ...sessionQuery, refetchInterval: 300_000 })
  const [last, setLast] = useState<Session>()
  if (data?.session !== undefined && data.session !== last) setLast(data.session)
  const session = data?.session ?? last
  if (session !== undefined) {
    return (
      <SessionContext value={session}>
        {/* Another user does not see the open pages of the previous user. */}
        <div key={session.user.user_id}>{children}</div>
        <Dialogs session={session} ended={data !== undefined && data.session === undefined} />
      </SessionContext>
    )
  }
  if (data !== undefined) return <ToLogin />
  if (error !== null) {
    return (
      <Container size="xs" py="xl">
        <ErrorNotice error={error} again={refetch} />
      </Container>
    )
  }
  return <Loading />
}

/** Login dialogs, which are loaded when the first one opens. */
function Dialogs({ session, ended }: { readonly session: Session; readonly ended: boolean }) {
  const asked = useSyncExternalStore(recentLogin.subscribe, recentLogin.isAsked)
  const [wereOpened, setWereOpened] = useState(false)
  if ((ended || asked) && !wereOpened) setWereOpened(true)
  return wereOpened ? (
    <Suspense>
      <LoginDialogs session={session} ended={ended} asked={asked} />
    </Suspense>
  ) : null
}

/** Redirects to the login, a separate program that returns to the current URL afterwards. */
function ToLogin() {
  const { pathname, search } = useLocation()
  useEffect(() => {
    const from = `${pathname}${search}`
    window.location.replace(from === '/' ? '/login' : `/login?to=${encodeURIComponent(from)}`)
  }, [pathname, search])
  return <Loading />
}
