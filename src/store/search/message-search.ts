// Finds messages; each query reads few rows, regardless of the number of stored messages.

import { type RawBuilder, sql } from 'kysely'
import { beforeIdsOf, timeOfId } from '../../lib/ids.ts'
import type { MessageStatus, MetadataEntry } from '../../model/message.ts'
import type { RecipientStatus } from '../../model/recipient.ts'
import { subjectWords } from '../../model/subject-words.ts'
import { addressBegins, beginning } from '../database/beginnings.ts'
import type { Read } from '../database/dialect.ts'
import { unreadMessages } from '../events/event-log.ts'
import {
  type Candidates,
  candidatesOf,
  hasRecipient,
  hasStatus,
  withStatus,
} from '../messages/message-status.ts'
import type { Message } from '../messages/messages.ts'
import type { Owner } from '../messages/owner.ts'
import { type Recipient, readRecipients } from '../messages/recipients.ts'
import { markOf, metadataWord, streamWord, tagWord } from '../readers/message-words.ts'

/** Filter of a list of messages. */
export interface MessageFilter {
  readonly status?: MessageStatus | undefined
  /** Status that at least one recipient must have. */
  readonly recipientStatus?: RecipientStatus | undefined
  /** Prefix of a recipient's address, case-insensitive. */
  readonly recipient?: string | undefined
  readonly tag?: string | undefined
  readonly stream?: string | undefined
  /** Searchable values that the metadata must contain. */
  readonly metadata?: readonly MetadataEntry[] | undefined
  /** Words of the subject; each word also matches the beginning of a longer word. */
  readonly subject?: string | undefined
  /** Earliest creation time, inclusive, in milliseconds since the epoch. */
  readonly after?: number | undefined
  /** Latest creation time, exclusive, in milliseconds since the epoch. */
  readonly before?: number | undefined
}

/** A search condition for which an index exists. */
interface Matching {
  /** Query (`select … as message_id`) of the messages that match the condition. */
  readonly rows: RawBuilder<unknown>
  /** SQL condition that is true if `rows` lacks some matching messages. */
  readonly incomplete?: RawBuilder<unknown>
}

/**
 * Maximum number of matches of a condition with which a search finds messages by an index. A search without such a
 * condition checks all messages, newest first.
 */
const FEW = 5_000
/** Maximum number of messages that a search names by ID. */
const MAX_NAMED = 1_000
/** Maximum difference between the time in a message ID and the creation time of the message. */
const SLACK_MS = 3_600_000

/** A message with its recipients in order of position. */
export interface ListedMessage {
  readonly message: Message
  readonly recipients: readonly Recipient[]
}

/** Found messages, and the cursor at which the search continues; the cursor is null at the end. */
export interface MessagePage {
  readonly messages: ListedMessage[]
  readonly next: string | null
}

/**
 * Returns up to `limit` messages with their recipients, newest first; with `cursor`, only messages with smaller IDs. A
 * slow search ends early, with fewer messages and a cursor to continue.
 */
export async function listMessages(
  read: Read,
  owner: Owner,
  filter: MessageFilter,
  limit: number,
  cursor: string | undefined,
): Promise<MessagePage> {
  const { rows, next } = await searchMessages(read, owner, filter, limit, cursor)
  return { messages: await withRecipients(read, owner, rows), next }
}

/** Maximum number of messages that are counted. */
const MAX_COUNTED = 1_000

/**
 * Counts the messages that match a filter, up to `MAX_COUNTED`; `complete` is false if more messages may match, because
 * of this maximum or because the search ended early.
 */
export async function countMessages(
  read: Read,
  owner: Owner,
  filter: MessageFilter,
): Promise<{ readonly count: number; readonly complete: boolean }> {
  const { rows, next } = await searchMessages(read, owner, filter, MAX_COUNTED, undefined)
  return { count: rows.length, complete: next === null }
}

