// Numbers of objects, for clients of other services that read IDs as integers.

import type { NumberedNoun } from '../../model/numbered-noun.ts'
import { type Database, isPostgres, type Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'

/** First number of an account, because programs write small numbers where they mean no object. */
const FIRST = 1_001

/** Objects of one kind. */
export interface NumberedObjects {
  readonly accountId: string
  readonly noun: NumberedNoun
  readonly ids: readonly string[]
}

/** Returns the numbers of those objects that have one, by ID. */
export async function findNumbers(
  read: Read | Database,
  { accountId, noun, ids }: NumberedObjects,
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await read
    .selectFrom('object_numbers')
    .select(['id', 'number'])
    .where('account_id', '=', accountId)
    .where('noun', '=', noun)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, number }) => [id, Number(number)]))
}

/** Returns the ID of the object with a number; undefined if no object of the account has this number. */
export async function findNumbered(
  read: Read,
  accountId: string,
  noun: NumberedNoun,
  number: number,
): Promise<string | undefined> {
  const row = await read
    .selectFrom('object_numbers')
    .select('id')
    .where('account_id', '=', accountId)
    .where('noun', '=', noun)
    .where('number', '=', number)
    .executeTakeFirst()
  return row?.id
}

/** Gives a number to each object without one. Returns the numbers of all objects, in the order of their IDs. */
export async function numberObjects(db: Database, items: readonly NumberedObjects[]): Promise<number[][]> {
  const results: number[][] = []
  for (const item of items) results.push(await numberOne(db, item))
  return results
}
numberObjects.unaudited = true

async function numberOne(db: Database, item: NumberedObjects): Promise<number[]> {
  const { accountId, noun, ids } = item
  await lockNumbers(db, accountId)
  const known = new Map(await findNumbers(db, item))
  const missing = [...new Set(ids)].filter((id) => !known.has(id))
  const last = await db
    .selectFrom('object_numbers')
    .select('number')
    .where('account_id', '=', accountId)
    .where('noun', '=', noun)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  const first = Number(last?.number ?? FIRST - 1) + 1
  for (const [index, id] of missing.entries()) known.set(id, first + index)
  await insertRows(
    db,
    'object_numbers',
    missing.map((id, index) => ({ account_id: accountId, noun, number: first + index, id })),
  )
  return ids.map((id) => known.get(id) as number)
}

/** Blocks other transactions that number objects of the account. SQLite has only one writer and needs no lock. */
async function lockNumbers(db: Database, accountId: string): Promise<void> {
  if (!isPostgres(db)) return
  await db.selectFrom('accounts').select('id').where('id', '=', accountId).forUpdate().execute()
}
