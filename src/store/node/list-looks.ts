// Lookups of the own addresses and domains in block lists.

import { sql } from 'kysely'
import type { LookChange, LookState } from '../../model/list-look.ts'
import type { Database, Read } from '../database/dialect.ts'
import { deleteRows, insertRows, updateRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'

export type ListLook = Tables['list_looks']

/** An address or a domain in a zone. */
export type LookKey = Pick<ListLook, 'subject' | 'zone'>

/** Returns the lookups that are due, addresses before domains, the longest due first. */
export const listDueLooks = (read: Read, now: number, limit: number): Promise<ListLook[]> =>
  read
    .selectFrom('list_looks')
    .selectAll()
    .where('due_at', '<=', now)
    .orderBy((eb) => eb.case().when('domain_id', 'is', null).then(0).else(1).end())
    .orderBy('due_at')
    .limit(limit)
    .execute()

/** Returns all lookups in the order of subjects and zones. */
export const listLooks = (read: Read): Promise<ListLook[]> =>
  read.selectFrom('list_looks').selectAll().orderBy('subject').orderBy('zone').execute()

/** Place of a lookup in the list for operators: the order of its state, its subject and its zone. */
export type LookPlace = LookKey & { readonly order: number }

/** States in the order of the list for operators. */
const STATE_ORDER = ['listed', 'not_known', 'not_listed'] as const satisfies readonly LookState[]

/** Returns the place of a lookup in the list for operators. */
export const placeOf = ({ state, subject, zone }: ListLook): LookPlace => ({
  ...{ order: STATE_ORDER.indexOf(state), subject, zone },
})

/** Returns a page of the list for operators, listings first; with `after`, only lookups after this place. */
export async function listLookPage(
  read: Read,
  state: LookState | undefined,
  limit: number,
  after: LookPlace | undefined,
): Promise<ListLook[]> {
  const order = sql<number>`case state when 'listed' then 0 when 'not_known' then 1 else 2 end`
  let query = read
    .selectFrom('list_looks')
    .selectAll()
    .where('checked_at', 'is not', null)
    .orderBy(order)
    .orderBy('subject')
    .orderBy('zone')
    .limit(limit)
  if (state !== undefined) query = query.where('state', '=', state)
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(${order}, subject, zone) > (${after.order}, ${after.subject}, ${after.zone})`,
    )
  }
  return query.execute()
}

/** Returns the number of listed addresses and domains by zone, for each zone with lookups. */
export async function countListed(read: Read): Promise<[zone: string, listed: number][]> {
  const rows = await read
    .selectFrom('list_looks')
    .select(({ fn, eb }) => [
      'zone',
      fn.sum<number | string>(eb.case().when('state', '=', 'listed').then(1).else(0).end()).as('listed'),
    ])
    .groupBy('zone')
    .orderBy('zone')
    .execute()
  return rows.map(({ zone, listed }) => [zone, Number(listed)])
}

/** Changes of the lookups: new ones, those to begin again, those to pause, and those to remove. */
export interface LookPlan {
  readonly add: readonly ListLook[]
  readonly resume: readonly LookKey[]
  readonly pause: readonly LookKey[]
  readonly remove: readonly LookKey[]
  readonly now: number
}

const KEY = ['subject', 'zone'] as const

/** Adds, resumes, pauses and removes lookups. */
export async function planLooks(db: Database, items: readonly LookPlan[]): Promise<true[]> {
  for (const { add, resume, pause, remove, now } of items) {
    await insertRows(db, 'list_looks', add, 'on conflict (subject, zone) do nothing')
    await updateRows(
      db,
      'list_looks',
      KEY,
      resume.map((key) => ({ ...key, due_at: now })),
    )
    await updateRows(db, 'list_looks', KEY, pause, { clear: ['due_at'] })
    await deleteRows(db, 'list_looks', KEY, remove)
  }
  return items.map(() => true)
}

/** Records the result of a lookup. */
export async function recordLook(
  db: Database,
  items: readonly (LookKey & Omit<LookChange, 'event'> & Pick<ListLook, 'answer' | 'checked_at'>)[],
): Promise<true[]> {
  await updateRows(db, 'list_looks', KEY, items)
  return items.map(() => true)
}