/** Returns a page of messages without their recipients. */
async function searchMessages(
  read: Read,
  owner: Owner,
  filter: MessageFilter,
  limit: number,
  cursor: string | undefined,
): Promise<{ readonly rows: Message[]; readonly next: string | null }> {
  const words = filter.subject === undefined ? [] : subjectWords(filter.subject)
  if (filter.subject !== undefined && words.length === 0) return { rows: [], next: null }
  const range = idRange(filter, cursor)
  // Unread messages are determined before words are read, so that each message is in at least one of the two results.
  const unread = await unreadOf(read, owner)
  const inOrder = isInOrder(filter)
  const all = inOrder ? [] : matching(owner, filter, { words, unread }, range)
  const lead = await fewestOf(read, all)
  const search = { filter, words, lead, limit: limit + 1 }
  const byStatus = filter.status ?? filter.recipientStatus
  const sparse = !inOrder && lead === undefined && (all.length > 0 || byStatus !== undefined)
  const { found, end } = sparse
    ? await lookBack(read, owner, range, search)
    : { found: await findMessages(read, owner, { ...search, range }), end: undefined }
  const rows = found.slice(0, limit)
  const next = found.length > limit ? (rows.at(-1)?.id ?? null) : (end ?? null)
  return { rows, next }
}

/**
 * Returns the messages whose words are not stored yet; undefined if the messages are too many to be named in a query.
 */
async function unreadOf(read: Read, { domainId }: Owner): Promise<readonly string[] | undefined> {
  const ids = await unreadMessages(read, 'search', domainId)
  return ids === undefined || ids.length > MAX_NAMED ? undefined : ids
}

/**
 * Time in milliseconds after which a search begins no further range; the last range may take up to the same time in
 * addition.
 */
const LOOK_MS = 30
/**
 * Number of newest messages in the sample that estimates the density of messages; the first range covers
 * FIRST_STRETCH_SAMPLES times the time span of the sample.
 */
const SAMPLE = 256
const FIRST_STRETCH_SAMPLES = 8
const MAX_GROWTH = 16

/**
 * Searches time ranges, newest first, until enough messages are found or the time is up; `end` is then the ID at which
 * the search continues. The length of each range follows from the search duration of the previous range.
 */
async function lookBack(
  read: Read,
  owner: Owner,
  range: IdRange,
  search: Omit<Search, 'range'>,
): Promise<{ found: Message[]; end: string | undefined }> {
  const bounds = await boundsOf(read, owner, range)
  if (bounds === undefined) return { found: [], end: undefined }
  const found: Message[] = []
  const startedAt = performance.now()
  let to = range.to
  let stretch = Math.max(1, bounds.sampleMs * FIRST_STRETCH_SAMPLES)
  for (let at = timeOfId(bounds.last); ; ) {
    const began = performance.now()
    at -= stretch
    const from = at > timeOfId(bounds.first) ? `${beforeIdsOf('msg', at)}${'0'.repeat(16)}` : range.from
    const limit = search.limit - found.length
    found.push(...(await findMessages(read, owner, { ...search, limit, range: { from, to } })))
    if (found.length >= search.limit || from === range.from) return { found, end: undefined }
    const now = performance.now()
    if (now - startedAt > LOOK_MS) return { found, end: from }
    stretch *= Math.min(MAX_GROWTH, Math.max(0.5, LOOK_MS / 2 / Math.max(1, now - began)))
    to = from
  }
}

/** Returns the oldest and the newest message ID in the range, and the time span of the newest `SAMPLE` messages. */
async function boundsOf(
  read: Read,
  { domainId }: Owner,
  { from, to }: IdRange,
): Promise<{ first: string; last: string; sampleMs: number } | undefined> {
  const end = async (direction: 'asc' | 'desc', skipped = 0): Promise<string | undefined> => {
    let query = read.selectFrom('messages').select('id').where('domain_id', '=', domainId)
    query = query.where('id', '>=', from)
    if (to !== undefined) query = query.where('id', '<', to)
    return (await query.orderBy('id', direction).limit(1).offset(skipped).executeTakeFirst())?.id
  }
  const [first, last, sampled] = await Promise.all([end('asc'), end('desc'), end('desc', SAMPLE)])
  if (first === undefined || last === undefined) return undefined
  return { first, last, sampleMs: timeOfId(last) - timeOfId(sampled ?? first) }
}

