// DKIM keys of domains, and the steps of their rotation.

import type { RecordPurpose } from '../../model/domain.ts'
import type { Database, Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import { type DkimKey, type Domain, type DomainRecord, keepDomainEvent, lockDomain } from './domain-rows.ts'

/**
 * Returns the keys with which a domain currently signs, newest first within each algorithm. RSA keys are always
 * included, so that every message is signed. Ed25519 keys are included only while their DNS record is found: publishing
 * this record is optional, and a signature that cannot be verified counts against the message.
 */
export const listSigningKeys = (read: Read, domainId: string): Promise<DkimKey[]> =>
  read
    .selectFrom('dkim_keys')
    .selectAll()
    .where('domain_id', '=', domainId)
    .where('state', '=', 'signing')
    .where(({ or, eb, not, exists, selectFrom }) =>
      or([
        eb('algorithm', '=', 'rsa-sha256'),
        not(
          exists(
            selectFrom('domain_records')
              .select('purpose')
              .where('domain_id', '=', domainId)
              .where('purpose', '=', 'dkim_ed25519')
              .where('status', '!=', 'found'),
          ),
        ),
      ]),
    )
    .orderBy('id', 'desc')
    .execute()

/** A selector in use, with its public key; `deleted_at` is the time at which its domain was deleted. */
type UsedSelector = Pick<DkimKey, 'selector' | 'public_key'> & Pick<Domain, 'deleted_at'>

/** Returns the selectors that all accounts with this domain name use, so that two keys never share a DNS record. */
export const listSelectors = (read: Read, domainName: string): Promise<UsedSelector[]> =>
  read
    .selectFrom('dkim_keys')
    .innerJoin('domains', 'domains.id', 'dkim_keys.domain_id')
    .select(['dkim_keys.selector', 'dkim_keys.public_key', 'domains.deleted_at'])
    .where('domains.name', '=', domainName)
    .execute()

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

/** Adds new keys, which are published in addition to the signing keys, unless a rotation is in progress. */
export async function addNextKeys(
  db: Database,
  items: readonly {
    readonly domain: Pick<Domain, 'id' | 'account_id'>
    readonly keys: readonly DkimKey[]
    readonly records: readonly DomainRecord[]
    readonly now: number
  }[],
): Promise<RotationStep[]> {
  const isDue = (states: States): boolean => !states.has('next') && !states.has('retiring')
  return carryOut(db, items, isDue, async ({ domain, keys, records, now }) => {
    await insertRows(db, 'dkim_keys', keys)
    await insertRows(db, 'domain_records', records)
    await keepDomainEvent(db, domain, 'dkim_rotated', now, { selectors: keys.map((key) => key.selector) })
    return 'done'
  })
}
addNextKeys.auditTarget = ({ domain }: { readonly domain: { readonly id: string } }): string => domain.id

/** Removes new keys that have never signed, and the DNS records for these keys. */
export async function discardNextKeys(
  db: Database,
  items: readonly { readonly domain: Pick<Domain, 'id' | 'account_id'>; readonly now: number }[],
): Promise<RotationStep[]> {
  return carryOut(db, items, hasNext, async ({ domain, now }) => {
    await forget(db, domain.id, 'next', ['dkim_rsa_next', 'dkim_ed25519_next'])
    await keepDomainEvent(db, domain, 'dkim_discarded', now)
    return 'done'
  })
}
discardNextKeys.auditTarget = ({ domain }: { readonly domain: { readonly id: string } }): string => domain.id

/** Starts signing with the new keys; the old keys stay published. */
export async function switchKeys(
  db: Database,
  items: readonly { readonly domain: Pick<Domain, 'id' | 'account_id'>; readonly now: number }[],
): Promise<RotationStep[]> {
  return carryOut(db, items, hasNext, async ({ domain, now }) => {
    await setState(db, domain.id, 'signing', 'retiring')
    await setState(db, domain.id, 'next', 'signing')
    for (const kind of ['dkim_rsa', 'dkim_ed25519'] as const) {
      await renameRecord(db, domain.id, kind, `${kind}_old`, 0)
      await renameRecord(db, domain.id, `${kind}_next`, kind, kind === 'dkim_rsa' ? 1 : 0)
    }
    await keepDomainEvent(db, domain, 'dkim_switched', now)
    return 'done'
  })
}
switchKeys.auditTarget = ({ domain }: { readonly domain: { readonly id: string } }): string => domain.id

/** Removes the old keys and the DNS records for these keys. */
export async function retireKeys(
  db: Database,
  items: readonly { readonly domain: Pick<Domain, 'id' | 'account_id'>; readonly now: number }[],
): Promise<RotationStep[]> {
  const isDue = (states: States): boolean => states.has('retiring')
  return carryOut(db, items, isDue, async ({ domain, now }) => {
    if (await wasSwitchedAfter(db, domain.id, now - SWITCHED_MS)) return 'early'
    await forget(db, domain.id, 'retiring', ['dkim_rsa_old', 'dkim_ed25519_old'])
    await keepDomainEvent(db, domain, 'dkim_retired', now)
    return 'done'
  })
}
retireKeys.auditTarget = ({ domain }: { readonly domain: { readonly id: string } }): string => domain.id

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

type States = ReadonlySet<DkimKey['state']>

const hasNext = (states: States): boolean => states.has('next')

/** Runs a rotation step for each domain whose keys are in the states that `isDue` requires. */
async function carryOut<Item extends { readonly domain: Pick<Domain, 'id' | 'account_id'> }>(
  db: Database,
  items: readonly Item[],
  isDue: (states: States) => boolean,
  carry: (item: Item) => Promise<RotationStep>,
): Promise<RotationStep[]> {
  const results: RotationStep[] = []
  for (const item of items) {
    const { domain } = item
    if ((await lockDomain(db, domain)) === undefined) {
      results.push('gone')
      continue
    }
    const rows = await db.selectFrom('dkim_keys').select('state').where('domain_id', '=', domain.id).execute()
    results.push(isDue(new Set(rows.map(({ state }) => state))) ? await carry(item) : 'order')
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

/**
 * Removes the private keys of domains that were deleted before the given time. The caller chooses the time such that
 * all delivery attempts of the deleted domains have ended.
 */
export async function forgetKeysOfDeleted(
  db: Database,
  items: readonly { readonly before: number }[],
): Promise<true[]> {
  for (const { before } of items) {
    await db
      .deleteFrom('dkim_keys')
      .where('domain_id', 'in', (eb) =>
        eb.selectFrom('domains').select('domains.id').where('domains.deleted_at', '<', before),
      )
      .execute()
  }
  return items.map(() => true)
}
