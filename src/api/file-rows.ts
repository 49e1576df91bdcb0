// Reads the rows of a file in a response, in the read turns of an account and in short turns of the event loop.

import { readingFor } from '../store/database/read-turns.ts'
import { Pacer } from '../threads/pacer.ts'

/** Limits the time that the rows of all files take in each turn of the event loop. */
const pacer = new Pacer()

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
