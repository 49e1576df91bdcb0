// The nodes that run, as they say themselves.

import { sql } from 'kysely'
import { type Database, databaseMoment, databaseNow, type Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'

export type NodeRow = Tables['nodes']

/** How busy a node was since its last sign of life. */
export interface NodeLoad {
  /** Share of the time in which its event loop worked, from 0 to 1. */
  readonly event_loop: number
  /** Processor time of all its threads, in cores. */
  readonly cpu: number
  /** Resident memory, in bytes. */
  readonly memory: number
}

/** A node that was killed and is started again may be of another version. */
const KEPT = ['host_name', 'roles', 'version', 'started_at', 'seen_at', 'load']
  .map((column) => `${column} = excluded.${column}`)
  .join()

/** Says that a node runs, again and again; rows untouched since `forgetBefore` are removed. */
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

/** A node has stopped as it should. */
export async function forgetNode(db: Database, items: readonly { readonly id: string }[]): Promise<true[]> {
  for (const { id } of items) await db.deleteFrom('nodes').where('id', '=', id).execute()
  return items.map(() => true)
}

/** A node that was seen within this time is taken to run. */
const RUNNING_MS = 60_000

/**
 * Those that run as far as can be told, whose clock and that of this process may be wrong where there is a database with its
 * own.
 */
export const listRunningNodes = (read: Read, now: number): Promise<NodeRow[]> =>
  nodes(read)
    .where('seen_at', '>', sql<number>`${databaseNow(read, now)} - ${RUNNING_MS}`)
    .execute()

/** The longest running first. */
export const listNodes = (read: Read): Promise<NodeRow[]> => nodes(read).execute()

const nodes = (read: Read) => read.selectFrom('nodes').selectAll().orderBy('started_at').orderBy('id')
