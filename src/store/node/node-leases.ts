// Leases of background work, all of them: what a node holds of it is free at once when its process is over.

import { type RawBuilder, sql } from 'kysely'
import type { Part } from '../../lib/lifecycle.ts'
import { type Database, databaseNow } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import type { NodeName } from './node-identity.ts'

/** Tables whose rows are held by nodes: the column of the holder's token, that of the end, and the rows that can be held. */
const LEASED = [
  { table: 'bulks', token: 'lease', end: 'lease_until', among: sql`finished_at is null` },
  { table: 'verifications', token: 'lease', end: 'lease_until', among: sql`finished_at is null` },
  { table: 'webhooks', token: 'lease', end: 'lease_until', among: sql`true` },
  { table: 'inbound_messages', token: 'lease', end: 'claimed_until', among: sql`state = 'received'` },
  { table: 'keyed_requests', token: 'lease', end: 'lease_until', among: sql`true` },
  { table: 'duties', token: 'holder', end: 'until_at', among: sql`true` },
] as const satisfies readonly {
  readonly table: keyof Tables
  readonly token: string
  readonly end: string
  readonly among: RawBuilder<unknown>
}[]

/** Their names; the queue's leases, which are taken back together with the journal of deliveries, are its own. */
export const LEASED_TABLES: readonly (keyof Tables)[] = LEASED.map(({ table }) => table)

/** Condition that nobody holds a row of leased work. */
export const isFree = (db: Database, now: number): RawBuilder<boolean> =>
  sql<boolean>`(lease_until is null or lease_until <= ${databaseNow(db, now)})`

/** Takes back the leases of a node: of the process before at its start, of this one at its end. */
export class NodeLeases implements Part {
  readonly name = 'leases'
  readonly #store: Store
  readonly #holder: { readonly node?: string }

  /** @param alone no other node uses the store, so that every lease is of this one, whatever its name */
  constructor(store: Store, node: NodeName, alone: boolean) {
    this.#store = store
    this.#holder = alone ? {} : { node: node.id }
  }

  async start(): Promise<void> {
    await this.#store.write(takeBackLeases, this.#holder)
  }

  /** After all that works under them has stopped. With the store away they end by themselves. */
  async stop(): Promise<void> {
    await this.#store.write(takeBackLeases, this.#holder).catch(() => {})
  }
}

/** Ends the leases whose tokens begin with the name of a node, or all. */
export async function takeBackLeases(
  db: Database,
  items: readonly { readonly node?: string }[],
): Promise<true[]> {
  for (const { node } of items) {
    for (const { table, token, end, among } of LEASED) {
      const held = node === undefined ? sql`is not null` : sql`like ${`${node}.%`}`
      // The end of a singleton job is never null, and a job that nobody holds has ended.
      const free =
        table === 'duties' ? sql`${sql.ref(end)} = 0` : sql`${sql.ref(token)} = null, ${sql.ref(end)} = null`
      await sql`update ${sql.table(table)} set ${free} where ${among} and ${sql.ref(token)} ${held}`.execute(
        db,
      )
    }
  }
  return items.map(() => true)
}
takeBackLeases.unaudited = true
