// Conditions for texts that begin with another text.

import { type RawBuilder, sql } from 'kysely'
import { inAnyCase } from '../../model/address.ts'

/**
 * Returns the condition that the text in a column begins with `text`. The condition is a range, since texts are
 * compared by their bytes.
 */
export const beginning = (column: RawBuilder<unknown>, text: string): RawBuilder<boolean> =>
  sql`${column} >= ${text} and ${column} < ${`${text}\u{10ffff}`}`

/** Returns the condition that the address in a column begins with `text`, ignoring case. */
export const addressBegins = (column: RawBuilder<unknown>, text: string): RawBuilder<boolean> =>
  beginning(sql`lower(${column})`, inAnyCase(text))
