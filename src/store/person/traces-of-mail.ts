// Finds traces of mail to an address for which no message is stored: similar addresses, other domains, and rows that
// name a removed message.

import { sql } from 'kysely'
import { timeOfId } from '../../lib/ids.ts'
import { inAnyCase } from '../../model/address.ts'
import type { Read } from '../database/dialect.ts'
import { findAddresses, type SearchedAccount } from '../search/account-search.ts'

/** Maximum number of domains whose recipients are compared; the latest sender comes first. */
const MAX_DOMAINS = 10
/** Maximum numbers of compared addresses with the same local part, and with the same beginning. */
const MAX_SAME_LOCAL = 10
const MAX_SAME_BEGINNING = 20
/** Minimum length of the beginning of a local part that similar addresses share. */
const MIN_BEGINNING = 2
/** Maximum number of rows that name messages to the address. */
const MAX_NAMING = 20

/**
 * Returns addresses that messages were sent to and that may resemble the given address: addresses with the same local
 * part, with the same beginning, and with one letter less or two letters swapped.
 */
export async function similarAddresses(
  read: Read,
  account: SearchedAccount,
  email: string,
): Promise<readonly string[]> {
  const domainIds = await latestSenders(read, account.domainIds)
  if (domainIds.length === 0) return []
  const some = { ...account, domainIds }
  const at = email.lastIndexOf('@')
  const local = [...email.slice(0, at)]
  const beginning = local.slice(0, Math.max(MIN_BEGINNING, Math.ceil(local.length / 2))).join('')
  const found = await Promise.all([
    findAddresses(read, some, email.slice(0, at + 1), MAX_SAME_LOCAL),
    findAddresses(read, some, beginning, MAX_SAME_BEGINNING),
    addressesAmong(
      read,
      domainIds,
      slipsOf(local).map((one) => inAnyCase(`${one}${email.slice(at)}`)),
    ),
  ])
  return [...new Set(found.flat())].filter((one) => one !== inAnyCase(email))
}

/** Returns the local parts with one letter less, and with two neighbouring letters swapped. */
const slipsOf = (local: readonly string[]): string[] =>
  local.flatMap((letter, index) => {
    const before = local.slice(0, index).join('')
    const next = local[index + 1]
    const after = local.slice(index + 1).join('')
    const swapped =
      next === undefined || next === letter ? [] : [before + next + letter + after.slice(next.length)]
    return [before + after, ...swapped]
  })

/** Returns the domains with the newest messages, at most `MAX_DOMAINS`. */
async function latestSenders(read: Read, domainIds: readonly string[]): Promise<readonly string[]> {
  if (domainIds.length <= MAX_DOMAINS) return domainIds
  const { rows } = await sql<{ id: string; newest: string | null }>`
    select d.id, (select m.id from messages m where m.domain_id = d.id order by m.id desc limit 1) as newest
    from domains d where d.id in (${sql.join(domainIds)})`.execute(read)
  return rows
    .filter(({ newest }) => newest !== null)
    .sort((one, other) => ((one.newest ?? '') < (other.newest ?? '') ? 1 : -1))
    .slice(0, MAX_DOMAINS)
    .map(({ id }) => id)
}

/**
 * Returns the addresses among `emails` that messages of these domains were sent to. The subquery looks up each address
 * by the index; PostgreSQL could turn `exists` into a join that reads all recipients. A cast of the addresses would
 * keep SQLite from using the index.
 */
async function addressesAmong(
  read: Read,
  domainIds: readonly string[],
  emails: readonly string[],
): Promise<string[]> {
  if (emails.length === 0) return []
  const { rows } = await sql<{ email: string }>`
    select wanted.column1 as email from (values ${sql.join(emails.map((one) => sql`(${one})`))}) as wanted
    where (select 1 from recipients r
      where r.domain_id in (${sql.join(domainIds)}) and lower(r.email) = wanted.column1 limit 1) is not null`.execute(
    read,
  )
  return rows.map(({ email }) => email)
}

/** Returns a domain among these domains with a message to the address; undefined if there is none. */
export async function domainWithMailTo(
  read: Read,
  domainIds: readonly string[],
  email: string,
): Promise<string | undefined> {
  if (domainIds.length === 0) return undefined
  const { rows } = await sql<{ id: string }>`
    select d.id from domains d where d.id in (${sql.join(domainIds)}) and (
      select 1 from recipients r where r.domain_id = d.id and lower(r.email) = ${inAnyCase(email)} limit 1) is not null
    order by d.id limit 1`.execute(read)
  return rows[0]?.id
}

/** A trace of a message to the address whose record was removed. */
export interface RemovedMessage {
  readonly messageId: string
  readonly createdAt: number
}

/**
 * Returns the newest message to an address whose record was removed, if a suppression or an unsubscribe link still names
 * the message; undefined if there is no such trace.
 */
export async function removedMessageTo(
  read: Read,
  { accountId, domainIds }: SearchedAccount,
  email: string,
): Promise<RemovedMessage | undefined> {
  if (domainIds.length === 0) return undefined
  const [suppressions, links] = await Promise.all([
    read
      .selectFrom('suppressions')
      .select(['domain_id', 'message_id'])
      .where('account_id', '=', accountId)
      .where('email', '=', inAnyCase(email))
      .where('message_id', 'is not', null)
      .where('domain_id', 'in', domainIds)
      .limit(MAX_NAMING)
      .execute(),
    read
      .selectFrom('unsubscribe_links')
      .select(['domain_id', 'message_id'])
      .where(sql<boolean>`lower(email) = ${inAnyCase(email)}`)
      .where('account_id', '=', accountId)
      .where('domain_id', 'in', domainIds)
      .limit(MAX_NAMING)
      .execute(),
  ])
  const named = [...suppressions, ...links].flatMap(({ message_id }) =>
    message_id === null ? [] : [message_id],
  )
  if (named.length === 0) return undefined
  const kept = await read
    .selectFrom('messages')
    .select('id')
    .where('domain_id', 'in', [...new Set([...suppressions, ...links].map(({ domain_id }) => domain_id))])
    .where('id', 'in', named)
    .execute()
  const ids = new Set(kept.map(({ id }) => id))
  const removed = named
    .filter((id) => !ids.has(id))
    .sort()
    .at(-1)
  return removed === undefined ? undefined : { messageId: removed, createdAt: timeOfId(removed) }
}

/**
 * Returns the time before which records of messages were removed because of their age, in milliseconds since the epoch;
 * undefined if no record of these domains was removed.
 */
export async function recordsRemovedBefore(
  read: Read,
  domainIds: readonly string[],
): Promise<number | undefined> {
  const { rows } = await sql<{ message_id: string | null }>`
    select max(message_id) as message_id from retention_marks
    where kind = 'record' and domain_id in (${sql.join(['', ...domainIds])})`.execute(read)
  const id = rows[0]?.message_id
  return id === null || id === undefined ? undefined : timeOfId(id)
}
