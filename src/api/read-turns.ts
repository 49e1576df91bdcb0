// Reading for an account: what its requests ask of the store, and the files that they answer with, is read in its turns.

import type { FastifyRequest } from 'fastify'
import { type Reader, readingFor } from '../store/database/read-turns.ts'
import { effectOf, type Route } from './route.ts'

/** Returns whether the client of a request has closed its connection: then work for the request ends. */
export const isGone = ({ raw }: FastifyRequest): boolean => raw.socket.destroyed

/** The handler of a route, whose statements are its caller's. Nobody reads what a client that has gone has asked for. */
export function inTurn({
  handler,
  ...route
}: Pick<Route, 'handler' | 'method' | 'effect'>): Route['handler'] {
  const onlyReads = effectOf(route) === 'reads'
  return (request, reply) => {
    const { caller } = request
    if (caller === null) return handler(request, reply)
    const reader: Reader = {
      accountId: caller.accountId,
      // A request that changes something is carried out to its end.
      isGone: onlyReads ? () => isGone(request) : undefined,
    }
    return readingFor(reader, () => handler(request, reply))
  }
}

/** The rows of a file, which are read behind the answer of the handler. */
export async function* rowsInTurn<Row>(accountId: string, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  const iterator = rows[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await readingFor({ accountId }, () => iterator.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    await iterator.return?.()
  }
}
