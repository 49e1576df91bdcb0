// Reads the rows of a file in a response, in the read turns of an account and in short turns of the event loop.

import { readingFor } from '../store/database/read-turns.ts'
import { Pacer } from '../threads/pacer.ts'

/**
 * Limits the time that the rows of all files take in each turn of the event loop, in milliseconds. A short read takes
 * several turns, so downloads take a third of the share of other work.
 */
const ROWS_MS = 1
const pacer = new Pacer(ROWS_MS)

/**
 * Yields the rows of a file in the read turns of an account, after the handler has returned. Other requests are served
 * between the rows.
 */
export async function* rowsInTurn<Row>(accountId: string, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  const iterator = rows[Symbol.asyncIterator]()
  try {
    for (;;) {
      await pacer.turn()
      const next = await readingFor({ accountId, isLong: true }, () => iterator.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    await iterator.return?.()
  }
}
