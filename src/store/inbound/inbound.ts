// Inbound messages are accepted, parsed once, and kept for their retention time.

import { sql } from 'kysely'
import { inAnyCase } from '../../model/address.ts'
import type { InboundKind, ParsedInbound } from '../../model/inbound-message.ts'
import { weigh } from '../../threads/shared-bytes.ts'
import { type Database, databaseMoment, isPostgres, type Read } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { eventOf, keepEvents } from '../messages/history.ts'
import type { Owner } from '../messages/owner.ts'
import { addInboundBytes } from '../messages/stored-bytes.ts'
import { isFree } from '../node/node-leases.ts'

export type InboundMessage = Tables['inbound_messages']

/** An inbound mail for one stream. */
export interface AcceptInbound extends StorageLimits {
  readonly message: Pick<
    InboundMessage,
    | 'id'
    | 'account_id'
    | 'domain_id'
    | 'stream'
    | 'received_at'
    | 'mail_from'
    | 'rcpt_to'
    | 'client_address'
    | 'helo'
    | 'tls'
    | 'size'
  >
  readonly raw: Uint8Array
}

/** Storage limits of an account. */
export interface StorageLimits {
  /** Maximum number of bytes that an account without its own limit may store; null for no limit. */
  readonly storedBytesLimit: number | null
  /** Maximum number of bytes of inbound messages that an account may store. */
  readonly inboundBytesLimit: number
}

/** Result of accepting mails; `full` means that an account has reached a storage limit. */
export type AcceptedInbound = 'accepted' | 'full'

/** Stores mails for streams; either all mails of an item are stored or none. A later step parses the mails. */
export async function acceptInbound(
  db: Database,
  items: readonly { readonly mails: readonly AcceptInbound[] }[],
): Promise<AcceptedInbound[]> {
  const results: AcceptedInbound[] = []
  for (const { mails } of items) results.push(await acceptTogether(db, mails))
  return results
}
acceptInbound.unaudited = true
acceptInbound.line = 'accepting' as const

async function acceptTogether(db: Database, mails: readonly AcceptInbound[]): Promise<AcceptedInbound> {
  const added = new Map<string, number>()
  for (const { message } of mails) {
    added.set(message.account_id, (added.get(message.account_id) ?? 0) + message.size)
  }
  for (const { message, storedBytesLimit, inboundBytesLimit } of mails) {
    const limits = { storedBytesLimit, inboundBytesLimit }
    if (await isInboundFull(db, message.account_id, added.get(message.account_id) ?? 0, limits)) return 'full'
  }
  const rows = mails.map(
    ({ message }): InboundMessage => ({
      ...message,
      kind: 'message',
      state: 'received',
      tries: 0,
      lease: null,
      lease_until: null,
      from_email: '',
      from_name: null,
      subject: '',
      header_message_id: null,
      flags: '[]',
      authentication: null,
    }),
  )
  await insertRows(db, 'inbound_messages', rows)
  for (const { raw } of mails) weigh(raw.buffer)
  await insertRows(
    db,
    'inbound_contents',
    mails.map(({ message, raw }) => ({ ...ownerColumns(message), raw })),
  )
  await addInboundBytes(db, added)
  for (const { message } of mails) {
    await db
      .updateTable('streams')
      .set({ used: 1 })
      .where('domain_id', '=', message.domain_id)
      .where('alias', '=', message.stream)
      .where('used', '=', 0)
      .execute()
  }
  return 'accepted'
}

type Owned = Pick<InboundMessage, 'id' | 'account_id' | 'domain_id' | 'stream'>

const ownerColumns = ({ id: inbound_id, account_id, domain_id, stream }: Owned) => ({
  ...{ inbound_id, account_id, domain_id, stream },
})

/** True if the account's storage limits do not permit `bytes` more bytes of inbound messages. */
export async function isInboundFull(
  db: Database | Read,
  accountId: string,
  bytes: number,
  limits: StorageLimits,
): Promise<boolean> {
  const stored = await (db as Read)
    .selectFrom('accounts')
    .leftJoin('stored_bytes', 'stored_bytes.account_id', 'accounts.id')
    .select(['accounts.stored_bytes_limit', 'stored_bytes.bytes', 'stored_bytes.inbound_bytes'])
    .where('accounts.id', '=', accountId)
    .executeTakeFirst()
  const limit = stored?.stored_bytes_limit ?? limits.storedBytesLimit
  if (limit !== null && Number(stored?.bytes ?? 0) + bytes > limit) return true
  return Number(stored?.inbound_bytes ?? 0) + bytes > limits.inboundBytesLimit
}

/** A message that a node claimed for parsing. */
export type ClaimedInbound = Pick<
  InboundMessage,
  'id' | 'account_id' | 'domain_id' | 'mail_from' | 'client_address' | 'helo' | 'tries' | 'size'
