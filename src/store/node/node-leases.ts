// Leases of all background work: the leases of a node are released at once when its process has ended.

import { type RawBuilder, sql } from 'kysely'
import type { Part } from '../../lib/lifecycle.ts'
import { type Database, databaseNow } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import type { NodeName } from './node-identity.ts'

/** Tables whose rows nodes hold by `lease` and `lease_until`, with the condition on rows that can be held. */
const LEASED = [
  { table: 'bulks', among: sql`finished_at is null` },
  { table: 'verifications', among: sql`finished_at is null` },
  { table: 'webhooks', among: sql`true` },
  { table: 'inbound_messages', among: sql`state = 'received'` },
  { table: 'keyed_requests', among: sql`true` },
  { table: 'singleton_jobs', among: sql`true` },
] as const satisfies readonly { readonly table: keyof Tables; readonly among: RawBuilder<unknown> }[]

/** Names of these tables; the queue releases its leases by itself, together with the journal of deliveries. */
export const LEASED_TABLES: readonly (keyof Tables)[] = LEASED.map(({ table }) => table)

/** Returns the condition that no node holds a row of leased work. */
export const isFree = (db: Database, now: number): RawBuilder<boolean> =>
  sql<boolean>`(lease_until is null or lease_until <= ${databaseNow(db, now)})`

/** Takes back the leases of a node: those of the earlier process at the start, those of this process at the end. */
export class NodeLeases implements Part {
  readonly name = 'leases'
  readonly #store: Store
  readonly #holder: { readonly node?: string }

  /** @param alone true if no other node uses the store, so that every lease belongs to this node, whatever its name */
  constructor(store: Store, node: NodeName, alone: boolean) {
    this.#store = store
    this.#holder = alone ? {} : { node: node.id }
  }

  async start(): Promise<void> {
    await this.#store.write(takeBackLeases, this.#holder)
  }

  /** Stops after all work under leases has stopped. If the store is unreachable, the leases end by themselves. */
  async stop(): Promise<void> {
    await this.#store.write(takeBackLeases, this.#holder).catch(() => {})
  }
}

/** Ends the leases whose tokens begin with the name of a node, or all leases. */
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
