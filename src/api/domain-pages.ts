// Pages of lists over all domains that a request reads, newest first.

import type { FastifyRequest } from 'fastify'
import { idCursor, type PageRequest, wrongCursor } from '../http/page.ts'
import type { IdPrefix } from '../lib/ids.ts'
import type { Sender } from '../submission/authorize.ts'
import { sendersOf, shownDomain } from './domain-of-request.ts'

/** A part of a list in one domain, newest first; `next` is the cursor at which the list continues, null at its end. */
interface DomainPart<Row> {
  readonly rows: readonly Row[]
  readonly next: string | null
}

/** Number of domains whose lists are read at the same time. */
const AT_ONCE = 8

/** A list that exists in each domain, whose objects have IDs in order of creation. */
interface ListOfDomains<Row, View> {
  readonly isCursor: (cursor: string) => boolean
  /** Returns a part of the list of one domain: up to `limit` objects whose IDs are smaller than the cursor. */
  find(owner: Sender, limit: number, cursor: string | undefined): Promise<DomainPart<Row>>
  idOf(row: Row): string
  view(row: Row): View
}

/**
 * Returns a page of a list in all domains that a request reads, newest first. The cursor is the ID of the last object,
 * so one cursor continues the lists of all domains. An object names its domain to a management key.
 */
export async function pageOfDomains<Row, View extends object>(
  request: FastifyRequest,
  { limit = 50, cursor }: PageRequest,
  { isCursor, find, idOf, view }: ListOfDomains<Row, View>,
): Promise<{ data: View[]; next_cursor: string | null }> {
  if (cursor !== undefined && !isCursor(cursor)) throw wrongCursor()
  const owners = sendersOf(request)
  const parts: DomainPart<{ readonly row: Row; readonly owner: Sender }>[] = []
  for (let start = 0; start < owners.length; start += AT_ONCE) {
    const some = owners.slice(start, start + AT_ONCE).map(async (owner) => {
      const { rows, next } = await find(owner, limit, cursor)
      return { rows: rows.map((row) => ({ row, owner })), next }
    })
    parts.push(...(await Promise.all(some)))
  }
  const { rows, next } = merged(parts, limit, ({ row }) => idOf(row))
  return {
    data: rows.map(({ row, owner }) => ({ ...view(row), ...shownDomain(request, owner) })),
    next_cursor: next,
  }
}

/**
 * Merges the parts of several domains into one page. A part that ends with a cursor is complete only down to this
 * cursor, so the page shows no object with a smaller ID.
 */
export function merged<Row>(
  parts: readonly DomainPart<Row>[],
  limit: number,
  idOf: (row: Row) => string,
): DomainPart<Row> {
  const ends = parts.flatMap(({ next }) => (next === null ? [] : [next]))
  const end = ends.sort().at(-1)
  const complete = parts
    .flatMap(({ rows }) => rows)
    .filter((row) => end === undefined || idOf(row) >= end)
    .sort((one, other) => (idOf(one) < idOf(other) ? 1 : -1))
  const rows = complete.slice(0, limit)
  const last = rows.at(-1)
  const isCut = complete.length > limit && last !== undefined
  return { rows, next: isCut ? idOf(last) : (end ?? null) }
}

/**
 * Returns the properties of a list whose objects have IDs with this prefix. `find` is called with a limit of one object
 * more than the page contains.
 */
export const listById = <Row extends { readonly id: string }>(
  prefix: IdPrefix,
  find: (owner: Sender, limit: number, cursor: string | undefined) => Promise<readonly Row[]>,
): Omit<ListOfDomains<Row, never>, 'view'> => ({
  isCursor: idCursor(prefix),
  async find(owner, limit, cursor) {
    const found = await find(owner, limit + 1, cursor)
    const rows = found.slice(0, limit)
    const last = rows.at(-1)
    return { rows, next: found.length > limit && last !== undefined ? last.id : null }
  },
  idOf: ({ id }) => id,
})
