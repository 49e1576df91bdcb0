// Webhooks of a domain or of an account: creates, changes, deletes and finds webhooks.

import { sql } from 'kysely'
import { type Database, isPostgres, type Read } from '../database/dialect.ts'
import { insertRows, laterThan } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { isWholeAccount, type Owner, wholeAccount } from '../messages/owner.ts'
import { lockWorkspace } from '../workspace/workspace-lock.ts'

export type Webhook = Tables['webhooks']

/** Owner and ID of a webhook. */
export interface WebhookKey extends Owner {
  readonly id: string
}

/** Adds webhooks; the result is false if the domain or the account already has the maximum number of webhooks. */
export async function createWebhook(
  db: Database,
  items: readonly { readonly webhook: Webhook; readonly most: number }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { webhook, most } of items) {
    const owner = { accountId: webhook.account_id, domainId: webhook.domain_id }
    if (isWholeAccount(owner)) await lockAccount(db, owner.accountId)
    else await lockWorkspace(db, owner.domainId)
    const all = await listWebhooks(db as Read, owner)
    if (all.length < most) await insertRows(db, 'webhooks', [webhook])
    results.push(all.length < most)
  }
  return results
}
createWebhook.auditTarget = ({ webhook }: { readonly webhook: { readonly id: string } }): string => webhook.id

/** Time of the last change of a webhook, which is later with every change. */
export const UPDATED_AT = sql<number>`updated_at`

/** Locks an account until the transaction ends, so that it gets no further webhook meanwhile. */
async function lockAccount(db: Database, id: string): Promise<void> {
  if (!isPostgres(db)) return
  await db.selectFrom('accounts').select('id').where('id', '=', id).forUpdate().execute()
}

/** Change of a webhook, given by the columns to change. */
export interface ChangeWebhook extends WebhookKey {
  readonly changes: Partial<
    Pick<
      Webhook,
      | 'feed_id'
      | 'name'
      | 'url'
      | 'format'
      | 'event_types'
      | 'test_events'
      | 'streams'
      | 'tags'
      | 'batch'
      | 'secrets'
      | 'status'
      | 'disabled_reason'
      | 'disabled_at'
      | 'position'
      | 'replay_position'
      | 'replay_until'
      | 'replay_before'
      | 'failures'
      | 'failing_since'
      | 'resume_at'
    >
  >
  /** Secrets from which the new secrets were derived; the change fails if the stored secrets differ. */
  readonly secretsBefore?: Webhook['secrets'] | undefined
  /** `updated_at` of the only version to change; any version if undefined. */
  readonly seen?: number | undefined
  readonly now: number
}

/**
 * Changes webhooks; returns each changed webhook, or undefined if the webhook does not exist, has other secrets than
 * `secretsBefore`, or has another version than `seen`. A change ends the lease, so that delivery restarts with the
 * changed webhook.
 */
export async function changeWebhook(
  db: Database,
  items: readonly ChangeWebhook[],
): Promise<(Webhook | undefined)[]> {
  const results: (Webhook | undefined)[] = []
  for (const { accountId, domainId, id, changes, secretsBefore, seen, now } of items) {
    const changed = await db
      .updateTable('webhooks')
      .set({ ...changes, updated_at: laterThan(UPDATED_AT, now), lease: null, lease_until: null })
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('domain_id', '=', domainId)
      .where('status', '!=', 'deleted')
      .$if(secretsBefore !== undefined, (query) =>
        query.where('secrets', '=', secretsBefore as Webhook['secrets']),
      )
      .$if(seen !== undefined, (query) => query.where('updated_at', '=', seen as number))
      .returningAll()
      .executeTakeFirst()
    results.push(changed)
  }
  return results
}
changeWebhook.auditTarget = ({ id }: { readonly id: string }): string => id

/**
 * Deletes webhooks with their secrets; a later step removes the deliveries. The result is false if the webhook does not
 * exist, or has another version than `seen`.
 */
export async function deleteWebhook(
  db: Database,
  items: readonly (WebhookKey & Pick<ChangeWebhook, 'seen' | 'now'>)[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { accountId, domainId, id, seen, now } of items) {
    const deleted = await db
      .updateTable('webhooks')
      .set(deletedAt(now))
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('domain_id', '=', domainId)
      .where('status', '!=', 'deleted')
      .$if(seen !== undefined, (query) => query.where('updated_at', '=', seen as number))
      .returning('id')
      .execute()
    results.push(deleted.length > 0)
  }
  return results
}
deleteWebhook.auditTarget = ({ id }: { readonly id: string }): string => id

/** Returns the column values of a deleted webhook. */
const deletedAt = (now: number) =>
  ({
    status: 'deleted',
    secrets: '' as Webhook['secrets'],
    url: '',
    lease: null,
    lease_until: null,
    updated_at: now,
  }) as const

/** Deletes all webhooks of a deleted domain or account. */
export const deleteWebhooksOf = (db: Database, domainId: string, now: number): Promise<unknown> =>
  db.updateTable('webhooks').set(deletedAt(now)).where('domain_id', '=', domainId).execute()

/** Returns all webhooks of a domain or of an account, newest first. */
export const listWebhooks = (read: Read, { accountId, domainId }: Owner): Promise<Webhook[]> =>
  read
    .selectFrom('webhooks')
    .selectAll()
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .where('status', '!=', 'deleted')
    .orderBy('id', 'desc')
    .execute()

export const findWebhook = (
  read: Read,
  { accountId, domainId, id }: WebhookKey,
): Promise<Webhook | undefined> =>
  read
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('domain_id', '=', domainId)
    .where('status', '!=', 'deleted')
    .executeTakeFirst()

/** A webhook that was disabled because its receiver rejected requests or did not respond. */
export type DisabledWebhook = Pick<
  Webhook,
  'id' | 'account_id' | 'domain_id' | 'name' | 'url' | 'disabled_reason'
>

/** Returns the webhooks of an account that were disabled because the receivers rejected requests or did not respond. */
export const listDisabledWebhooks = (read: Read, accountId: string): Promise<DisabledWebhook[]> =>
  read
    .selectFrom('webhooks')
    .select(['id', 'account_id', 'domain_id', 'name', 'url', 'disabled_reason'])
    .where((eb) =>
      eb.or([
        eb('domain_id', '=', wholeAccount(accountId).domainId),
        eb(
          'domain_id',
          'in',
          eb
            .selectFrom('domains')
            .select('domains.id')
            .where('domains.account_id', '=', accountId)
            .where('domains.deleted_at', 'is', null),
        ),
      ]),
    )
    .where('status', '=', 'disabled')
    .where('disabled_reason', 'in', ['gone', 'failing'])
    .execute()
