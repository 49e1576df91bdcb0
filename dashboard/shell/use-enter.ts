// Goes on with a session that a login above the page has opened.

import { useQueryClient } from '@tanstack/react-query'
import { forgetKept } from '../kept.ts'
import { isAskedAgain } from '../queries.ts'
import { type Session, sessionQuery } from '../session.ts'

/** Takes the session; `isSame` is true where its user is the one who was logged in before. */
export function useEnter(): (session: Session, isSame: boolean) => void {
  const queries = useQueryClient()
  return (session, isSame) => {
    if (!isSame) {
      // Nothing of what the other one was shown or had typed is theirs.
      forgetKept()
      queries.removeQueries({ predicate: (query) => query.queryKey[0] !== 'session' })
    }
    queries.setQueryData(sessionQuery.queryKey, { session, firstRun: false })
    // Calls refused without a session are made anew.
    void queries.invalidateQueries({
      predicate: (query) => query.queryKey[0] !== 'session' && isAskedAgain(query),
    })
  }
}
