// Turns of accounts at reading: a few searches of each at once, so that those of one keep no other waiting.

import { KeyedSemaphore } from '../lib/keyed-semaphore.ts'
import { Problem } from '../model/problem.ts'
import { isGone } from './client-gone.ts'
import type { Route } from './route.ts'

/**
 * Searches of one account that are under way at once, and parts of files. SQLite answers one after the other, PostgreSQL as
 * many at once as there are connections for it: whoever has more under way stands before everybody else.
 */
const READS_AT_ONCE = 4

const turns = new KeyedSemaphore(READS_AT_ONCE)

/** Does work in a turn of the account. */
export async function workInTurn<T>(accountId: string, work: () => Promise<T>): Promise<T> {
  const release = await turns.acquire(accountId)
  try {
    return await work()
  } finally {
    release?.()
  }
}

/** The handler, each time in a turn of its caller's account. */
export const inTurn =
  (handler: Route['handler']): Route['handler'] =>
  async (request, reply) => {
    const { caller } = request
    if (caller === null) return handler(request, reply)
    return workInTurn(caller.accountId, async () => {
      // Nobody reads what this answers.
      if (isGone(request)) throw new Problem('unavailable', 'The client has gone.')
      return handler(request, reply)
    })
  }

/**
 * The rows of a file, each in a turn of the account: the first of a page is what has to be read. A handler that is in a
 * turn itself returns the file; `reply.send` would have it wait there for the end.
 */
export async function* rowsInTurn<Row>(accountId: string, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  const iterator = rows[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await workInTurn(accountId, () => iterator.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    await iterator.return?.()
  }
}
