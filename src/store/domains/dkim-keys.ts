// DKIM keys of domains: the keys that sign, the selectors in use, and the removal of keys of deleted domains.

import type { Database, Read } from '../database/dialect.ts'
import type { DkimKey, Domain } from './domain-rows.ts'

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
