// Cache of the service's answers, and the rules of asking again.

import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query'
import { ProblemError } from './client.ts'
import { connection } from './connection.ts'

/** Interval at which a visible page asks again for data that changes by itself. */
export const LIVE_MS = 3_000

/** Intervals of a page that follows events by a stream, which some proxies hold up, and without one. */
export const STREAMED_MS = 60_000
export const POLLED_MS = 5_000

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: lookAtSession }),
  mutationCache: new MutationCache({ onError: lookAtSession }),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      networkMode: 'always',
      // A refused request will be refused again.
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof ProblemError) || error.status >= 500 || error.status === 429),
    },
    mutations: { networkMode: 'always' },
  },
})

/**
 * True for queries that are repeated by themselves; `meta: { once: true }` is for those that would create something.
 */
export const isAskedAgain = ({ meta }: Pick<Query, 'meta'>): boolean => meta?.once !== true

const OF_SESSION = ['authentication_failed', 'role_not_permitted']

/** A session that has ended, or whose user has another role by now, is noticed by whichever call meets it first. */
function lookAtSession(error: Error): void {
  if (error instanceof ProblemError && OF_SESSION.includes(error.code)) {
    void queries.invalidateQueries({ queryKey: ['session'] })
  }
}

// Data missed while the service could not be reached is fetched when it can.
connection.subscribe(() => {
  if (connection.current() === 'up') void queries.invalidateQueries({ predicate: isAskedAgain })
})
