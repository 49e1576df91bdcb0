// Numbers of objects, for services whose clients read IDs as integers.

import type { Caller } from '../api/caller.ts'
import type { Services } from '../api/routes.ts'
import type { NumberedNoun } from '../model/numbered-noun.ts'
import { findNumbered, findNumbers, numberObjects } from '../store/compat/numbers.ts'
import { reading } from '../store/database/store.ts'

type Stores = Pick<Services, 'read' | 'store'>

/** Returns the numbers of objects by ID; an object without a number gets one. */
export async function numbersOf(
  { read, store }: Stores,
  { accountId }: Pick<Caller, 'accountId'>,
  noun: NumberedNoun,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const objects = { accountId, noun, ids }
  const known = await reading(findNumbers(read, objects))
  if (ids.every((id) => known.has(id))) return known
  const numbers = await store.write(numberObjects, objects)
  return new Map(ids.map((id, index) => [id, numbers[index] as number]))
}

/** Returns the number of one object, which gets a number if it has none. */
export async function numberOf(
  stores: Stores,
  caller: Pick<Caller, 'accountId'>,
  noun: NumberedNoun,
  id: string,
): Promise<number> {
  return (await numbersOf(stores, caller, noun, [id])).get(id) as number
}

/** Returns the ID of the object with a number; undefined if the account has no such object. */
export const findObject = (
  { read }: Pick<Stores, 'read'>,
  { accountId }: Pick<Caller, 'accountId'>,
  noun: NumberedNoun,
  number: number,
): Promise<string | undefined> => reading(findNumbered(read, accountId, noun, number))