>

export interface ClaimInbound {
  /** Token of the holder. */
  readonly lease: string
  readonly limit: number
  readonly now: number
  /** Time at which the claim ends unless the claim is renewed. */
  readonly until: number
  /** True if the claim may include a message that was claimed before and whose parsing was interrupted. */
  readonly again: boolean
}

/** Maximum number of messages with an interrupted earlier try that a query skips while it looks for new messages. */
const MAX_PASSED_OVER = 32

/**
 * Claims unclaimed messages for a limited time, oldest first; other nodes can claim the messages if the holder dies. At
 * most one of the claimed messages was claimed before, and this message has the fewest tries. A message that crashes
 * the process therefore costs the other messages at most one try.
 */
export async function claimInbound(
  db: Database,
  items: readonly ClaimInbound[],
): Promise<ClaimedInbound[][]> {
  const results: ClaimedInbound[][] = []
  for (const { limit, now, again, ...lease } of items) {
    let free = db
      .selectFrom('inbound_messages')
      .select(['id', 'tries'])
      .where('state', '=', 'received')
      .where(isFree(db, now))
      .orderBy('id')
      .limit(limit + MAX_PASSED_OVER)
    if (isPostgres(db)) free = free.forUpdate().skipLocked()
    const found = await free.execute()
    const begun = again ? found.filter(({ tries }) => tries > 0).sort((a, b) => a.tries - b.tries) : []
    const chosen = [...begun.slice(0, 1), ...found.filter(({ tries }) => tries === 0)].slice(0, limit)
    results.push(chosen.length === 0 ? [] : await claim(db, chosen, lease))
  }
  return results
}
claimInbound.unaudited = true

const claim = (
  db: Database,
  messages: readonly { readonly id: string }[],
  { lease, until }: Pick<ClaimInbound, 'lease' | 'until'>,
) =>
  db
    .updateTable('inbound_messages')
    .set((eb) => ({ lease, lease_until: databaseMoment(db, until), tries: eb('tries', '+', 1) }))
    .where('id', 'in', idsOf(messages))
    .returning(['id', 'account_id', 'domain_id', 'mail_from', 'client_address', 'helo', 'tries', 'size'])
    .execute()

const idsOf = (messages: readonly { readonly id: string }[]): string[] => messages.map(({ id }) => id)

/** Claims of one holder. */
export interface HeldInbound {
  readonly lease: string
  readonly ids: readonly string[]
}

/** Extends claims; returns the IDs of the messages that the holder still holds. */
export async function renewInbound(
  db: Database,
  items: readonly (HeldInbound & { readonly until: number })[],
): Promise<string[][]> {
  const results: string[][] = []
  for (const { lease, ids, until } of items) {
    const held = await db
      .updateTable('inbound_messages')
      .set({ lease_until: databaseMoment(db, until) })
      .where('state', '=', 'received')
      .where('lease', '=', lease)
      .where('id', 'in', ids)
      .returning('id')
      .execute()
    results.push(idsOf(held))
  }
  return results
}
renewInbound.unaudited = true

/** Releases the claims of a holder that stops; released claims do not count as tries. */
export async function releaseInbound(db: Database, items: readonly HeldInbound[]): Promise<true[]> {
  for (const { lease, ids } of items) {
    if (ids.length === 0) continue
    await db
      .updateTable('inbound_messages')
      .set((eb) => ({ lease: null, lease_until: null, tries: eb('tries', '-', 1) }))
      .where('state', '=', 'received')
      .where('lease', '=', lease)
      .where('id', 'in', ids)
      .execute()
  }
  return items.map(() => true)
}
releaseInbound.unaudited = true

/** Results of parsing a message. */
export interface FinishInbound {
  readonly id: string
  readonly kind: InboundKind
  readonly flags: readonly string[]
  /** Results of authentication as JSON; null if authentication failed. */
  readonly authentication: string | null
  readonly from: ParsedInbound['from'][number] | undefined
  readonly subject: string
  readonly headerMessageId: string | null
  /** JSON of `ParsedInbound`; null if the message could not be parsed. */
  readonly parsed: string | null
  readonly now: number
}

/**
 * Writes the results of parsing, and an event for each message; returns false for a message that was parsed earlier or
 * no longer exists.
 */
export async function finishInbound(db: Database, items: readonly FinishInbound[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const item of items) results.push(await finishOne(db, item))
  return results
}
finishInbound.unaudited = true

