// The running nodes, as they report themselves.

import { sql } from 'kysely'
import { type Database, databaseMoment, databaseNow, type Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'

export type NodeRow = Tables['nodes']

/** Load of a node since its last report. */
export interface NodeLoad {
  /** Share of time for which its event loop was busy, from 0 to 1. */
  readonly event_loop: number
  /** Processor time of all its threads, in cores. */
  readonly cpu: number
  /** Resident memory in bytes. */
  readonly memory: number
}

/** A killed node may restart with another version. */
const KEPT = ['host_name', 'roles', 'version', 'started_at', 'seen_at', 'load']
  .map((column) => `${column} = excluded.${column}`)
  .join()

/** Reports that a node is running; called repeatedly. Rows untouched since `forgetBefore` are removed. */
export async function seeNode(
  db: Database,
  items: readonly { readonly node: NodeRow; readonly forgetBefore: number }[],
): Promise<true[]> {
  for (const { node, forgetBefore } of items) {
    await insertRows(db, 'nodes', [node], `on conflict (id) do update set ${KEPT}`)
    await db.deleteFrom('nodes').where('seen_at', '<', databaseMoment(db, forgetBefore)).execute()
  }
  return items.map(() => true)
}

/** Removes nodes that have stopped in order. */
export async function forgetNode(db: Database, items: readonly { readonly id: string }[]): Promise<true[]> {
  for (const { id } of items) await db.deleteFrom('nodes').where('id', '=', id).execute()
  return items.map(() => true)
}

/** Maximum age of a report with which a node counts as running. */
const RUNNING_MS = 60_000

/** Returns the nodes that are running as far as is known, by the clock of the database where it has its own. */
export const listRunningNodes = (read: Read, now: number): Promise<NodeRow[]> =>
  nodes(read)
    .where('seen_at', '>', sql<number>`${databaseNow(read, now)} - ${RUNNING_MS}`)
    .execute()

/** Returns all nodes, longest running first. */
export const listNodes = (read: Read): Promise<NodeRow[]> => nodes(read).execute()

const nodes = (read: Read) => read.selectFrom('nodes').selectAll().orderBy('started_at').orderBy('id')
