// Goes on with a session that a login above the page has opened.

import { useQueryClient } from '@tanstack/react-query'
import { isAskedAgain } from '../queries.ts'
import { type Session, sessionQuery } from '../session.ts'

export function useEnter(): (session: Session) => void {
  const queries = useQueryClient()
  return (session) => {
    queries.setQueryData(sessionQuery.queryKey, { session, firstRun: false })
    // Data of the previous user, and calls refused without a session, are asked for anew.
    void queries.invalidateQueries({
      predicate: (query) => query.queryKey[0] !== 'session' && isAskedAgain(query),
    })
  }
}
