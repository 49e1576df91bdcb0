// Deliveries of webhooks: the sent requests, their results, and the pending retries.

import { sql } from 'kysely'
import { beforeIdsOf } from '../../lib/ids.ts'
import type { DeliveryAttempt, DeliveryStatus } from '../../model/webhook.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows, updateRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { SHOWN_OF_WEBHOOK, tellFailing } from './disabling.ts'
import type { HeldKey } from './leases.ts'
import type { WebhookKey } from './webhooks.ts'

type Row = Tables['webhook_deliveries']

/** A delivery with its columns `positions` and `log` parsed. */
export interface Delivery extends Omit<Row, 'positions' | 'log'> {
  readonly positions: readonly number[]
  readonly log: readonly DeliveryAttempt[]
}

const deliveryOf = (row: Row): Delivery => ({
  ...row,
  positions: JSON.parse(row.positions),
  log: JSON.parse(row.log),
})

const rowOfDelivery = ({ positions, log, ...rest }: Delivery): Row => ({
  ...rest,
  positions: JSON.stringify(positions),
  log: JSON.stringify(log),
})

/** Results of the node that holds a webhook; nothing is written if another node holds the lease. */
export interface RecordDeliveries extends HeldKey {
  /** Deliveries after their first attempt. */
  readonly made: readonly Delivery[]
  /** Pending deliveries after a further attempt. */
  readonly repeated: readonly Delivery[]
  /** IDs of pending deliveries whose events no longer exist. */
  readonly removed: readonly string[]
  readonly position: number
  /** Last feed position of an event that has had an attempt. */
  readonly attemptedTo: number
  /** Position of the replay; null if no replay is in progress. */
  readonly replayPosition: number | null
  readonly failures: number
  readonly failingSince: number | null
  readonly resumeAt: number | null
  /** Time at which the receiver was found to fail, for the event of the account; undefined without such an event. */
  readonly foundFailingAt?: number | undefined
}

/** Writes the results of nodes; returns false and writes nothing if the lease is lost. */
export async function recordDeliveries(db: Database, items: readonly RecordDeliveries[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const item of items) results.push(await recordOne(db, item))
  return results
}
recordDeliveries.unaudited = true

async function recordOne(db: Database, item: RecordDeliveries): Promise<boolean> {
  const { id, lease } = item
  const held = await db
    .updateTable('webhooks')
    .set({
      position: item.position,
      attempted_to: item.attemptedTo,
      replay_position: item.replayPosition,
      failures: item.failures,
      failing_since: item.failingSince,
      resume_at: item.resumeAt,
      ...(item.replayPosition === null ? { replay_until: null, replay_before: null } : {}),
    })
    .where('id', '=', id)
    .where('lease', '=', lease)
    .returning(SHOWN_OF_WEBHOOK)
    .executeTakeFirst()
  if (held === undefined) return false
  const { foundFailingAt: at } = item
  if (at !== undefined) await tellFailing(db, held, { status: 'paused', reason: 'failing' }, at)
  await insertRows(db, 'webhook_deliveries', item.made.map(rowOfDelivery))
  const repeated = item.repeated.map((delivery) => {
    const { webhook_id, id, status, attempts, log, due_at } = rowOfDelivery(delivery)
    return { webhook_id, id, status, attempts, log, due_at }
  })
  await updateRows(db, 'webhook_deliveries', ['webhook_id', 'id'], repeated)
  if (item.removed.length > 0) {
    await db
      .deleteFrom('webhook_deliveries')
      .where('webhook_id', '=', id)
      .where('id', 'in', item.removed)
      .execute()
  }
  await keepDue(db, id)
  return true
}

/** Sets the time at which the webhook's first pending delivery is due. */
const keepDue = (db: Database, webhookId: string): Promise<unknown> =>
  db
    .updateTable('webhooks')
    .set((eb) => ({
      due_at: eb
        .selectFrom('webhook_deliveries')
        .select((one) => one.fn.min('due_at').as('due_at'))
        .where('webhook_id', '=', webhookId)
        .where('due_at', 'is not', null),
    }))
    .where('id', '=', webhookId)
    .execute()

