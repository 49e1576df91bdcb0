// Reads messages, their resends and their contents.

import { allTags, type ContentFormat } from '../../model/message.ts'
import type { AcceptedDetail } from '../../model/tracking.ts'
import type { Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import { readContents } from './contents.ts'
import { withStatus } from './message-status.ts'
import type { Owner } from './owner.ts'
import { type Recipient, readRecipients } from './recipients.ts'

export type Message = Tables['messages']
type EventRow = Tables['events']

export type { Owner, Recipient }

/** A message with its recipients in order and its events, oldest first. */
export interface FoundMessage {
  readonly message: Message
  readonly recipients: readonly Recipient[]
  readonly events: readonly EventRow[]
}

/** Reads a message; undefined if the owner has no message with this ID. */
export async function findMessage(read: Read, owner: Owner, id: string): Promise<FoundMessage | undefined> {
  const message = await read
    .selectFrom('messages')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', owner.accountId)
    .where('domain_id', '=', owner.domainId)
    .executeTakeFirst()
  if (message === undefined) return undefined
  // The recipients are read before the events, so that the result contains the event of each shown status.
  const recipients = await readRecipients(read, [id], owner.accountId)
  const events = await read
    .selectFrom('events')
    .selectAll()
    .where('message_id', '=', id)
    .where('account_id', '=', owner.accountId)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return { message: withStatus(message, recipients), recipients, events }
}

/**
 * Returns the changes that were made to these messages or left out, by message ID; messages without such a change are
 * missing. All `accepted` events of a message have the same detail.
 */
export async function listAcceptedDetails(
  read: Read,
  { accountId }: Pick<Owner, 'accountId'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AcceptedDetail>> {
  if (ids.length === 0) return new Map()
  const rows = await read
    .selectFrom('events')
    .select(['message_id', 'detail'])
    .where('message_id', 'in', ids)
    .where('account_id', '=', accountId)
    .where('type', '=', 'accepted')
    .where('detail', '!=', '{}')
    .execute()
  return new Map(rows.map(({ message_id, detail }) => [message_id, JSON.parse(detail)]))
}

/** Returns the messages that resend the content of this message, newest first. */
export const listResends = (
  read: Read,
  { accountId, domainId }: Owner,
  id: string,
  limit: number,
): Promise<Pick<Message, 'id' | 'created_at'>[]> =>
  read
    .selectFrom('messages')
    .select(['id', 'created_at'])
    .where('domain_id', '=', domainId)
    .where('account_id', '=', accountId)
    .where('resend_of', '=', id)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/**
 * Returns the domain of a message of any account; undefined if the message does not exist or its domain was deleted.
 */
export const findDomainOfMessage = (
  read: Read,
  id: string,
): Promise<{ account_id: string; domain_id: string; name: string } | undefined> =>
  read
    .selectFrom('recipients')
    .innerJoin('domains', 'domains.id', 'recipients.domain_id')
    .select(['domains.account_id', 'recipients.domain_id', 'domains.name'])
    .where('recipients.message_id', '=', id)
    .where('domains.deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

/** Returns all tags of a message; none for a message that was removed. */
export async function tagsOfMessage(read: Read, id: string): Promise<readonly string[]> {
  const row = await read
    .selectFrom('messages')
    .select(['tag', 'tags'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row === undefined ? [] : allTags(row)
}

/** Returns the content of a message as submitted. */
export async function findContent(
  read: Read,
  owner: Owner,
  id: string,
): Promise<{ format: ContentFormat; content: Buffer } | undefined> {
  const row = await read
    .selectFrom('messages')
    .select('id')
    .where('id', '=', id)
    .where('account_id', '=', owner.accountId)
    .where('domain_id', '=', owner.domainId)
    .executeTakeFirst()
  const found = row && (await readContents(read, [id])).get(id)
  if (found === undefined) return undefined
  const { format, content } = found
  return { format, content: Buffer.from(content.buffer, content.byteOffset, content.length) }
}
