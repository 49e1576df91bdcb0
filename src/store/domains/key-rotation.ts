// Steps of the rotation of DKIM keys, by hand or by the calendar, and the notices about rotations by the calendar.

import {
  type DkimNotice,
  KEY_KEPT_MS,
  type RecordPurpose,
  rotationAt,
  switchesAt,
} from '../../model/domain.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import { keepObjectEvents } from '../events/object-events.ts'
import { type DkimKey, type Domain, type DomainRecord, keepDomainEvent, lockDomain } from './domain-rows.ts'

/**
 * Minimum time between the switch to new keys and the retirement of the old keys: nodes cache signing keys for a
 * minute, and the other nine minutes are a margin.
 */
const SWITCHED_MS = 10 * 60_000

/**
 * Result of a rotation step. `order` means that this step is not the next step of the rotation, `early` that old keys
 * may still sign, and `gone` that the domain does not exist.
 */
export type RotationStep = 'done' | 'order' | 'early' | 'gone'

/** A step of a rotation. */
interface Step {
  readonly domain: Pick<Domain, 'id' | 'account_id'>
  /** True for a step by the calendar, which is made only if the domain has an interval and the step is due. */
  readonly isScheduled: boolean
  readonly now: number
}

/** Adds new keys, which are published in addition to the signing keys, unless a rotation is in progress. */
export async function addNextKeys(
  db: Database,
  items: readonly (Step & {
    readonly keys: readonly DkimKey[]
    readonly records: readonly DomainRecord[]
  })[],
): Promise<RotationStep[]> {
  return carryOut(db, items, async ({ keys, records, now, isScheduled }, { domain, states }) => {
    if (states.has('next') || states.has('retiring')) return 'order'
    if (isScheduled && (domain.rotate_at === null || domain.rotate_at > now)) return 'early'
    await insertRows(db, 'dkim_keys', keys)
    await insertRows(db, 'domain_records', records)
    if (isScheduled) await noteKeys(db, domain.id, 'next', { notice: 'due', notice_at: now })
    await keepDomainEvent(db, domain, 'dkim_rotated', now, { selectors: keys.map((key) => key.selector) })
    await keepKeyEvent(db, domain, 'key_due', now, {
      records: records.map(({ type, name, value }) => ({ type, name, value })),
      scheduled: isScheduled,
    })
    return 'done'
  })
}
addNextKeys.auditTarget = ({ domain }: Step): string => domain.id

/** Removes new keys that have never signed, and the DNS records for these keys; the next keys are due an interval later. */
export async function discardNextKeys(
  db: Database,
  items: readonly Omit<Step, 'isScheduled'>[],
): Promise<RotationStep[]> {
  return carryOut(db, items, async ({ now }, { domain, states }) => {
    if (!states.has('next')) return 'order'
    await forget(db, domain.id, 'next', ['dkim_rsa_next', 'dkim_ed25519_next'])
    await postpone(db, domain, now)
    await keepDomainEvent(db, domain, 'dkim_discarded', now)
    return 'done'
  })
}
discardNextKeys.auditTarget = ({ domain }: Pick<Step, 'domain'>): string => domain.id

/**
 * Starts signing with the new keys; the old keys stay published. A scheduled switch is `early` until the records of the
 * new keys have been found for a day.
 */
export async function switchKeys(db: Database, items: readonly Step[]): Promise<RotationStep[]> {
  return carryOut(db, items, async ({ now, isScheduled }, { domain, states }) => {
    if (!states.has('next')) return 'order'
    if (isScheduled && !(await maySwitch(db, domain, now))) return 'early'
    await setState(db, domain.id, 'signing', 'retiring')
    await setState(db, domain.id, 'next', 'signing')
    for (const kind of ['dkim_rsa', 'dkim_ed25519'] as const) {
      await renameRecord(db, domain.id, kind, `${kind}_old`, 0)
      await renameRecord(db, domain.id, `${kind}_next`, kind, kind === 'dkim_rsa' ? 1 : 0)
    }
    await postpone(db, domain, now)
    // A notice that the keys wait for their records is out of date.
    await noteKeys(
      db,
      domain.id,
      'signing',
      isScheduled ? { notice: 'switched', notice_at: now } : { notice: null, notice_at: null },
    )
    await keepDomainEvent(db, domain, 'dkim_switched', now)
    await keepKeyEvent(db, domain, 'key_switched', now, { scheduled: isScheduled })
    return 'done'
  })
}
switchKeys.auditTarget = ({ domain }: Step): string => domain.id

