// The mode that a store was made in, as it says itself: the playground or production.

import type { Database, Read } from '../database/dialect.ts'
import { keepFact } from './installation.ts'

export type StoreMode = 'playground' | 'production'

const FACT = 'mode'
/** Names that the playground's first start makes; by them a store is known that does not say its mode yet. */
export const MADE_BY_PLAYGROUND = {
  account: 'Playground',
  domain: 'example.test',
  user: 'owner@example.test',
} as const

/** The mode that a store says; undefined when it does not say one yet. */
export const readMode = async (read: Read): Promise<StoreMode | undefined> => {
  const row = await read
    .selectFrom('installation')
    .select('value')
    .where('name', '=', FACT)
    .executeTakeFirst()
  return row?.value as StoreMode | undefined
}

/** Writes the mode into a store that does not have one: of an old store the one it was used in, of a new one its own. */
export async function keepMode(db: Database, items: readonly StoreMode[]): Promise<StoreMode[]> {
  const kept: StoreMode[] = []
  for (const mode of items) {
    const value = (await modeOfOldStore(db)) ?? mode
    const [mark] = await keepFact(db, [{ name: FACT, value }])
    kept.push(mark as StoreMode)
  }
  return kept
}
keepMode.unaudited = true

/** Undefined while there is no account, which is the first thing that either mode makes. */
async function modeOfOldStore(db: Database): Promise<StoreMode | undefined> {
  const first = await db
    .selectFrom('accounts')
    .select(['id', 'name'])
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (first === undefined) return undefined
  const { id, name } = first
  const of = (table: 'domains' | 'users', column: 'name' | 'email', value: string) =>
    db
      .selectFrom(table)
      .select('id')
      .where('account_id', '=', id)
      .where(column as 'id', '=', value)
      .executeTakeFirst()
  // A start without POSTRIDER_MODE may have left the domain in a production store, but neither of the other two.
  const itsDomain = (await of('domains', 'name', MADE_BY_PLAYGROUND.domain)) !== undefined
  const itsOwn =
    name === MADE_BY_PLAYGROUND.account || (await of('users', 'email', MADE_BY_PLAYGROUND.user)) !== undefined
  return itsDomain && itsOwn ? 'playground' : 'production'
}
