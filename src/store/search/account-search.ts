// Finds messages by ID, Message-ID or subject, addresses and tags by prefix, and templates by name or alias, in all
// domains of an account.

import { type RawBuilder, sql } from 'kysely'
import { inAnyCase } from '../../model/address.ts'
import { subjectWords } from '../../model/subject-words.ts'
import type { Read } from '../database/dialect.ts'
import { waitsAs } from '../messages/message-status.ts'
import { messageIdWord, tagWord } from '../readers/message-words.ts'
import { type ListedMessage, listMessages, withRecipients } from './message-search.ts'

/** Maximum number of domains whose subjects are searched; domains with the newest messages come first. The templates of as many domains are searched. */
const MAX_DOMAINS = 20
/**
 * Time in milliseconds after which no further domain is searched; the search of one domain takes at most as long as a
 * list of messages.
 */
const SEARCH_MS = 30

/** An account, and the domains of the account to search. */
export interface SearchedAccount {
  readonly accountId: string
  readonly domainIds: readonly string[]
}

const inDomains = (column: RawBuilder<unknown>, { domainIds }: SearchedAccount): RawBuilder<boolean> =>
  sql`${column} in (${sql.join(domainIds)})`

/** Returns the messages with these IDs, newest first. */
export async function findMessagesById(
  read: Read,
  account: SearchedAccount,
  ids: readonly string[],
): Promise<ListedMessage[]> {
  if (ids.length === 0 || account.domainIds.length === 0) return []
  const messages = await read
    .selectFrom('messages')
    .selectAll()
    .where('account_id', '=', account.accountId)
    .where('domain_id', 'in', account.domainIds)
    .where('id', 'in', ids)
    .orderBy('id', 'desc')
    .execute()
  return withRecipients(read, account, messages)
}

/** Returns the messages that a client submitted with this Message-ID; the Message-ID has no angle brackets. */
export async function findByMessageIdHeader(
  read: Read,
  account: SearchedAccount,
  messageId: string,
  limit: number,
): Promise<ListedMessage[]> {
  if (account.domainIds.length === 0) return []
  const { rows } = await sql<{ message_id: string }>`
    select message_id from message_words
    where ${inDomains(sql`domain_id`, account)} and word = ${messageIdWord(messageId)}
    order by message_id desc limit ${limit}`.execute(read)
  return findMessagesById(
    read,
    account,
    rows.map(({ message_id }) => message_id),
  )
}

/** Returns a list with the inbound message that has this ID, or an empty list. */
export const findInboundById = (read: Read, { accountId, domainIds }: SearchedAccount, id: string) =>
  domainIds.length === 0
    ? Promise.resolve([])
    : read
        .selectFrom('inbound_messages')
        .select(['id', 'domain_id', 'from_email', 'subject', 'received_at'])
        .where('account_id', '=', accountId)
        .where('domain_id', 'in', domainIds)
        .where('id', '=', id)
        .execute()

/** A template or layout that a search has found. */
export interface FoundTemplate {
  readonly kind: 'template' | 'layout'
  readonly id: string
  readonly domain_id: string
  readonly name: string
  readonly alias: string | null
}

/**
 * Returns the newest templates and layouts whose name or alias contains this text. Only letters of ASCII match in any
 * case on SQLite. An account with many domains is searched in twenty of them.
 */
export async function findTemplates(
  read: Read,
  { accountId, domainIds }: SearchedAccount,
  text: string,
  limit: number,
): Promise<FoundTemplate[]> {
  if (domainIds.length === 0) return []
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  const among = (table: 'templates' | 'layouts') =>
    read
      .selectFrom(table)
      .select(['id', 'domain_id', 'name', 'alias'])
      .where('account_id', '=', accountId)
      .where('domain_id', 'in', domainIds.slice(0, MAX_DOMAINS))
      .where(
        sql<boolean>`(lower(name) like ${pattern} escape '\\' or lower(alias) like ${pattern} escape '\\')`,
      )
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
  const [templates, layouts] = await Promise.all([among('templates'), among('layouts')])
  return [
    ...templates.map((one) => ({ kind: 'template' as const, ...one })),
    ...layouts.map((one) => ({ kind: 'layout' as const, ...one })),
  ].slice(0, limit)
}

/**
 * Returns the newest messages whose subjects contain these words; a word also matches the beginning of a longer word.
 */