async function finishOne(db: Database, item: FinishInbound): Promise<boolean> {
  const { id, kind, flags, authentication, from, subject, headerMessageId, parsed, now } = item
  const row = await db
    .updateTable('inbound_messages')
    .set({
      ...{ kind, subject, authentication, state: 'processed', lease: null, lease_until: null },
      flags: JSON.stringify(flags),
      from_email: from?.email ?? '',
      from_name: from?.name ?? null,
      header_message_id: headerMessageId,
    })
    .where('id', '=', id)
    .where('state', '=', 'received')
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) return false
  if (parsed !== null) await insertRows(db, 'inbound_parsed', [{ ...ownerColumns(row), parsed }])
  const event = { messageId: id, accountId: row.account_id, domainId: row.domain_id, stream: row.stream }
  const [email = ''] = JSON.parse(row.rcpt_to) as string[]
  const detail = { kind, from: row.from_email, subject: subject.slice(0, 200), size: row.size, flags }
  await keepEvents(db, [eventOf({ ...event, email, inboxId: null }, 'received', now, detail)])
  return true
}

/** Filter of a list of inbound messages. */
export interface InboundFilter {
  readonly stream?: string | undefined
  readonly kind?: InboundKind | undefined
  readonly from?: string | undefined
  readonly recipient?: string | undefined
  readonly after?: string | undefined
  readonly before?: string | undefined
}

/** Returns inbound messages of a domain, newest first; `after` and `before` are exclusive bounds of the message IDs. */
export function listInbound(
  read: Read,
  { accountId, domainId }: Owner,
  { stream, kind, from, recipient, after, before }: InboundFilter,
  limit: number,
  cursor: string | undefined,
): Promise<InboundMessage[]> {
  let query = read
    .selectFrom('inbound_messages')
    .selectAll()
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
  if (cursor !== undefined) query = query.where('id', '<', cursor)
  if (after !== undefined) query = query.where('id', '>', after)
  if (before !== undefined) query = query.where('id', '<', before)
  if (stream !== undefined) query = query.where('stream', '=', stream)
  if (kind !== undefined) query = query.where('kind', '=', kind)
  if (from !== undefined)
    query = query.where((eb) => eb(eb.fn('lower', ['from_email']), '=', inAnyCase(from)))
  if (recipient !== undefined) query = query.where(isFor(read, recipient))
  return query.execute()
}

/**
 * Returns the condition that a message was addressed to `email`, case-insensitive; the JSON of the recipients has each
 * address in quotation marks.
 */
export const isFor = (db: Database, email: string) =>
  sql<boolean>`${sql.raw(isPostgres(db) ? 'strpos' : 'instr')}(lower(rcpt_to), ${inAnyCase(JSON.stringify(email))}) > 0`

export const findInbound = (
  read: Read,
  { accountId, domainId }: Owner,
  id: string,
): Promise<InboundMessage | undefined> =>
  read
    .selectFrom('inbound_messages')
    .selectAll()
    .where('id', '=', id)
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()

/**
 * Returns the owner of an inbound message, for links that contain only the message ID; undefined if the domain was
 * deleted.
 */
export async function findInboundOwner(read: Read, id: string): Promise<Owner | undefined> {
  const row = await read
    .selectFrom('inbound_messages')
    .innerJoin('domains', 'domains.id', 'inbound_messages.domain_id')
    .select(['inbound_messages.account_id', 'inbound_messages.domain_id'])
    .where('inbound_messages.id', '=', id)
    .where('domains.deleted_at', 'is', null)
    .executeTakeFirst()
  return row && { accountId: row.account_id, domainId: row.domain_id }
}

/**
 * Returns the parsed content of a message; undefined if the message was not parsed or the parsed content is no longer
 * stored.
 */
export async function findParsedInbound(read: Read, id: string): Promise<ParsedInbound | undefined> {
  const row = await read
    .selectFrom('inbound_parsed')
    .select('parsed')
    .where('inbound_id', '=', id)
    .executeTakeFirst()
  return row && JSON.parse(row.parsed)
}

/** Returns the raw message, or its bytes from `start` to `end`; undefined if the raw message is no longer stored. */
export async function findRawInbound(
  read: Read,
  id: string,
  part?: { readonly start: number; readonly end: number },
): Promise<Uint8Array | undefined> {
  const row = await read
    .selectFrom('inbound_contents')
    .select((eb) =>
      part === undefined
        ? eb.ref('raw').as('raw')
        : eb
            .fn<Uint8Array>('substr', ['raw', eb.lit(part.start + 1), eb.lit(part.end - part.start)])
            .as('raw'),
    )
    .where('inbound_id', '=', id)
    .executeTakeFirst()
  return row?.raw
}

/** True if the raw message is stored. */
export async function hasRawInbound(read: Read, id: string): Promise<boolean> {
  const row = await read
    .selectFrom('inbound_contents')
    .select('inbound_id')
    .where('inbound_id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}
