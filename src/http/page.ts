// A page of a list, and the cursor to the next one.

import { type IdPrefix, isId } from '../lib/ids.ts'
import { Problem } from '../model/problem.ts'

/** Query of a list. */
export interface PageRequest {
  readonly limit?: number
  readonly cursor?: string
}

/**
 * Cuts a page off what `find` answers when it is asked for one row more than the page holds.
 *
 * @param cursorOf the row's place in the list
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

/** The refusal of a cursor that no list of this kind gave. */
export const wrongCursor = (): Problem =>
  new Problem(
    'malformed_request',
    'The cursor is not one that this list gave; leave it out to start from the beginning.',
  )

/** Checks that a cursor is an ID with this prefix. */
export const idCursor =
  (prefix: IdPrefix) =>
  (cursor: string): boolean =>
    isId(prefix, cursor)
