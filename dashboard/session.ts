// Session of the logged-in user, and their rights.

import { queryOptions } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { SessionView } from '../src/api/contract/dashboard-session.ts'
import { get, ProblemError } from './client.ts'

export type Session = SessionView
export type Role = Session['user']['role']

export interface SessionState {
  readonly session: Session | undefined
  /** There is no account yet. */
  readonly firstRun: boolean
}

export async function readSession(signal?: AbortSignal): Promise<SessionState> {
  try {
    return { session: await get<Session>('/api/session', undefined, signal), firstRun: false }
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 401) throw error
    return { session: undefined, firstRun: error.document.first_run === true }
  }
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }): Promise<SessionState> => readSession(signal),
  staleTime: 60_000,
})

/** From the one with the fewest rights. */
export const ROLES: readonly Role[] = ['viewer', 'developer', 'admin', 'owner']

export const mayAs = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed)

/** Set around every page behind the login. */
export const SessionContext = createContext<Session | undefined>(undefined)

/** The session of a page behind the login. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('This page needs a session.')
  return session
}

/** True if the present user has the rights of this role; the service checks again. */
export function useMay(needed: Role): boolean {
  return mayAs(useSession().user.role, needed)
}
