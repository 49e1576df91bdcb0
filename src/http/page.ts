// Returns a page of a list, with the cursor of the next page.

import { type IdPrefix, isId } from '../lib/ids.ts'
import { Problem } from '../model/problem.ts'

/** Query parameters of a list. */
export interface PageRequest {
  readonly limit?: number
  readonly cursor?: string
}

/**
 * Returns a page of a list. Calls `find` with a limit of one more row than the page contains, to learn whether another
 * page follows.
 *
 * @param cursorOf returns the cursor of a row
 */
export async function page<Row, View>(
  { limit = 50, cursor }: PageRequest,
  isCursor: (cursor: string) => boolean,
  find: (limit: number, cursor: string | undefined) => Promise<Row[]>,
  cursorOf: (row: Row) => string,
  view: (row: Row) => View,
): Promise<{ data: View[]; next_cursor: string | null }> {
  if (cursor !== undefined && !isCursor(cursor)) throw wrongCursor()
  const found = await find(limit + 1, cursor)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const more = found.length > limit && last !== undefined
  return { data: rows.map(view), next_cursor: more ? cursorOf(last) : null }
}

/** Returns the problem for a cursor that no list of this kind has returned. */
export const wrongCursor = (): Problem =>
  new Problem(
    'malformed_request',
    'The cursor does not belong to this list; leave the cursor out to start from the beginning.',
  )

/** Returns a function that checks whether a cursor is an ID with this prefix. */
export const idCursor =
  (prefix: IdPrefix) =>
  (cursor: string): boolean =>
    isId(prefix, cursor)
