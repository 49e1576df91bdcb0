// Leases of all background work: the leases of a node are released as soon as its process has ended.

import { type RawBuilder, sql } from 'kysely'
import type { Part } from '../../lib/lifecycle.ts'
import { type Database, databaseNow } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import type { NodeName } from './node-identity.ts'

/** Tables with leases (`lease` and `lease_until`), each with the condition for rows that can be leased. */
const LEASED = [
  { table: 'bulks', among: sql`finished_at is null` },
  { table: 'verifications', among: sql`finished_at is null` },
  { table: 'webhooks', among: sql`true` },
  { table: 'inbound_messages', among: sql`state = 'received'` },
  { table: 'reports', among: sql`state = 'received'` },
  { table: 'keyed_requests', among: sql`true` },
  { table: 'singleton_jobs', among: sql`true` },
] as const satisfies readonly { readonly table: keyof Tables; readonly among: RawBuilder<unknown> }[]

/**
 * Names of the tables with leases, except the queue, which releases its leases together with the journal of deliveries.
 */
export const LEASED_TABLES: readonly (keyof Tables)[] = LEASED.map(({ table }) => table)

/** Returns the SQL condition that no node holds a row of leased work. */
export const isFree = (db: Database, now: number): RawBuilder<boolean> =>
  sql<boolean>`(lease_until is null or lease_until <= ${databaseNow(db, now)})`

/**
 * Releases the leases of a node: leases of the earlier process at the start, and leases of this process at the end.
 */
export class NodeLeases implements Part {
  readonly name = 'leases'
  readonly #store: Store
  readonly #holder: { readonly node?: string }

  /**
   * @param alone true if no other node uses the store; every lease then belongs to this node, regardless of the lease
   * token
   */
  constructor(store: Store, node: NodeName, alone: boolean) {
    this.#store = store
    this.#holder = alone ? {} : { node: node.id }
  }

  async start(): Promise<void> {
    await this.#store.write(takeBackLeases, this.#holder)
  }

  /**
   * Releases the leases; call after all leased work has stopped. Leases expire by themselves if the store is
   * unreachable.
   */
  async stop(): Promise<void> {
    await this.#store.write(takeBackLeases, this.#holder).catch(() => {})
  }
}

/** Releases the leases whose tokens have the name of a node as prefix, or all leases if `node` is undefined. */
export async function takeBackLeases(
  db: Database,
  items: readonly { readonly node?: string }[],
): Promise<true[]> {
  for (const { node } of items) {
    const isHeld = node === undefined ? sql`lease is not null` : sql`lease like ${`${node}.%`}`
    for (const { table, among } of LEASED) {
      await sql`update ${sql.table(table)} set lease = null, lease_until = null where ${among} and ${isHeld}`.execute(
        db,
      )
    }
  }
  return items.map(() => true)
}
takeBackLeases.unaudited = true
