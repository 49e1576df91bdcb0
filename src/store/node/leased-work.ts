// Leases of long-running jobs: one node runs a job, and another node continues the job if the first node dies.

import type { Kysely, UpdateObject } from 'kysely'
import { type Database, databaseMoment } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import type { Store } from '../database/store.ts'

/** Tables whose rows are long-running jobs. */
export type WorkTable = 'verifications' | 'bulks'

/** A job that this node holds under a lease. */
export interface HeldWork {
  readonly accountId: string
  readonly id: string
  /** Token of the lease under which this node holds the job. */
  readonly lease: string
}

/** Request of a node to claim a job. */
export interface WorkClaim {
  readonly now: number
  readonly lease: string
  readonly leaseUntil: number
}

/** Columns that all tables of long-running jobs have; the possible values of `status` differ by table. */
type Work = Pick<Tables['verifications'], 'account_id' | 'id' | 'lease' | 'lease_until' | 'finished_at'> & {
  status: string
}
type WorkDatabase = Kysely<Record<WorkTable, Work>>

const workOf = (db: Database): WorkDatabase => db as unknown as WorkDatabase

/** Extends leases to a given time; returns the jobs that this node still holds. */
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

/** Extends the lease of a job; returns false if this node no longer holds the job. */
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

/**
 * Changes the row of a job that this lease holds, and locks the row until the commit; returns false if the lease is
 * lost.
 */
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