/** Removes the old keys and the DNS records for these keys. */
export async function retireKeys(db: Database, items: readonly Step[]): Promise<RotationStep[]> {
  return carryOut(db, items, async ({ now, isScheduled }, { domain, states }) => {
    if (!states.has('retiring')) return 'order'
    if (isScheduled && domain.rotate_at === null) return 'early'
    if (await wasSwitchedAfter(db, domain.id, now - (isScheduled ? KEY_KEPT_MS : SWITCHED_MS))) return 'early'
    await forget(db, domain.id, 'retiring', ['dkim_rsa_old', 'dkim_ed25519_old'])
    await keepDomainEvent(db, domain, 'dkim_retired', now)
    return 'done'
  })
}
retireKeys.auditTarget = ({ domain }: Step): string => domain.id

/** True if the records of the new keys of a domain with an interval have been found for a day. */
async function maySwitch(db: Database, { id, rotate_at: due }: Domain, now: number): Promise<boolean> {
  if (due === null) return false
  const records = await db
    .selectFrom('domain_records')
    .select(['purpose', 'status', 'found_since'])
    .where('domain_id', '=', id)
    .execute()
  const at = switchesAt(records)
  return at !== null && at <= now
}

/** Counts the interval of a domain from `now` on. */
async function postpone(db: Database, { id, rotate_every_days: days }: Domain, now: number): Promise<void> {
  if (days === null) return
  await db
    .updateTable('domains')
    .set({ rotate_at: rotationAt(days, now) })
    .where('id', '=', id)
    .execute()
}

/** Notes a notice to the owners about the new keys of a domain, at the RSA key. */
const noteKeys = (
  db: Database,
  domainId: string,
  state: 'next' | 'signing',
  notice: Pick<DkimKey, 'notice' | 'notice_at'>,
): Promise<unknown> =>
  db
    .updateTable('dkim_keys')
    .set(notice)
    .where('domain_id', '=', domainId)
    .where('state', '=', state)
    .where('algorithm', '=', 'rsa-sha256')
    .execute()

/** Writes an event about the new keys to the feed of the domain; its object is the RSA key. */
async function keepKeyEvent(
  db: Database,
  { id: domainId, account_id: accountId }: Domain,
  type: 'key_due' | 'key_switched',
  at: number,
  detail: object,
): Promise<void> {
  const keys = await db
    .selectFrom('dkim_keys')
    .select(['id', 'selector', 'algorithm'])
    .where('domain_id', '=', domainId)
    .where('state', '=', type === 'key_due' ? 'next' : 'signing')
    .execute()
  const selectorOf = (algorithm: DkimKey['algorithm']): string | null =>
    keys.find((key) => key.algorithm === algorithm)?.selector ?? null
  const objectId = keys.find((key) => key.algorithm === 'rsa-sha256')?.id ?? domainId
  await keepObjectEvents(db, [
    {
      ...{ accountId, domainId, type, at, objectId },
      detail: {
        selectors: { rsa: selectorOf('rsa-sha256'), ed25519: selectorOf('ed25519-sha256') },
        ...detail,
      },
    },
  ])
}

/** Removes a domain's keys in the given state, and the domain's records with the given purposes. */
async function forget(
  db: Database,
  domainId: string,
  state: DkimKey['state'],
  purposes: readonly RecordPurpose[],
): Promise<void> {
  await db.deleteFrom('dkim_keys').where('domain_id', '=', domainId).where('state', '=', state).execute()
  await db
    .deleteFrom('domain_records')
    .where('domain_id', '=', domainId)
    .where('purpose', 'in', purposes)
    .execute()
}

