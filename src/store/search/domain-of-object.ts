// Finds the domain of an object by the ID of the object, for keys that work on several domains.

import { sql } from 'kysely'
import type { Read } from '../database/dialect.ts'
import type { Owner } from '../messages/owner.ts'

/** Table of the objects of a domain by the prefix of their IDs. */
const TABLES = {
  blk: 'bulks',
  inb: 'inbound_messages',
  lay: 'layouts',
  msg: 'messages',
  rpt: 'reports',
  tpl: 'templates',
  whk: 'webhooks',
} as const

const tableOf = (id: string): string | undefined => {
  const [, prefix = ''] = /^([a-z]{3})_[0-9A-HJKMNP-TV-Z]{26}$/.exec(id) ?? []
  return TABLES[prefix as keyof typeof TABLES]
}

/** True if the ID is of a kind of object whose domain `findDomainOfObject` finds. */
export const tellsDomain = (id: string): boolean => tableOf(id) !== undefined

/** Returns the ID of the domain, among the given domains, that has the object; undefined if none of them has it. */
export async function findDomainOfObject(
  read: Read,
  accountId: string,
  domainIds: readonly string[],
  id: string,
): Promise<string | undefined> {
  const table = tableOf(id)
  if (table === undefined || domainIds.length === 0) return undefined
  const { rows } = await sql<{ domain_id: string }>`
    select domain_id from ${sql.table(table)}
    where domain_id in (${sql.join(domainIds)}) and id = ${id} and account_id = ${accountId}`.execute(read)
  return rows[0]?.domain_id
}

/** True if a message or a bulk of this owner exists and is no test. */
export async function isLive(read: Read, { accountId, domainId }: Owner, id: string): Promise<boolean> {
  const row = await read
    .selectFrom(id.startsWith('blk_') ? 'bulks' : 'messages')
    .select('inbox_id')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('domain_id', '=', domainId)
    .executeTakeFirst()
  return row !== undefined && row.inbox_id === null
}