/** Returns the range of IDs that contains all matching messages. */
function idRange({ after, before }: MessageFilter, cursor: string | undefined) {
  const from = after === undefined ? '' : beforeIdsOf('msg', Math.max(0, after - SLACK_MS))
  const ends = before === undefined ? [] : [beforeIdsOf('msg', Math.max(0, before + SLACK_MS))]
  const to = [...ends, ...(cursor === undefined ? [] : [cursor])].sort()[0]
  return { from, to }
}

type IdRange = ReturnType<typeof idRange>

/** True if the only condition of the filter is a status whose messages an index has in order. */
function isInOrder(filter: MessageFilter): boolean {
  const { status, recipientStatus, tag, stream, recipient, subject, metadata } = filter
  const isAlone =
    [status, recipientStatus, tag, stream, recipient, subject, metadata].filter(isGiven).length === 1
  return isAlone && candidatesOf(filter)[0]?.length === 1
}

const isGiven = (condition: unknown): boolean => condition !== undefined

/** Returns the queries of the matches for each condition with an index. */
function matching(
  { domainId }: Owner,
  filter: MessageFilter,
  { words, unread }: { readonly words: readonly string[]; readonly unread: readonly string[] | undefined },
  range: IdRange,
): Matching[] {
  const { recipient, tag, stream, metadata = [] } = filter
  const ids = (column: RawBuilder<unknown>): RawBuilder<unknown> => isWithin(column, range)
  const named =
    unread === undefined || unread.length === 0
      ? sql``
      : sql`union all select id as message_id from messages
        where domain_id = ${domainId} and id in (${sql.join(unread)}) and ${ids(sql`id`)}`
  const ofWords = (matches: (word: string) => RawBuilder<unknown>, word: string): Matching => ({
    rows: sql`select message_id from message_words
      where domain_id = ${domainId} and ${matches(word)} and ${ids(sql`message_id`)} ${named}`,
    incomplete:
      unread === undefined
        ? sql`1 = 1`
        : sql`exists (select 1 from message_words
          where domain_id = ${domainId} and ${matches(markOf(word))})`,
  })
  const all = words.map((word) => ofWords((text) => beginning(sql`word`, text), word))
  if (recipient !== undefined) {
    all.push({
      rows: sql`select message_id from recipients
        where domain_id = ${domainId} and ${addressBegins(sql`email`, recipient)} and ${ids(sql`message_id`)}`,
    })
  }
  const exactly = (word: string): RawBuilder<unknown> => sql`word = ${word}`
  if (tag !== undefined) all.push(ofWords(exactly, tagWord(tag)))
  if (stream !== undefined) all.push(ofWords(exactly, streamWord(stream)))
  all.push(...metadata.map((entry) => ofWords(exactly, metadataWord(entry))))
  all.push(...candidatesOf(filter).map((one) => ({ rows: candidateRows(one, domainId, range) })))
  return all
}

/**
 * Returns the condition that a message has a tag, as its first tag or as a further tag in the JSON of `tags`. A comma and
 * a quote follow each other in the JSON only between two tags.
 */
const hasTag = (tag: string): RawBuilder<unknown> =>
  sql`(m.tag = ${tag} or replace(m.tags, ${`,${JSON.stringify(tag)}`}, '') <> m.tags)`

const isWithin = (column: RawBuilder<unknown>, { from, to }: IdRange): RawBuilder<unknown> =>
  sql`${column} >= ${from}${to === undefined ? sql`` : sql` and ${column} < ${to}`}`

