// Pages by count and offset, as other services have them, on lists with cursors.

import { invalidFields } from '../model/problem.ts'
import type { Translation } from './translation.ts'

/** A page by count and offset. */
export interface OffsetPage {
  /** Maximum number of rows. */
  readonly count: number
  /** Number of rows before the page. */
  readonly offset: number
}

/** Maximum number of rows up to the end of a page; older rows are found by filters. */
const MAX_OFFSET = 10_000
/** Number of rows that one call of a list returns. */
const PIECE = 200

interface List<Row> {
  readonly data: readonly Row[]
  readonly next_cursor: string | null
}

/** Yields the rows of a list under `/v1`, page by page; `operation` is the operation ID of the list. */
export async function* rowsOf<Row>(
  translation: Translation,
  operation: string,
  query: Readonly<Record<string, unknown>> = {},
  limit = PIECE,
): AsyncGenerator<Row> {
  for (let cursor: string | undefined; ; ) {
    const given = { ...query, limit: String(limit), ...(cursor === undefined ? {} : { cursor }) }
    const { body } = await translation.v1<List<Row>>(operation, { query: given })
    yield* body.data
    if (body.next_cursor === null) return
    cursor = body.next_cursor
  }
}

/**
 * Returns the rows of a page, and the number of all rows: the exact number if the page reaches the end of the list, and
 * otherwise one more than the rows up to the end of the page. Throws `validation_failed` for a page beyond the limit.
 */
export async function pageOf<Row>(
  rows: AsyncIterable<Row>,
  { count, offset }: OffsetPage,
): Promise<{ readonly rows: Row[]; readonly total: number }> {
  if (offset + count > MAX_OFFSET) {
    const message = `count and offset together are at most ${MAX_OFFSET}; use a filter for older objects.`
    throw invalidFields([{ path: 'offset', code: 'too_large', message }])
  }
  const page: Row[] = []
  let total = 0
  for await (const row of rows) {
    total++
    if (total > offset + count) break
    if (total > offset) page.push(row)
  }
  return { rows: page, total }
}

/** Yields the rows that fulfil a condition, among the first rows of a list; a search of endless length ends there. */
export async function* rowsWhere<Row>(
  rows: AsyncIterable<Row>,
  isWanted: (row: Row) => boolean,
): AsyncGenerator<Row> {
  let seen = 0
  for await (const row of rows) {
    if (isWanted(row)) yield row
    if (++seen === MAX_OFFSET) return
  }
}

/** Yields the rows of several lists, one list after the other. */
export async function* rowsOfAll<Row>(...lists: readonly AsyncIterable<Row>[]): AsyncGenerator<Row> {
  for (const list of lists) yield* list
}
