// SQL conditions on the prefix of a text.

import { type RawBuilder, sql } from 'kysely'
import { inAnyCase } from '../../model/address.ts'

/**
 * Returns the condition that the text in a column has the prefix `text`. The condition is a range, because texts are
 * compared by their bytes.
 */
export const beginning = (column: RawBuilder<unknown>, text: string): RawBuilder<boolean> =>
  sql`${column} >= ${text} and ${column} < ${`${text}\u{10ffff}`}`

/** Returns the condition that the address in a column has the prefix `text`, case-insensitive. */
export const addressBegins = (column: RawBuilder<unknown>, text: string): RawBuilder<boolean> =>
  beginning(sql`lower(${column})`, inAnyCase(text))
