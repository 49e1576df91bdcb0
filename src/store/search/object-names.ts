// Finds the names of objects by their IDs, so that the audit log can be read without looking up IDs.

import { sql } from 'kysely'
import { operatingAccountId } from '../access/operating-account.ts'
import type { Read } from '../database/dialect.ts'

/** Table of each kind of object by the prefix of its IDs, with the SQL expression for the name of an object. */
const NAMES = {
  blk: ['bulks', 'coalesce(name, subject)'],
  dom: ['domains', 'name'],
  inv: ['invitations', 'email'],
  key: ['keys', 'name'],
  lay: ['layouts', 'name'],
  msg: ['messages', 'subject'],
  pky: ['passkeys', 'name'],
  smtp: ['keys', 'name'],
  tpl: ['templates', 'name'],
  usr: ['users', 'email'],
  ver: ['verifications', 'name'],
  whk: ['webhooks', "coalesce(nullif(name, ''), url)"],
} as const

/**
 * Returns the names of the objects with these IDs by ID, such as the name of a template, the address of a user or the
 * subject of a message. An object of another account, an object that no longer exists, and a text that is no ID have no
 * name. The operating account also sees the names of the accounts that it operates.
 */
export async function findObjectNames(
  read: Read,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const byKind = Map.groupBy(new Set(ids), (id) => /^([a-z]{3,4})_[0-9A-Z]{26}$/.exec(id)?.[1] ?? '')
  const found = await Promise.all(
    [...byKind].map(async ([kind, ofKind]) => {
      if (kind === 'acc') return accountNames(read, accountId, ofKind)
      if (!(kind in NAMES)) return []
      const [table, name] = NAMES[kind as keyof typeof NAMES]
      const { rows } = await sql<Named>`
        select id, ${sql.raw(name)} as name from ${sql.table(table)}
        where account_id = ${accountId} and id in (${sql.join(ofKind)})`.execute(read)
      return rows
    }),
  )
  return new Map(found.flat().flatMap(({ id, name }) => (name === null || name === '' ? [] : [[id, name]])))
}

interface Named {
  readonly id: string
  readonly name: string | null
}

async function accountNames(read: Read, accountId: string, ids: readonly string[]): Promise<Named[]> {
  const seen = (await operatingAccountId(read)) === accountId ? ids : ids.filter((id) => id === accountId)
  if (seen.length === 0) return []
  return read.selectFrom('accounts').select(['id', 'name']).where('id', 'in', seen).execute()
}
