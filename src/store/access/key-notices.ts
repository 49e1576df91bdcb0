// Notices about keys for the owners of an account: each notice is noted once, in the commit of its cause, and stays
// pending until its mail is sent.

import { sql } from 'kysely'
import { dayOf } from '../../lib/rfc3339.ts'
import { EXPIRING_DAYS } from '../../model/account-event.ts'
import { DAY_MS, type KeyNoticeKind, MAX_USED_NETWORKS, UNUSED_DAYS } from '../../model/key-notice.ts'
import { type Database, isPostgres, type Read } from '../database/dialect.ts'
import { deleteRows, insertRows, updateRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { keepKeyEvents, SHOWN_OF_KEY, type ShownKey } from '../events/key-events.ts'

/** A notice with the key that it is about. */
export interface KeyNotice extends Omit<Tables['key_notices'], 'detail'> {
  readonly detail: Readonly<Record<string, unknown>>
  readonly key: Pick<Tables['keys'], 'kind' | 'name' | 'last4'>
}

interface NewNotice {
  readonly kind: KeyNoticeKind
  /** Occasion of the notice, such as a day; a further notice of the same kind has another occasion. */
  readonly occasion: string
  readonly at: number
  readonly detail?: object
}

/** Notes a notice about a key; returns false if the notice was noted before. */
export async function noteKey(
  db: Database,
  { id, account_id }: Pick<ShownKey, 'id' | 'account_id'>,
  { kind, occasion, at, detail = {} }: NewNotice,
): Promise<boolean> {
  const notice = occasion === '' ? kind : `${kind} ${occasion}`
  const row = { key_id: id, notice, account_id, kind, at, detail: JSON.stringify(detail), told_at: null }
  const noted = await insertRows(db, 'key_notices', [row], 'on conflict (key_id, notice) do nothing', [
    'key_id',
  ])
  return noted.length > 0
}

/** Use of a key from a network that this node has not written yet, such as `192.0.2.0/24`. */
export interface UsedNetwork {
  readonly accountId: string
  readonly id: string
  readonly network: string
  readonly now: number
}

/**
 * Adds networks to the networks of their keys, and notes a network that a key was not used from before, once a day for
 * each key. The first network of a key is no news, and neither is a network of a key with many networks.
 */
export async function noteUsedNetwork(db: Database, items: readonly UsedNetwork[]): Promise<true[]> {
  for (const { accountId, id, network, now } of items) {
    const query = db
      .selectFrom('keys')
      .select(['id', 'account_id', 'used_networks'])
      .where('account_id', '=', accountId)
      .where('id', '=', id)
    const key = await (isPostgres(db) ? query.forUpdate() : query).executeTakeFirst()
    if (key === undefined) continue
    const known: readonly string[] = JSON.parse(key.used_networks)
    if (known.includes(network) || known.length >= MAX_USED_NETWORKS) continue
    const used_networks = JSON.stringify([...known, network])
    await updateRows(db, 'keys', ['id', 'account_id'], [{ id, account_id: accountId, used_networks }])
    if (known.length === 0) continue
    await noteKey(db, key, { kind: 'new_network', occasion: dayOf(now), at: now, detail: { network } })
  }
  return items.map(() => true)
}
noteUsedNetwork.unaudited = true

/** Use of a key from an address outside of the networks of the key. */
export interface RefusedNetwork {
  readonly accountId: string
  readonly id: string
  readonly address: string
  readonly now: number
}

/** Notes refused uses of keys, with an event of the account, once a day for each key. */
export async function noteRefusedNetwork(db: Database, items: readonly RefusedNetwork[]): Promise<true[]> {
  for (const { accountId, id, address, now } of items) {
    const key = await db
      .selectFrom('keys')
      .select(SHOWN_OF_KEY)
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst()
    if (key === undefined) continue
    const notice = { kind: 'refused_network', occasion: dayOf(now), at: now, detail: { address } } as const
    if (await noteKey(db, key, notice))
      await keepKeyEvents(db, [key], 'key.refused_network', now, { address })
  }
  return items.map(() => true)
}
noteRefusedNetwork.unaudited = true

/** A key that ends soon or was not used for a long time, without a notice about the occasion. */
export interface DueKey {
  readonly id: string
  readonly accountId: string
  readonly kind: 'expiring' | 'unused'
  readonly occasion: string
}

/** Returns up to `limit` keys that end soon, and as many keys that were not used for a long time. */
export async function keysDue(read: Read, now: number, limit: number): Promise<DueKey[]> {
  const steps = EXPIRING_DAYS.toSorted((one, other) => one - other)
  const due: DueKey[] = []
  for (const [index, days] of steps.entries()) {
    const from = now + (steps[index - 1] ?? 0) * DAY_MS
    const rows = await withoutNotice(
      read,
      sql`'expiring ' || ${String(days)} || ' ' || keys.expires_at`,
      limit,
    )
      .where('keys.expires_at', '>', from)
      .where('keys.expires_at', '<=', now + days * DAY_MS)
      // The end of a key that is shorter than the period was known when the key was created.
      .where(sql<boolean>`keys.expires_at - keys.created_at > ${days * DAY_MS}`)
      .execute()
    due.push(...rows.map((row) => dueKey(row, 'expiring', `${days} ${row.expires_at}`)))
  }
  const lastUse = sql<number>`coalesce(keys.last_used_at, keys.created_at)`
  const unused = await withoutNotice(read, sql`'unused ' || ${lastUse}`, limit)
    .where(lastUse, '<=', now - UNUSED_DAYS * DAY_MS)
    .where((eb) => eb.or([eb('keys.expires_at', 'is', null), eb('keys.expires_at', '>', now)]))
    .execute()
  due.push(...unused.map((row) => dueKey(row, 'unused', String(row.last_used_at ?? row.created_at))))
  return due
}

const dueKey = (
  { id, account_id }: Pick<Tables['keys'], 'id' | 'account_id'>,
  kind: DueKey['kind'],
  occasion: string,
): DueKey => ({ id, accountId: account_id, kind, occasion })

/** Selects valid keys of active accounts that have no notice with this name. */
const withoutNotice = (read: Read, notice: ReturnType<typeof sql>, limit: number) =>
  read
    .selectFrom('keys')
    .innerJoin('accounts', 'accounts.id', 'keys.account_id')
    .select(['keys.id', 'keys.account_id', 'keys.expires_at', 'keys.last_used_at', 'keys.created_at'])
    .where('keys.revoked_at', 'is', null)
    .where('accounts.deleted_at', 'is', null)
    .where(sql<boolean>`not exists (select 1 from key_notices where key_id = keys.id and notice = ${notice})`)
    .limit(limit)

/** Notes keys that end soon, with an event of the account, and keys that were not used for a long time. */
export async function noteDueKey(
  db: Database,
  items: readonly (DueKey & { readonly now: number })[],
): Promise<true[]> {
  for (const { accountId, id, kind, occasion, now } of items) {
    const key = await db
      .selectFrom('keys')
      .select([...SHOWN_OF_KEY, 'expires_at', 'last_used_at', 'created_at'])
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    if (key === undefined) continue
    const isExpiring = kind === 'expiring'
    const [detail, isStill] = isExpiring
      ? [expiryOf(key, now), occasion.endsWith(` ${key.expires_at}`)]
      : [
          { last_used_at: timeOrNull(key.last_used_at) },
          occasion === String(key.last_used_at ?? key.created_at),
        ]
    // The key may have been used, or got another end, since it was found.
    if (!isStill || !(await noteKey(db, key, { kind, occasion, at: now, detail }))) continue
    if (isExpiring) await keepKeyEvents(db, [key], 'key.expiring', now, detail)
  }
  return items.map(() => true)
}
noteDueKey.unaudited = true

const expiryOf = ({ expires_at }: Pick<Tables['keys'], 'expires_at'>, now: number) => ({
  expires_at: timeOrNull(expires_at),
  days_left: Math.ceil((Number(expires_at) - now) / DAY_MS),
})

const timeOrNull = (at: number | null): string | null =>
  at === null ? null : new Date(Number(at)).toISOString()

/** Returns up to `limit` notices whose mail is not sent, oldest first. */
export async function pendingKeyNotices(read: Read, limit: number): Promise<KeyNotice[]> {
  const rows = await read
    .selectFrom('key_notices')
    .innerJoin('keys', 'keys.id', 'key_notices.key_id')
    .selectAll('key_notices')
    .select(['keys.kind as key_kind', 'keys.name', 'keys.last4'])
    .where('key_notices.told_at', 'is', null)
    .orderBy('key_notices.at')
    .orderBy('key_notices.key_id')
    .limit(limit)
    .execute()
  return rows.map(({ key_kind: kind, name, last4, detail, ...row }) => ({
    ...{ ...row, at: Number(row.at) },
    detail: JSON.parse(detail),
    key: { kind, name, last4 },
  }))
}

/** Records that the mail of notices is sent, or will not be sent. */
export async function recordKeyNotice(
  db: Database,
  items: readonly { readonly keyId: string; readonly notice: string; readonly now: number }[],
): Promise<true[]> {
  const rows = items.map(({ keyId: key_id, notice, now: told_at }) => ({ key_id, notice, told_at }))
  await updateRows(db, 'key_notices', ['key_id', 'notice'], rows)
  return items.map(() => true)
}
recordKeyNotice.unaudited = true

/**
 * Removes the daily notices that were sent before a given time, and all notices of revoked keys; the other notices stay,
 * so that they are not repeated. Returns the number of removed notices.
 */
export async function forgetKeyNotices(
  db: Database,
  items: readonly { readonly before: number; readonly limit: number }[],
): Promise<number[]> {
  const results: number[] = []
  for (const { before, limit } of items) {
    const old = await db
      .selectFrom('key_notices')
      .innerJoin('keys', 'keys.id', 'key_notices.key_id')
      .select(['key_notices.key_id', 'key_notices.notice'])
      .where('key_notices.told_at', '<', before)
      .where((eb) =>
        eb.or([
          eb('key_notices.kind', 'in', ['new_network', 'refused_network']),
          eb('keys.revoked_at', '<', before),
        ]),
      )
      .limit(limit)
      .execute()
    await deleteRows(db, 'key_notices', ['key_id', 'notice'], old)
    results.push(old.length)
  }
  return results
}
forgetKeyNotices.unaudited = true
