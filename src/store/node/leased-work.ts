// Leases of long work: one node does a piece of work, and another continues when that node has died.

import type { Kysely, UpdateObject } from 'kysely'
import { type Database, databaseMoment } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import type { Store } from '../database/store.ts'

/** Tables whose rows are such work. */
export type WorkTable = 'verifications' | 'bulks'

/** Work that this node holds. */
export interface HeldWork {
  readonly accountId: string
  readonly id: string
  /** Token of the lease. */
  readonly lease: string
}

/** Request of a node for a piece of work. */
export interface WorkClaim {
  readonly now: number
  readonly lease: string
  readonly leaseUntil: number
}

/** Columns that all of these tables have; only the values of the status differ. */
type Work = Pick<Tables['verifications'], 'account_id' | 'id' | 'lease' | 'lease_until' | 'finished_at'> & {
  status: string
}
type WorkDatabase = Kysely<Record<WorkTable, Work>>

const workOf = (db: Database): WorkDatabase => db as unknown as WorkDatabase

/** Renews leases until a time; returns the work that is still held. */
export async function renewHeld<Held extends HeldWork>(
  store: Store,
  table: WorkTable,
  held: readonly Held[],
  until: number,
): Promise<Held[]> {
  const renewed = await Promise.all(
    held.map(({ accountId, id, lease }) => store.write(renewWork, { accountId, id, lease, table, until })),
  )
  return held.filter((_, index) => renewed[index])
}

/** Extends a lease; false when another node holds the work. */
export async function renewWork(
  db: Database,
  items: readonly (HeldWork & { readonly table: WorkTable; readonly until: number })[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { table, until, ...held } of items) {
    results.push(await updateHeld(db, table, held, { lease_until: databaseMoment(db, until) }))
  }
  return results
}

/** Changes work that is held under this lease, and locks it until the commit; false when it is not held. */
export async function updateHeld(
  db: Database,
  table: WorkTable,
  { accountId, id, lease }: HeldWork,
  change: UpdateObject<Record<WorkTable, Work>, WorkTable>,
): Promise<boolean> {
  const rows = await workOf(db)
    .updateTable(table)
    .set(change)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('lease', '=', lease)
    .returning('id')
    .execute()
  return rows.length > 0
}
