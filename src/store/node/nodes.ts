// The running nodes, as reported by the nodes themselves.

import { sql } from 'kysely'
import { type Database, databaseMoment, databaseNow, type Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'

export type NodeRow = Tables['nodes']

/** Load of a node since its last report. */
export interface NodeLoad {
  /** Fraction of the time for which the event loop of the node was busy, from 0 to 1. */
  readonly event_loop: number
  /** CPU time of all threads of the node, in cores. */
  readonly cpu: number
  /** Resident memory of the node, in bytes. */
  readonly memory: number
}

/** A source address of a node with the name in its greeting; null for the address that the system chooses. */
export interface NodeAddress {
  readonly address: string | null
  readonly helo: string
}

/** All columns are replaced, because a killed node may restart with another version. */
const KEPT = ['host_name', 'roles', 'version', 'started_at', 'seen_at', 'load', 'addresses']
  .map((column) => `${column} = excluded.${column}`)
  .join()

/** Records a repeated report of a running node, and removes nodes whose last report is older than `forgetBefore`. */
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

/** Removes nodes that have shut down gracefully. */
export async function forgetNode(db: Database, items: readonly { readonly id: string }[]): Promise<true[]> {
  for (const { id } of items) await db.deleteFrom('nodes').where('id', '=', id).execute()
  return items.map(() => true)
}

/** Maximum age of the last report of a node that counts as running. */
const RUNNING_MS = 60_000

/** Returns the nodes that are probably running, by the clock of the database if the database has its own clock. */
export const listRunningNodes = (read: Read, now: number): Promise<NodeRow[]> =>
  nodes(read)
    .where('seen_at', '>', sql<number>`${databaseNow(read, now)} - ${RUNNING_MS}`)
    .execute()

/** Returns all nodes; the node with the earliest start comes first. */
export const listNodes = (read: Read): Promise<NodeRow[]> => nodes(read).execute()

const nodes = (read: Read) => read.selectFrom('nodes').selectAll().orderBy('started_at').orderBy('id')