/** Returns the pending deliveries of a webhook that are due; the earliest due time comes first. */
export async function dueDeliveries(
  read: Read,
  webhookId: string,
  now: number,
  limit: number,
): Promise<Delivery[]> {
  const rows = await read
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute()
  return rows.map(deliveryOf)
}

/** Number of deliveries that one query reads. */
const ATTEMPTED_PAGE = 200

/**
 * Returns the feed positions after `position` that have had an attempt. Reads up to `most` deliveries, newest first.
 * The reading does not stop at an earlier position, because after a restart a delivery of a later position may be older
 * than a delivery of an earlier position.
 */
export async function attemptedAfter(
  read: Read,
  webhookId: string,
  position: number,
  most: number,
): Promise<ReadonlySet<number>> {
  const attempted = new Set<number>()
  let before: string | undefined
  for (let count = 0; count < most; count += ATTEMPTED_PAGE) {
    let query = read
      .selectFrom('webhook_deliveries')
      .select(['id', 'positions'])
      .where('webhook_id', '=', webhookId)
      .orderBy('id', 'desc')
      .limit(Math.min(ATTEMPTED_PAGE, most - count))
    if (before !== undefined) query = query.where('id', '<', before)
    const rows = await query.execute()
    for (const row of rows)
      for (const one of JSON.parse(row.positions) as number[]) if (one > position) attempted.add(one)
    before = rows.at(-1)?.id
    if (rows.length < ATTEMPTED_PAGE) break
  }
  return attempted
}

/** Stores a test delivery, which does not come from the feed. */
export async function keepDelivery(db: Database, items: readonly Delivery[]): Promise<true[]> {
  await insertRows(db, 'webhook_deliveries', items.map(rowOfDelivery))
  return items.map(() => true)
}
keepDelivery.unaudited = true

export interface DeliveryQuery extends WebhookKey {
  readonly status?: DeliveryStatus | undefined
  /** Message of the first event of a delivery. */
  readonly messageId?: string | undefined
  /** Recipient of the first event of a delivery, case-insensitive. */
  readonly recipient?: string | undefined
  readonly limit: number
  readonly before?: string | undefined
}

/** Number of the newest messages of a recipient whose deliveries are searched. */
const MAX_MESSAGES_OF_RECIPIENT = 200

/** Returns deliveries of a webhook, newest first. */
export async function listDeliveries(read: Read, query: DeliveryQuery): Promise<Delivery[]> {
  let rows = read
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', query.id)
    .where('account_id', '=', query.accountId)
    .where('domain_id', '=', query.domainId)
    .orderBy('id', 'desc')
    .limit(query.limit)
  if (query.status !== undefined) rows = rows.where('status', '=', query.status)
  if (query.messageId !== undefined) rows = rows.where('message_id', '=', query.messageId)
  if (query.recipient !== undefined) {
    const messages = await messagesOfRecipient(read, query, query.recipient)
    if (messages.length === 0) return []
    rows = rows.where('message_id', 'in', messages).where(isOfRecipient(query.recipient))
  }
  if (query.before !== undefined) rows = rows.where('id', '<', query.before)
  return (await rows.execute()).map(deliveryOf)
}

/** Returns the IDs of the newest messages to an address. */
async function messagesOfRecipient(
  read: Read,
  { domainId, accountId }: WebhookKey,
  email: string,
): Promise<string[]> {
  const rows = await read
    .selectFrom('recipients')
    .select('message_id')
    .where('domain_id', '=', domainId)
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('account_id', '=', accountId)
    .orderBy('message_id', 'desc')
    .limit(MAX_MESSAGES_OF_RECIPIENT)
    .execute()
  return rows.map(({ message_id }) => message_id)
}

/** Returns the condition that the first event of a delivery concerns this address. */
const isOfRecipient = (email: string) => sql<boolean>`exists (
  select 1 from events
  where events.message_id = webhook_deliveries.message_id and events.id = webhook_deliveries.event_id
    and lower(events.email) = ${email.toLowerCase()})`

