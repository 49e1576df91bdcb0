// Continues the page with the session of a login dialog.

import { useQueryClient } from '@tanstack/react-query'
import { forgetKept } from '../kept.ts'
import { isAskedAgain } from '../queries.ts'
import { type Session, sessionQuery } from '../session.ts'

/** Returns a function that takes over a session; `isSame` is true if the user is the same as before. */
export function useEnter(): (session: Session, isSame: boolean) => void {
  const queries = useQueryClient()
  return (session, isSame) => {
    if (!isSame) {
      // Another user must not see the data or the input of the previous user.
      forgetKept()
      queries.removeQueries({ predicate: (query) => query.queryKey[0] !== 'session' })
    }
    queries.setQueryData(sessionQuery.queryKey, { session, firstRun: false })
    // Calls that were refused without a session are repeated.
    void queries.invalidateQueries({
      predicate: (query) => query.queryKey[0] !== 'session' && isAskedAgain(query),
    })
  }
}
