// The mode in which a store was created, as recorded in the store: playground or production.

import type { Database, Read } from '../database/dialect.ts'
import { keepFact } from './installation.ts'

export type StoreMode = 'playground' | 'production'

const FACT = 'mode'

/** Returns the mode of a store; undefined if the store has no recorded mode yet. */
export const readMode = async (read: Read): Promise<StoreMode | undefined> => {
  const row = await read
    .selectFrom('installation')
    .select('value')
    .where('name', '=', FACT)
    .executeTakeFirst()
  return row?.value as StoreMode | undefined
}

/** Sets the mode of a store unless the store already has a mode; returns the mode of the store. */
export async function keepMode(db: Database, items: readonly StoreMode[]): Promise<StoreMode[]> {
  const kept: StoreMode[] = []
  for (const value of items) {
    const [mark] = await keepFact(db, [{ name: FACT, value }])
    kept.push(mark as StoreMode)
  }
  return kept
}
keepMode.unaudited = true