export async function findDelivery(
  read: Read,
  { accountId, domainId, id }: WebhookKey,
  deliveryId: string,
): Promise<Delivery | undefined> {
  const row = await read
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', id)
    .where('id', '=', deliveryId)
    .where('account_id', '=', accountId)
    .where('domain_id', '=', domainId)
    .executeTakeFirst()
  return row && deliveryOf(row)
}

/** Makes deliveries due immediately; the result is false if the delivery does not exist or is a test delivery. */
export async function retryDelivery(
  db: Database,
  items: readonly (WebhookKey & { readonly deliveryId: string; readonly now: number })[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { accountId, domainId, id, deliveryId, now } of items) {
    const due = await db
      .updateTable('webhook_deliveries')
      .set({ status: 'pending', due_at: now })
      .where('webhook_id', '=', id)
      .where('id', '=', deliveryId)
      .where('account_id', '=', accountId)
      .where('domain_id', '=', domainId)
      .where('positions', '!=', '[]')
      .returning('id')
      .execute()
    if (due.length > 0) await keepDue(db, id)
    results.push(due.length > 0)
  }
  return results
}
retryDelivery.auditTarget = ({ deliveryId }: { readonly deliveryId: string }): string => deliveryId

/**
 * Returns the IDs of webhooks that may have old deliveries or are deleted. The pending deliveries of a disabled webhook
 * count as old too, because they are not retried.
 */
export async function webhooksWithOld(read: Read, before: number): Promise<string[]> {
  const rows = await read
    .selectFrom('webhooks')
    .select('id')
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('status', '=', 'deleted'),
        exists(
          selectFrom('webhook_deliveries')
            .select('webhook_deliveries.id')
            .whereRef('webhook_deliveries.webhook_id', '=', 'webhooks.id')
            .where('webhook_deliveries.id', '<', beforeIdsOf('whd', before))
            .where((of) =>
              of.or([of('webhooks.status', '=', 'disabled'), of('webhook_deliveries.due_at', 'is', null)]),
            ),
        ),
      ]),
    )
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Removes up to `limit` of the oldest deliveries that are no longer retried. Removes all deliveries of a deleted
 * webhook, and finally the webhook. Returns false if no delivery was left.
 */
export async function forgetDeliveries(
  db: Database,
  items: readonly { readonly webhookId: string; readonly before: number; readonly limit: number }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { webhookId, before, limit } of items) {
    const webhook = await db
      .selectFrom('webhooks')
      .select('status')
      .where('id', '=', webhookId)
      .executeTakeFirst()
    const deleted = webhook?.status === 'deleted'
    let old = db
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('webhook_id', '=', webhookId)
      .orderBy('id')
      .limit(limit)
    const disabled = webhook?.status === 'disabled'
    if (!deleted) old = old.where('id', '<', beforeIdsOf('whd', before))
    if (!deleted && !disabled) old = old.where('due_at', 'is', null)
    const rows = await old.execute()
    const ids = rows.map(({ id }) => id)
    if (ids.length > 0) {
      await db
        .deleteFrom('webhook_deliveries')
        .where('webhook_id', '=', webhookId)
        .where('id', 'in', ids)
        .execute()
      if (disabled) await keepDue(db, webhookId)
    } else if (deleted) await db.deleteFrom('webhooks').where('id', '=', webhookId).execute()
    results.push(ids.length > 0)
  }
  return results
}
forgetDeliveries.unaudited = true

/**
 * Returns the number of pending deliveries of all enabled webhooks, and the ID of the oldest pending delivery; the ID
 * is undefined if no delivery is pending.
 */
export async function countPending(
  read: Read,
): Promise<{ readonly pending: number; readonly oldestId: string | undefined }> {
  const row = await read
    .selectFrom('webhook_deliveries')
    .select(({ fn }) => [fn.countAll<number>().as('pending'), fn.min('id').as('oldest')])
    .where('due_at', 'is not', null)
    .where('webhook_id', 'in', (eb) =>
      eb.selectFrom('webhooks').select('webhooks.id').where('webhooks.status', '=', 'enabled'),
    )
    .executeTakeFirst()
  return { pending: Number(row?.pending ?? 0), oldestId: row?.oldest ?? undefined }
}
