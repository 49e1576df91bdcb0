// Shows what is inside to who is logged in. When the session ends, what was typed stays and a login opens above it.

import { Container, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Navigate, useLocation } from 'react-router'
import { LoginForm } from '../pages/login/login-form.tsx'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { Loading } from '../parts/loading.tsx'
import { type Session, SessionContext, sessionQuery } from '../session.ts'
import { RecentLoginAsked } from './recent-login-asked.tsx'

export function RequireSession({ children }: { readonly children: ReactNode }) {
  const { data, error, refetch } = useQuery({ ...sessionQuery, refetchInterval: 300_000 })
  const [last, setLast] = useState<Session>()
  const location = useLocation()
  if (data?.session !== undefined && data.session !== last) setLast(data.session)
  const session = data?.session ?? last
  if (session !== undefined) {
    return (
      <SessionContext value={session}>
        {/* Another person does not find what the one before had open. */}
        <div key={session.user.user_id}>{children}</div>
        <Modal
          opened={data?.session === undefined && data !== undefined}
          onClose={() => {}}
          withCloseButton={false}
          title="Session expired"
        >
          <LoginForm hint="Log in again to continue where you left off." email={session.user.email} />
        </Modal>
        <RecentLoginAsked />
      </SessionContext>
    )
  }
  if (data !== undefined) {
    const from = `${location.pathname}${location.search}`
    return <Navigate to={from === '/' ? '/login' : `/login?to=${encodeURIComponent(from)}`} replace />
  }
  if (error !== null) {
    return (
      <Container size="xs" py="xl">
        <ErrorNotice error={error} again={refetch} />
      </Container>
    )
  }
  return <Loading />
}
