// Session and rights of the logged-in user.

import { queryOptions } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { SessionView } from '../src/api/contract/dashboard-session.ts'
import { get, ProblemError } from './client.ts'

export type Session = SessionView
export type Role = Session['user']['role']

export interface PlaygroundLogin {
  readonly email: string
  readonly password: string
}

export interface SessionState {
  readonly session: Session | undefined
  /** True if the installation has no account yet. */
  readonly firstRun: boolean
  /** Login of the playground, which the service sends only to a browser on the same machine. */
  readonly playgroundLogin?: PlaygroundLogin | undefined
}

export async function readSession(signal?: AbortSignal): Promise<SessionState> {
  try {
    return { session: await get<Session>('/api/session', undefined, signal), firstRun: false }
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 401) throw error
    const { first_run: firstRun, playground_login: playgroundLogin } = error.document
    return {
      session: undefined,
      firstRun: firstRun === true,
      playgroundLogin: playgroundLogin as PlaygroundLogin | undefined,
    }
  }
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }): Promise<SessionState> => readSession(signal),
  staleTime: 60_000,
})

/** All roles, beginning with the role with the fewest rights. */
export const ROLES: readonly Role[] = ['viewer', 'developer', 'admin', 'owner']

export const mayAs = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed)

/** Context with the session, which surrounds every page that requires a login. */
export const SessionContext = createContext<Session | undefined>(undefined)

/** Returns the session of a page that requires a login. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('This page needs a session.')
  return session
}

/** True if the current user has the rights of this role; the service checks the rights as well. */
export function useMay(needed: Role): boolean {
  return mayAs(useSession().user.role, needed)
}