async function wasSwitchedAfter(db: Database, domainId: string, time: number): Promise<boolean> {
  const row = await db
    .selectFrom('domain_events')
    .select('id')
    .where('domain_id', '=', domainId)
    .where('type', '=', 'dkim_switched')
    .where('at', '>', time)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** A locked domain, and the states of its keys. */
interface Found {
  readonly domain: Domain
  readonly states: ReadonlySet<DkimKey['state']>
}

/** Runs a rotation step for each domain, which is locked meanwhile. */
async function carryOut<Item extends Pick<Step, 'domain'>>(
  db: Database,
  items: readonly Item[],
  carry: (item: Item, found: Found) => Promise<RotationStep>,
): Promise<RotationStep[]> {
  const results: RotationStep[] = []
  for (const item of items) {
    const domain = await lockDomain(db, item.domain)
    if (domain === undefined) {
      results.push('gone')
      continue
    }
    const rows = await db.selectFrom('dkim_keys').select('state').where('domain_id', '=', domain.id).execute()
    results.push(await carry(item, { domain, states: new Set(rows.map(({ state }) => state)) }))
  }
  return results
}

const setState = async (
  db: Database,
  domainId: string,
  from: DkimKey['state'],
  to: DkimKey['state'],
): Promise<unknown> =>
  db
    .updateTable('dkim_keys')
    .set({ state: to })
    .where('domain_id', '=', domainId)
    .where('state', '=', from)
    .execute()

const renameRecord = async (
  db: Database,
  domainId: string,
  from: RecordPurpose,
  to: RecordPurpose,
  required: number,
): Promise<unknown> =>
  db
    .updateTable('domain_records')
    .set({ purpose: to, required })
    .where('domain_id', '=', domainId)
    .where('purpose', '=', from)
    .execute()

/** Returns verified domains whose next keys are due and that are in no rotation, longest due first. */
export const listDomainsToRotate = (read: Read, now: number, limit: number): Promise<Domain[]> =>
  read
    .selectFrom('domains')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where('status', '=', 'verified')
    .where('rotate_at', '<=', now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('dkim_keys')
            .select('dkim_keys.id')
            .whereRef('dkim_keys.domain_id', '=', 'domains.id')
            .where('dkim_keys.state', '!=', 'signing'),
        ),
      ),
    )
    .orderBy('rotate_at')
    .limit(limit)
    .execute()

/** Returns domains with an interval, and with new keys or with old keys, after `after` in the order of the IDs. */
export const listDomainsInRotation = (
  read: Read,
  state: 'next' | 'retiring',
  after: string,
  limit: number,
): Promise<Domain[]> =>
  read
    .selectFrom('domains')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where('rotate_at', 'is not', null)
    .where('id', '>', after)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('dkim_keys')
          .select('dkim_keys.id')
          .whereRef('dkim_keys.domain_id', '=', 'domains.id')
          .where('dkim_keys.state', '=', state),
      ),
    )
    .orderBy('id')
    .limit(limit)
    .execute()

/** A notice to the owners of an account about the DKIM keys of a domain. */
export interface PendingDkimNotice {
  readonly keyId: string
  readonly notice: DkimNotice
  readonly at: number
  readonly domain: Pick<Domain, 'id' | 'account_id' | 'name'>
}

/** Returns up to `limit` notices whose mail is not sent, oldest first. */
export async function pendingDkimNotices(read: Read, limit: number): Promise<PendingDkimNotice[]> {
  const rows = await read
    .selectFrom('dkim_keys')
    .innerJoin('domains', 'domains.id', 'dkim_keys.domain_id')
    .select(['dkim_keys.id as keyId', 'notice', 'notice_at', 'domains.id', 'domains.account_id', 'name'])
    .where('notice', 'is not', null)
    .where('domains.deleted_at', 'is', null)
    .orderBy('notice_at')
    .limit(limit)
    .execute()
  return rows.map(({ keyId, notice, notice_at: at, ...domain }) => ({
    ...{ keyId, domain, at: Number(at) },
    notice: notice as DkimNotice,
  }))
}

/** Records that the mail of notices is sent, or will not be sent; a newer notice about the key stays. */
export async function recordDkimNotice(
  db: Database,
  items: readonly Pick<PendingDkimNotice, 'keyId' | 'notice'>[],
): Promise<true[]> {
  for (const { keyId, notice } of items) {
    await db
      .updateTable('dkim_keys')
      .set({ notice: null, notice_at: null })
      .where('id', '=', keyId)
      .where('notice', '=', notice)
      .execute()
  }
  return items.map(() => true)
}
recordDkimNotice.unaudited = true
