// Unsubscribe links in broadcast mail: stores and finds links, unsubscribes recipients and undoes an unsubscription.

import { sql } from 'kysely'
import { inAnyCase } from '../../model/address.ts'
import type { Brand } from '../../model/brand.ts'
import { WHOLE_DOMAIN } from '../../model/suppression.ts'
import type { Database, Read } from '../database/dialect.ts'
import { deleteRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { eventOf, keepEvents } from '../messages/history.ts'
import { suppressForOwner, tellSuppressions } from './suppressions.ts'

export type UnsubscribeLink = Tables['unsubscribe_links']

/** SQL expression for the address of a link in the spelling of suppressions (`suppressionRow`). */
const LISTED = sql<string>`lower(link.email)`

/** Maximum number of rows in one statement. */
const MAX_ROWS = 500

/** Stores unsubscribe links; an existing link is updated with the newest message that contains the link. */
export async function keepUnsubscribeLinks(db: Database, links: readonly UnsubscribeLink[]): Promise<void> {
  // Each link occurs only once in a statement, and the links are sorted, which prevents deadlocks.
  const newest = new Map(links.map((link) => [link.token, link]))
  const rows = [...newest.values()].sort((one, other) => (one.token < other.token ? -1 : 1))
  for (let start = 0; start < rows.length; start += MAX_ROWS) {
    await db
      .insertInto('unsubscribe_links')
      .values(rows.slice(start, start + MAX_ROWS))
      .onConflict((on) =>
        on.column('token').doUpdateSet((eb) => ({
          message_id: eb.ref('excluded.message_id'),
          position: eb.ref('excluded.position'),
        })),
      )
      .execute()
  }
}

/** Target of an unsubscribe link. */
export interface LinkedStream {
  readonly domainId: string
  readonly domainName: string
  /** Alias of the stream. */
  readonly stream: string
  /** Brand of the stream. */
  readonly brand: Brand | null
  readonly streamName: string
  readonly email: string
  /** True if the recipient has unsubscribed or complained. */
  readonly left: boolean
  /** True if the address is suppressed for any reason. */
  readonly suppressed: boolean
  /** True if undoing the unsubscription makes the recipient receive mail again. */
  readonly canReturn: boolean
}

/** Returns the target of an unsubscribe link; undefined if no link has this token. */
export async function findUnsubscribeLink(
  read: Read | Database,
  token: string,
): Promise<LinkedStream | undefined> {
  const row = await (read as Read)
    .selectFrom('unsubscribe_links as link')
    .innerJoin('domains', 'domains.id', 'link.domain_id')
    .leftJoin('streams', (join) =>
      join.onRef('streams.domain_id', '=', 'link.domain_id').onRef('streams.alias', '=', 'link.stream'),
    )
    .leftJoin('suppressions', (join) =>
      join
        .onRef('suppressions.domain_id', '=', 'link.domain_id')
        .onRef('suppressions.stream', '=', 'link.stream')
        .on('suppressions.email', '=', LISTED),
    )
    .leftJoin('suppressions as all', (join) =>
      join
        .onRef('all.domain_id', '=', 'link.domain_id')
        .on('all.stream', '=', WHOLE_DOMAIN)
        .on('all.email', '=', LISTED),
    )
    .leftJoin('suppressions as everywhere', (join) =>
      join
        .onRef('everywhere.domain_id', '=', 'link.account_id')
        .on('everywhere.stream', '=', WHOLE_DOMAIN)
        .on('everywhere.email', '=', LISTED),
    )
    .select(['link.domain_id as domainId', 'link.stream', 'link.email'])
    .select(['domains.name as domainName', 'streams.name as streamName', 'streams.brand'])
    .select([
      'suppressions.reason',
      'suppressions.replaced',
      'all.reason as ofDomain',
      'everywhere.reason as ofAccount',
    ])
    .where('link.token', '=', token)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { domainId, domainName, streamName, stream, brand, email, reason, replaced } = row
  const wider = row.ofDomain ?? row.ofAccount
  return {
    ...{ domainId, domainName, stream },
    brand: brand === null ? null : JSON.parse(brand),
    streamName: streamName ?? stream,
    email,
    left: reason === 'unsubscribe' || reason === 'complaint',
    suppressed: (reason ?? wider) !== null,
    canReturn: reason === 'unsubscribe' && replaced === null && wider === null,
  }
}

/** Returns the aliases of the open broadcast streams of a domain, oldest first. */
export async function broadcastStreams(read: Read, domainId: string): Promise<string[]> {
  const rows = await read
    .selectFrom('streams')
    .select('alias')
    .where('domain_id', '=', domainId)
    .where('kind', '=', 'broadcast')
    .where('archived_at', 'is', null)
    .orderBy('created_at')
    .orderBy('alias')
    .execute()
  return rows.map(({ alias }) => alias)
}

/** A click on an unsubscribe link, or the undoing of an unsubscription. */
export interface FollowLink {
  readonly token: string
  readonly now: number
}

/**
 * Unsubscribes recipients from their streams, and records an event for the newest message that contains the link; a
 * repetition changes nothing. Returns the targets of the links, undefined for an unknown token.
 */
export async function unsubscribe(
  db: Database,
  items: readonly FollowLink[],
): Promise<(LinkedStream | undefined)[]> {
  const results: (LinkedStream | undefined)[] = []
  for (const { token, now } of items) {
    const link = await linkOf(db, token)
    if (link !== undefined && (await leave(db, link, now))) await keepEvent(db, link, now)
    results.push(link && (await findUnsubscribeLink(db, token)))
  }
  return results
}

/**
 * Resubscribes recipients who unsubscribed by their link; keeps suppressions for other reasons, including earlier
 * suppressions.
 */
export async function resubscribe(
  db: Database,
  items: readonly FollowLink[],
): Promise<(LinkedStream | undefined)[]> {
  const results: (LinkedStream | undefined)[] = []
  for (const { token, now } of items) {
    const link = await linkOf(db, token)
    if (link !== undefined) await comeBack(db, link, now)
    results.push(link && (await findUnsubscribeLink(db, token)))
  }
  return results
}

const linkOf = (db: Database, token: string): Promise<UnsubscribeLink | undefined> =>
  db.selectFrom('unsubscribe_links').selectAll().where('token', '=', token).executeTakeFirst()

/** Unsubscribes the recipient of a link from the stream; returns true if the suppression list changed. */
function leave(db: Database, link: UnsubscribeLink, now: number): Promise<boolean> {
  const { account_id, domain_id, stream, email, message_id } = link
  const row = { account_id, domain_id, stream, email, message_id, created_at: now }
  return suppressForOwner(db, { ...row, reason: 'unsubscribe' })
}

async function comeBack(
  db: Database,
  { domain_id, stream, email }: UnsubscribeLink,
  now: number,
): Promise<void> {
  const left = { domain_id, stream, email: inAnyCase(email), reason: 'unsubscribe' } as const
  const removed = await db
    .deleteFrom('suppressions')
    .where((eb) => eb.and(left))
    .where('replaced', 'is', null)
    .returningAll()
    .execute()
  await tellSuppressions(db, 'suppression.removed', removed, now)
  await db
    .updateTable('suppressions')
    .set((eb) => ({ reason: eb.ref('replaced').$notNull(), message_id: null, replaced: null }))
    .where((eb) => eb.and(left))
    .execute()
}

async function keepEvent(db: Database, link: UnsubscribeLink, now: number): Promise<void> {
  const { message_id: messageId, account_id: accountId, domain_id: domainId, stream, email } = link
  const message = await db
    .selectFrom('messages')
    .select(['id', 'tag'])
    .where('domain_id', '=', domainId)
    .where('id', '=', messageId)
    .executeTakeFirst()
  if (message === undefined) return
  const row = { messageId, accountId, domainId, stream, email, tag: message.tag, inboxId: null }
  await keepEvents(db, [eventOf(row, 'unsubscribed', now, { stream })])
}

/**
 * Removes links whose newest message is no longer stored, among up to `limit` links after the token `after`; returns
 * the last checked token, undefined at the end of the table.
 */
export async function forgetOrphanedLinks(
  db: Database,
  items: readonly { readonly after: string; readonly limit: number }[],
): Promise<(string | undefined)[]> {
  const results: (string | undefined)[] = []
  for (const { after, limit } of items) {
    const rows = await db
      .selectFrom('unsubscribe_links as link')
      .leftJoin('messages', (join) =>
        join.onRef('messages.domain_id', '=', 'link.domain_id').onRef('messages.id', '=', 'link.message_id'),
      )
      .select(['link.token', 'link.message_id', 'messages.id'])
      .where('link.token', '>', after)
      .orderBy('link.token')
      .limit(limit)
      .execute()
    const orphaned = rows.filter(({ id }) => id === null)
    // A message that is being accepted may contain the link and replace the message ID, so the row is deleted only if
    // the message ID still matches.
    await deleteRows(
      db,
      'unsubscribe_links',
      ['token'],
      orphaned.map(({ token, message_id }) => ({ token, message_id })),
      { match: ['message_id'] },
    )
    results.push(rows.length < limit ? undefined : rows.at(-1)?.token)
  }
  return results
}
forgetOrphanedLinks.unaudited = true