export async function findBySubject(
  read: Read,
  account: SearchedAccount,
  subject: string,
  limit: number,
): Promise<ListedMessage[]> {
  const words = subjectWords(subject)
  if (words.length === 0 || account.domainIds.length === 0) return []
  const found: ListedMessage[] = []
  const domainIds = await domainsWith(read, account, words)
  const startedAt = performance.now()
  for (const domainId of domainIds) {
    const owner = { accountId: account.accountId, domainId }
    found.push(...(await listMessages(read, owner, { subject }, limit, undefined)).messages)
    if (performance.now() - startedAt > SEARCH_MS) break
  }
  return found.sort((a, b) => (a.message.id < b.message.id ? 1 : -1)).slice(0, limit)
}

/** Returns the domains in which each of these words is the prefix of a stored word; the latest sender comes first. */
async function domainsWith(
  read: Read,
  account: SearchedAccount,
  words: readonly string[],
): Promise<string[]> {
  // A single domain needs no lookup, and messages whose words are not stored yet are then found too.
  if (account.domainIds.length === 1) return [...account.domainIds]
  const has = words.map(
    (word) => sql`exists (
      select 1 from message_words w where w.domain_id = d.id and w.word >= ${word} and w.word < ${endOf(word)})`,
  )
  const { rows } = await sql<{ id: string }>`
    select d.id from domains d where ${inDomains(sql`d.id`, account)} and ${sql.join(has, sql` and `)}
    order by (select max(m.id) from messages m where m.domain_id = d.id) desc limit ${MAX_DOMAINS}`.execute(
    read,
  )
  return rows.map(({ id }) => id)
}

/** Returns recipient addresses with a prefix, case-insensitive and sorted. */
export function findAddresses(
  read: Read,
  account: SearchedAccount,
  text: string,
  limit: number,
): Promise<string[]> {
  const folded = inAnyCase(text)
  const next = (above: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
    select lower(r.email) from recipients r where r.domain_id = d.id and ${above}
      and lower(r.email) < ${endOf(folded)} order by lower(r.email) limit 1)`
  return inTurn(read, account, limit, (last) =>
    next(last === undefined ? sql`lower(r.email) >= ${folded}` : sql`lower(r.email) > ${last}`),
  )
}

/** Returns tags with a prefix, sorted. */
export async function findTags(
  read: Read,
  account: SearchedAccount,
  text: string,
  limit: number,
): Promise<string[]> {
  const word = tagWord(text)
  const next = (above: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
    select w.word from message_words w where w.domain_id = d.id and ${above}
      and w.word < ${endOf(word)} order by w.word limit 1)`
  const words = await inTurn(read, account, limit, (last) =>
    next(last === undefined ? sql`w.word >= ${word}` : sql`w.word > ${last}`),
  )
  return words.map((found) => found.slice(tagWord('').length))
}

/** Returns the domains that have messages with this tag. */
export async function domainsOfTag(read: Read, account: SearchedAccount, tag: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select d.id from domains d where ${inDomains(sql`d.id`, account)} and exists (
      select 1 from message_words w where w.domain_id = d.id and w.word = ${tagWord(tag)})`.execute(read)
  return rows.map(({ id }) => id)
}

/**
 * Returns the first distinct values of an index across domains, sorted. Each step looks up one value in every domain,
 * regardless of the number of rows with this value.
 */
async function inTurn(
  read: Read,
  account: SearchedAccount,
  limit: number,
  next: (last: string | undefined) => RawBuilder<unknown>,
): Promise<string[]> {
  const found: string[] = []
  if (account.domainIds.length === 0) return found
  for (let last: string | undefined; found.length < limit; ) {
    const { rows } = await sql<{ value: string | null }>`
      select min(value) as value from (
        select ${next(last)} as value from domains d where ${inDomains(sql`d.id`, account)}) as firsts`.execute(
      read,
    )
    const value = rows[0]?.value
    if (value === undefined || value === null) break
    found.push(value)
    last = value
  }
  return found
}

/** Returns the domains with deferred messages or messages in an attempt; the latest sender comes first. */
export async function domainsInDelivery(read: Read, account: SearchedAccount): Promise<string[]> {
  if (account.domainIds.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    select d.id from domains d where ${inDomains(sql`d.id`, account)} and (
      exists (select 1 from queue q where q.domain_id = d.id and ${waitsAs('q', 'deferred')})
      or d.id in (select domain_id from queue where lease_until is not null))
    order by (select max(m.id) from messages m where m.domain_id = d.id) desc limit ${MAX_DOMAINS}`.execute(
    read,
  )
  return rows.map(({ id }) => id)
}

/** Returns the exclusive upper bound of the texts with the prefix `text`. */
const endOf = (text: string): string => `${text}\u{10ffff}`
