// Leases of webhooks: the holder delivers the events of a webhook; leases end by the clock of the database.

import { sql } from 'kysely'
import { type Database, databaseMoment, isPostgres, type Read } from '../database/dialect.ts'
import { updateRows } from '../database/rows.ts'
import { isFree } from '../node/node-leases.ts'
import type { Webhook, WebhookKey } from './webhooks.ts'

/** Key of a webhook with the lease under which the webhook is held. */
export interface HeldKey extends WebhookKey {
  readonly lease: string
}

/** Conditions for the webhooks to claim. */
export interface Claimable {
  /** Feeds to which the claim is restricted; undefined for all feeds. */
  readonly feedIds: readonly string[] | undefined
  /** Accounts whose webhooks are not claimed. */
  readonly exceptAccounts?: readonly string[] | undefined
  readonly now: number
}

export interface ClaimWebhooks extends Claimable {
  readonly lease: string
  readonly until: number
  readonly limit: number
}

/**
 * Selects webhooks that have something to deliver and that no node holds; the webhook released longest ago comes first.
 */
function claimable(db: Database, { feedIds, exceptAccounts = [], now }: Claimable, limit: number) {
  let ready = (db as Read)
    .selectFrom('webhooks')
    .leftJoin('event_feed_ends', 'event_feed_ends.domain_id', 'webhooks.feed_id')
    .select('webhooks.id')
    .where('webhooks.status', '=', 'enabled')
    .where(isFree(db, now))
    .where((eb) => eb.or([eb('webhooks.resume_at', 'is', null), eb('webhooks.resume_at', '<=', now)]))
    .where((eb) =>
      eb.or([
        eb('event_feed_ends.position', '>', eb.ref('webhooks.position')),
        eb('webhooks.due_at', '<=', now),
        eb('webhooks.replay_position', 'is not', null),
      ]),
    )
    .orderBy(sql`coalesce(webhooks.lease_until, 0)`)
    .orderBy('webhooks.position')
    .limit(limit)
  if (exceptAccounts.length > 0) ready = ready.where('webhooks.account_id', 'not in', exceptAccounts)
  return feedIds === undefined ? ready : ready.where('webhooks.feed_id', 'in', feedIds)
}

/**
 * True if any webhook can be claimed. Call before each claim: a claim is a write, and most events belong to domains
 * without webhooks.
 */
export async function hasClaimable(read: Read, query: Claimable): Promise<boolean> {
  if (query.feedIds?.length === 0) return false
  return (await claimable(read, query, 1).executeTakeFirst()) !== undefined
}

/** Claims webhooks that have something to deliver. */
export async function claimWebhooks(db: Database, items: readonly ClaimWebhooks[]): Promise<Webhook[][]> {
  const results: Webhook[][] = []
  for (const item of items) {
    const ready = claimable(db, item, item.limit)
    const claimed = await db
      .updateTable('webhooks')
      .set({ lease: item.lease, lease_until: databaseMoment(db, item.until) })
      .where('id', 'in', isPostgres(db) ? ready.forUpdate('webhooks').skipLocked() : ready)
      .returningAll()
      .execute()
    results.push(claimed)
  }
  return results
}
claimWebhooks.unaudited = true

/** Extends leases; returns the IDs of the webhooks that are still held. */
export async function renewWebhooks(
  db: Database,
  items: readonly (readonly (HeldKey & { readonly until: number })[])[],
): Promise<string[][]> {
  const results: string[][] = []
  for (const held of items) {
    const rows = held.map(({ id, lease, until }) => ({ id, lease, lease_until: until }))
    const renewed = await updateRows(db, 'webhooks', ['id'], rows, { match: ['lease'] })
    results.push(renewed.map(({ id }) => id))
  }
  return results
}
renewWebhooks.unaudited = true

/** Releases webhooks; keeps the end of the last lease, which determines the order of claims. */
export async function releaseWebhooks(
  db: Database,
  items: readonly (HeldKey & { readonly now: number })[],
): Promise<true[]> {
  const rows = items.map(({ id, lease, now }) => ({ id, lease, lease_until: now }))
  await updateRows(db, 'webhooks', ['id'], rows, { match: ['lease'], clear: ['lease'] })
  return items.map(() => true)
}
releaseWebhooks.unaudited = true
