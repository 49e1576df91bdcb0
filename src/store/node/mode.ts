// The mode that a store was made in, as it says itself: the playground or production.

import type { Database, Read } from '../database/dialect.ts'
import { keepFact } from './installation.ts'

export type StoreMode = 'playground' | 'production'

const FACT = 'mode'

/** The mode that a store says; undefined when it does not say one yet. */
export const readMode = async (read: Read): Promise<StoreMode | undefined> => {
  const row = await read
    .selectFrom('installation')
    .select('value')
    .where('name', '=', FACT)
    .executeTakeFirst()
  return row?.value as StoreMode | undefined
}

/** Writes the mode into a store that does not have one; answers the one that it has then. */
export async function keepMode(db: Database, items: readonly StoreMode[]): Promise<StoreMode[]> {
  const kept: StoreMode[] = []
  for (const value of items) {
    const [mark] = await keepFact(db, [{ name: FACT, value }])
    kept.push(mark as StoreMode)
  }
  return kept
}
keepMode.unaudited = true
