// Reads everything recorded about the mail to one address, for an explanation of its fate. Each statement reads few rows
// by an index, however many messages are stored.

import { sql } from 'kysely'
import { beforeIdsOf } from '../../lib/ids.ts'
import { inAnyCase } from '../../model/address.ts'
import type { EventType } from '../../model/event.ts'
import { subjectWords } from '../../model/subject-words.ts'
import { WHOLE_DOMAIN } from '../../model/suppression.ts'
import { OPEN_LINK } from '../../model/tracking-link.ts'
import type { Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import { hasWords } from '../events/event-filter.ts'
import type { Message } from '../messages/messages.ts'
import { wholeAccount } from '../messages/owner.ts'
import type { Recipient } from '../messages/recipients.ts'
import { findMessagesById, type SearchedAccount } from '../search/account-search.ts'
import type { ListedMessage } from '../search/message-search.ts'
import { findErased } from '../workspace/erased-suppressions.ts'
import type { Suppression } from '../workspace/suppressions.ts'

/** Maximum number of explained messages. */
const MAX_EXPLAINED = 10
/** Maximum number of messages to the address in one domain whose subjects are compared. */
const MAX_COMPARED = 200
/** Maximum number of events of a recipient, newest first. */
const MAX_EVENTS = 50
/** Maximum number of tracked links of a recipient. */
const MAX_LINKS = 20
/** Maximum number of suppressions of an address. */
const MAX_SUPPRESSIONS = 50
/** Maximum numbers of domains and streams whose erased suppressions are looked up. */
const MAX_ERASED_DOMAINS = 50
const MAX_ERASED_STREAMS = 500
/** Maximum difference between the time in a message ID and the creation time of the message. */
const SLACK_MS = 3_600_000

/** Conditions on the messages that are explained. */
export interface MailQuestion {
  /** Address in its canonical spelling. */
  readonly email: string
  readonly messageId?: string | undefined
  /** Words of the subject, or a part of the subject without words. */
  readonly subject?: string | undefined
  /** Earliest creation time, inclusive, in milliseconds since the epoch. */
  readonly after?: number | undefined
}

/** A message with its recipient of the address, and everything recorded about this recipient. */
export interface MailTo {
  readonly message: Message
  readonly recipient: Recipient
  /** Row of the queue; undefined for a recipient with a final status. */
  readonly queued: Pick<Tables['queue'], 'state' | 'waits_for' | 'possible_duplicate'> | undefined
  /** Events of the recipient without opens and clicks, newest first. */
  readonly events: readonly Tables['events'][]
  /** Newest ended attempt; undefined before the first attempt has ended. */
  readonly attempt: Tables['attempts'] | undefined
  /** First open and first click by a person, in milliseconds since the epoch; null without an open or a click. */
  readonly openedAt: number | null
  readonly clickedAt: number | null
}

/** Event types that explain what became of a recipient. */
const TOLD: readonly EventType[] = [
  'accepted',
  'scheduled',
  'sending',
  'delivered',
  'deferred',
  'bounced',
  'failed',
  'suppressed',
  'cancelled',
  'complained',
]

/** Returns the newest messages to an address that fit the question, at most `MAX_EXPLAINED`, newest first. */
export async function readMailTo(
  read: Read,
  account: SearchedAccount,
  question: MailQuestion,
): Promise<MailTo[]> {
  const ids = await newestTo(read, account, question)
  const [messages, queued] = await Promise.all([
    findMessagesById(read, account, ids),
    queueRows(read, account, ids),
  ])
  const rows = new Map(queued.map((row) => [keyOf(row), row]))
  const found = messages.flatMap(({ message, recipients }) => {
    const recipient = recipientOf(recipients, question.email)
    return recipient === undefined ? [] : [{ message, recipient, queued: rows.get(keyOf(recipient)) }]
  })
  return Promise.all(found.map(async (one) => ({ ...one, ...(await historyOf(read, one.recipient)) })))
}

const keyOf = ({ message_id, position }: Pick<Recipient, 'message_id' | 'position'>): string =>
  `${message_id} ${position}`

const recipientOf = (recipients: readonly Recipient[], email: string): Recipient | undefined =>
  recipients.find((one) => inAnyCase(one.email) === inAnyCase(email))

/** Returns the message that a question names, with all of its recipients; undefined if it does not exist. */
export async function findNamedMessage(
  read: Read,
  account: SearchedAccount,
  messageId: string,
): Promise<ListedMessage | undefined> {
  const [found] = await findMessagesById(read, account, [messageId])
  return found
}

/** Returns the IDs of the newest messages that fit the question. */
async function newestTo(
  read: Read,
  account: SearchedAccount,
  { email, messageId, subject, after }: MailQuestion,
): Promise<string[]> {
  if (messageId !== undefined) return [messageId]
  const from = after === undefined ? '' : beforeIdsOf('msg', Math.max(0, after - SLACK_MS))
  const limit = subject === undefined && after === undefined ? MAX_EXPLAINED : MAX_COMPARED
  const found = await Promise.all(
    (await newestDomains(read, account, email)).map((domainId) =>
      messagesIn(read, domainId, email, from, limit),
    ),
  )
  const ids = [...new Set(found.flat())].sort().reverse().slice(0, limit)
  if (subject === undefined && after === undefined) return ids
  return (await fitting(read, account, ids, { subject, after })).slice(0, MAX_EXPLAINED)
}

/**
 * Returns the domains with the newest messages to an address. Only the first `MAX_EXPLAINED` domains can contain one of
 * the newest `MAX_EXPLAINED` messages.
 */
async function newestDomains(
  read: Read,
  { domainIds }: Pick<SearchedAccount, 'domainIds'>,
  email: string,
): Promise<string[]> {
  if (domainIds.length < 2) return [...domainIds]
  const { rows } = await sql<{ id: string; newest: string | null }>`
    select d.id, (select r.message_id from recipients r
      where r.domain_id = d.id and lower(r.email) = ${inAnyCase(email)}
      order by r.message_id desc limit 1) as newest
    from domains d where d.id in (${sql.join(domainIds)})`.execute(read)
  return rows
    .flatMap(({ id, newest }) => (newest === null ? [] : [{ id, newest }]))
    .sort((one, other) => (one.newest < other.newest ? 1 : -1))
    .slice(0, MAX_EXPLAINED)
    .map(({ id }) => id)
}

/** Returns the IDs of the newest messages of a domain to an address, from the ID `from` on. */
async function messagesIn(
  read: Read,
  domainId: string,
  email: string,
  from: string,
  limit: number,
): Promise<string[]> {
  const rows = await read
    .selectFrom('recipients')
    .select('message_id')
    .where('domain_id', '=', domainId)
    .where(sql<boolean>`lower(email) = ${inAnyCase(email)}`)
    .where('message_id', '>=', from)
    .orderBy('message_id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ message_id }) => message_id)
}

/** Returns the IDs among `ids` whose messages have the words of the subject and were created in time. */
async function fitting(
  read: Read,
  { accountId, domainIds }: SearchedAccount,
  ids: readonly string[],
  { subject, after = 0 }: Pick<MailQuestion, 'subject' | 'after'>,
): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await read
    .selectFrom('messages')
    .select(['id', 'subject', 'created_at'])
    .where('account_id', '=', accountId)
    .where('domain_id', 'in', domainIds)
    .where('id', 'in', ids)
    .orderBy('id', 'desc')
    .execute()
  const words = subject === undefined ? [] : subjectWords(subject)
  const isAbout = (text: string): boolean =>
    subject === undefined || (words.length > 0 ? hasWords(text, words) : text.includes(subject.trim()))
  return rows
    .filter(({ created_at, subject: text }) => Number(created_at) >= after && isAbout(text))
    .map(({ id }) => id)
}

const queueRows = async (
  read: Read,
  { accountId }: Pick<SearchedAccount, 'accountId'>,
  ids: readonly string[],
) =>
  ids.length === 0
    ? []
    : read
        .selectFrom('queue')
        .select(['message_id', 'position', 'state', 'waits_for', 'possible_duplicate'])
        .where('message_id', 'in', ids)
        .where('account_id', '=', accountId)
        .execute()

async function historyOf(
  read: Read,
  recipient: Recipient,
): Promise<Pick<MailTo, 'events' | 'attempt' | 'openedAt' | 'clickedAt'>> {
  const { message_id: messageId, position, email } = recipient
  const [events, attempt, links] = await Promise.all([
    read
      .selectFrom('events')
      .selectAll()
      .where('message_id', '=', messageId)
      .where('email', '=', email)
      .where('type', 'in', [...TOLD])
      .orderBy('id', 'desc')
      .limit(MAX_EVENTS)
      .execute(),
    read
      .selectFrom('attempts')
      .selectAll()
      .where('message_id', '=', messageId)
      .where('position', '=', position)
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst(),
    read
      .selectFrom('tracked_links')
      .select(['link', 'hits', 'first_at'])
      .where('message_id', '=', messageId)
      .where('position', '=', position)
      .orderBy('link')
      .limit(MAX_LINKS)
      .execute(),
  ])
  const hit = links.filter(({ hits }) => Number(hits) > 0)
  const first = (rows: typeof hit): number | null =>
    rows.length === 0 ? null : Math.min(...rows.map(({ first_at }) => Number(first_at)))
  return {
    events,
    attempt,
    openedAt: first(hit.filter(({ link }) => link === OPEN_LINK)),
    clickedAt: first(hit.filter(({ link }) => link !== OPEN_LINK)),
  }
}

/** Returns the present suppressions of an address in these domains and in the whole account, newest first. */
export async function suppressionsTo(
  read: Read,
  { accountId, domainIds }: SearchedAccount,
  email: string,
): Promise<Suppression[]> {
  if (domainIds.length === 0) return []
  return read
    .selectFrom('suppressions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('email', '=', inAnyCase(email))
    .where('domain_id', 'in', [...domainIds, wholeAccount(accountId).domainId])
    .orderBy('created_at', 'desc')
    .limit(MAX_SUPPRESSIONS)
    .execute()
}

/** Returns the suppressions of an erased address, of which only hashes are stored. */
export async function erasedSuppressionsTo(
  read: Read,
  { accountId, domainIds }: SearchedAccount,
  email: string,
): Promise<Suppression[]> {
  const some = domainIds.slice(0, MAX_ERASED_DOMAINS)
  if (some.length === 0) return []
  const any = await read.selectFrom('erased_suppressions').select('hash').limit(1).executeTakeFirst()
  if (any === undefined) return []
  const streams = await read
    .selectFrom('streams')
    .select(['domain_id', 'alias as stream'])
    .where('domain_id', 'in', some)
    .limit(MAX_ERASED_STREAMS)
    .execute()
  const owners = [...some, wholeAccount(accountId).domainId]
  const all = [...owners.map((domain_id) => ({ domain_id, stream: WHOLE_DOMAIN })), ...streams]
  return findErased(read, () => all.map((one) => ({ ...one, email: inAnyCase(email) })))
}

/** State of a DNS record that proves the sender. */
export type SenderRecord = Pick<Tables['domain_records'], 'domain_id' | 'purpose' | 'status'>

/** Returns the last known states of the DNS records of some domains that prove the sender. */
export const senderRecords = async (read: Read, domainIds: readonly string[]): Promise<SenderRecord[]> =>
  domainIds.length === 0
    ? []
    : read
        .selectFrom('domain_records')
        .select(['domain_id', 'purpose', 'status'])
        .where('domain_id', 'in', domainIds)
        .where('purpose', 'in', ['dkim_rsa', 'dkim_ed25519', 'return_path', 'dmarc'])
        .execute()
