// Query cache for API responses, and the rules for refreshing and retrying.

import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query'
import { ProblemError } from './client.ts'
import { connection } from './connection.ts'

/** Refresh interval in milliseconds of a visible page whose data changes by itself. */
export const LIVE_MS = 3_000

/**
 * Refresh intervals of a page in milliseconds: with an open event stream, which some proxies delay, and without one.
 */
export const STREAMED_MS = 60_000
export const POLLED_MS = 5_000

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: lookAtSession }),
  mutationCache: new MutationCache({ onError: lookAtSession }),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      networkMode: 'always',
      // A refused request would be refused again, so it is not retried.
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof ProblemError) || error.status >= 500 || error.status === 429),
    },
    mutations: { networkMode: 'always' },
  },
})

/**
 * True for queries that may be repeated automatically; `meta: { once: true }` marks queries that would create an
 * object.
 */
export const isAskedAgain = ({ meta }: Pick<Query, 'meta'>): boolean => meta?.once !== true

const OF_SESSION = ['authentication_failed', 'role_not_permitted']

/** Reads the session again if any call shows that the session has ended, or that the user has another role now. */
function lookAtSession(error: Error): void {
  if (error instanceof ProblemError && OF_SESSION.includes(error.code)) {
    void queries.invalidateQueries({ queryKey: ['session'] })
  }
}

// A page that missed data during an outage of the service fetches the data as soon as the service responds.
connection.subscribe(() => {
  if (connection.current() === 'up') void queries.invalidateQueries({ predicate: isAskedAgain })
})
