// Runs the queries of a request in the read turns of the caller's account.

import type { FastifyRequest } from 'fastify'
import { type Reader, readingFor } from '../store/database/read-turns.ts'
import { effectOf, type Route } from './route.ts'

/** True if the client of a request has closed the connection, so that work for the request can end. */
export const isGone = ({ raw }: FastifyRequest): boolean => raw.socket.destroyed

/**
 * Wraps the handler of a route so that its queries run in the read turns of the caller's account. Nothing is read for a
 * client that has disconnected.
 */
export function inTurn({
  handler,
  readsLong,
  ...route
}: Pick<Route, 'handler' | 'method' | 'effect' | 'readsLong'>): Route['handler'] {
  const onlyReads = effectOf(route) === 'reads'
  return (request, reply) => {
    const { caller } = request
    if (caller === null) return handler(request, reply)
    const reader: Reader = {
      accountId: caller.accountId,
      // A request that changes something always runs to its end, even after the client has disconnected.
      isGone: onlyReads ? () => isGone(request) : undefined,
      isLong: readsLong,
    }
    return readingFor(reader, () => handler(request, reply))
  }
}