/** Returns the query that unites the candidates of several indexes. */
const candidateRows = (all: readonly Candidates[], domainId: string, range: IdRange): RawBuilder<unknown> =>
  sql.join(
    all.map((one) => one(domainId, (column) => isWithin(column, range))),
    sql` union all `,
  )

/** Returns the condition with the fewest matches; undefined if every condition has more than `FEW` matches. */
async function fewestOf(read: Read, all: readonly Matching[]): Promise<Matching | undefined> {
  const counted = await Promise.all(
    all.map(async (one) => {
      const many = sql.lit(FEW + 1)
      const { rows } = await sql<{ count: number }>`
        select count(*) ${one.incomplete === undefined ? sql`` : sql`+ case when ${one.incomplete} then ${many} else 0 end`}
        as count from (${one.rows} limit ${many}) as matching`.execute(read)
      return { one, count: Number(rows[0]?.count ?? 0) }
    }),
  )
  const [fewest] = counted.sort((a, b) => a.count - b.count)
  return fewest === undefined || fewest.count > FEW ? undefined : fewest.one
}

interface Search {
  readonly filter: MessageFilter
  readonly words: readonly string[]
  readonly range: IdRange
  readonly lead: Matching | undefined
  readonly limit: number
}

async function findMessages(
  read: Read,
  { domainId, accountId }: Owner,
  { filter, words, range, lead, limit }: Search,
): Promise<Message[]> {
  const { status, recipientStatus, tag, stream, recipient, metadata = [], after, before } = filter
  const conditions: RawBuilder<unknown>[] = [
    sql`m.domain_id = ${domainId} and m.account_id = ${accountId} and ${isWithin(sql`m.id`, range)}`,
  ]
  if (status !== undefined) conditions.push(hasStatus(status))
  if (recipientStatus !== undefined) conditions.push(hasRecipient(recipientStatus))
  if (tag !== undefined) conditions.push(hasTag(tag))
  if (stream !== undefined) conditions.push(sql`m.stream = ${stream}`)
  if (after !== undefined) conditions.push(sql`m.created_at >= ${after}`)
  if (before !== undefined) conditions.push(sql`m.created_at < ${before}`)
  // Search words contain no wildcards of LIKE.
  for (const word of [...words, ...metadata.map(metadataWord)])
    conditions.push(sql`m.words like ${`% ${word}%`}`)
  if (recipient !== undefined) {
    conditions.push(sql`exists (
      select 1 from recipients r where r.message_id = m.id and ${addressBegins(sql`r.email`, recipient)})`)
  }
  const [candidates] = candidatesOf(filter)
  const isOrdered = lead === undefined && candidates?.length === 1
  const matches = lead?.rows ?? (candidates && candidateRows(candidates, domainId, range))
  const named = isOrdered ? matches : matches && sql`select distinct message_id from (${matches}) as matching`
  // SQLite reads the first table of a cross join first.
  const from = named === undefined ? sql`messages m` : sql`(${named}) as found cross join messages m`
  if (named !== undefined) conditions.push(sql`m.id = found.message_id`)
  // A single index returns the messages in the order of their IDs.
  const order = isOrdered ? sql`found.message_id` : sql`m.id`
  const { rows } = await sql<Message>`
    select m.* from ${from} where ${sql.join(conditions, sql` and `)}
    order by ${order} desc limit ${limit}`.execute(read)
  return rows
}

/** Adds the recipients to messages, and sets the status that is derived from the recipients. */
export async function withRecipients(
  read: Read,
  { accountId }: Pick<Owner, 'accountId'>,
  messages: readonly Message[],
): Promise<ListedMessage[]> {
  const ids = messages.map((message) => message.id)
  const byMessage = Map.groupBy(await readRecipients(read, ids, accountId), (one) => one.message_id)
  return messages.map((message) => {
    const recipients = byMessage.get(message.id) ?? []
    return { message: withStatus(message, recipients), recipients }
  })
}
