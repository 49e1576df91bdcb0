// Smarthosts of sending domains.

import type { Database, Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import type { SealedText } from '../database/secrets.ts'

/** Sets the relay of a domain, or removes the relay if the URL is null. */
export async function setDomainRelay(
  db: Database,
  items: readonly (Omit<Tables['domain_relays'], 'url'> & { readonly url: SealedText | null })[],
): Promise<true[]> {
  for (const { url, ...domain } of items) {
    await db
      .deleteFrom('domain_relays')
      .where('domain_id', '=', domain.domain_id)
      .where('account_id', '=', domain.account_id)
      .execute()
    if (url !== null) {
      await db
        .insertInto('domain_relays')
        .values({ ...domain, url })
        .execute()
    }
  }
  return items.map(() => true)
}

/** Returns the URL of a domain's relay as sealed text, because the URL contains a secret. */
export async function findDomainRelay(
  read: Read,
  accountId: string,
  domainId: string,
): Promise<SealedText | undefined> {
  const row = await read
    .selectFrom('domain_relays')
    .select('url')
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.url
}
