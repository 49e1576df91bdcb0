// Reads an account's record of one address: messages, suppressions and verifications.

import { sql } from 'kysely'
import { inAnyCase, spellingsOf } from '../../model/address.ts'
import type { RecipientStatus } from '../../model/recipient.ts'
import type { Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import { wholeAccount } from '../messages/owner.ts'
import { findMessagesById, type SearchedAccount } from '../search/account-search.ts'
import type { MessagePage } from '../search/message-search.ts'
import type { Suppression } from '../workspace/suppressions.ts'
import { matchesCheck } from './about-address.ts'

/** Maximum number of counted messages to an address, newest first. */
export const MAX_COUNTED = 1_000
/** Maximum number of shown verifications of an address, newest first. */
const MAX_VERIFICATIONS = 20

/** A verification of an address, either single or as part of a list. */
interface VerifiedAddress extends Pick<Tables['verification_addresses'], 'answer'> {
  /** ID of the list; null for a verification of a single address. */
  readonly verification_id: string | null
  readonly name: string | null
  readonly created_at: number
}

export interface AddressRecord {
  /** Number of recipients with the address in each status, among the newest `MAX_COUNTED` recipients. */
  readonly statuses: Readonly<Partial<Record<RecipientStatus, number>>>
  readonly suppressions: readonly Suppression[]
  readonly verifications: readonly VerifiedAddress[]
}

/**
 * Reads the record of an address.
 *
 * @param email the address in any case
 */
export async function readAddress(
  read: Read,
  account: SearchedAccount,
  email: string,
): Promise<AddressRecord> {
  const recipients = await recipientsWith(read, account, email, MAX_COUNTED)
  const statuses: Partial<Record<RecipientStatus, number>> = {}
  for (const { status } of recipients) statuses[status] = (statuses[status] ?? 0) + 1
  const [suppressions, verifications] = await Promise.all([
    suppressionsOf(read, account, email),
    verificationsTo(read, account, email),
  ])
  return { statuses, suppressions, verifications }
}

/** Returns the newest verifications of an address, single and as part of lists. */
export async function verificationsTo(
  read: Read,
  account: SearchedAccount,
  email: string,
): Promise<VerifiedAddress[]> {
  const found = await Promise.all([verificationsOf(read, account, email), checksOf(read, account, email)])
  return found
    .flat()
    .sort((one, other) => other.created_at - one.created_at)
    .slice(0, MAX_VERIFICATIONS)
}

/** Returns the newest messages to an address; with `cursor`, only messages with smaller IDs. */
export async function listMessagesTo(
  read: Read,
  account: SearchedAccount,
  email: string,
  limit: number,
  cursor: string | undefined,
): Promise<MessagePage> {
  const found = await recipientsWith(read, account, email, limit + 1, cursor)
  const ids = [...new Set(found.slice(0, limit).map(({ message_id }) => message_id))]
  return {
    messages: await findMessagesById(read, account, ids),
    next: found.length > limit ? (ids.at(-1) ?? null) : null,
  }
}

/** Returns the recipients with an address, in descending order of message IDs. */
async function recipientsWith(
  read: Read,
  { domainIds }: SearchedAccount,
  email: string,
  limit: number,
  cursor?: string,
): Promise<Pick<Tables['recipients'], 'message_id' | 'status'>[]> {
  if (domainIds.length === 0) return []
  let query = read
    .selectFrom('recipients')
    .select(['message_id', 'status'])
    .where('domain_id', 'in', domainIds)
    .where(sql<boolean>`lower(email) = ${inAnyCase(email)}`)
    .orderBy('message_id', 'desc')
    .limit(limit)
  if (cursor !== undefined) query = query.where('message_id', '<', cursor)
  return query.execute()
}

function suppressionsOf(
  read: Read,
  { accountId, domainIds }: SearchedAccount,
  email: string,
): Promise<Suppression[]> {
  const owners = [...domainIds, wholeAccount(accountId).domainId]
  return read
    .selectFrom('suppressions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(sql<boolean>`lower(email) = ${inAnyCase(email)}`)
    .where('domain_id', 'in', owners)
    .orderBy('id', 'desc')
    .execute()
}

const verificationsOf = (
  read: Read,
  { accountId }: SearchedAccount,
  email: string,
): Promise<VerifiedAddress[]> =>
  read
    .selectFrom('verification_addresses as address')
    .innerJoin('verifications', (join) =>
      join
        .onRef('verifications.id', '=', 'address.verification_id')
        .onRef('verifications.account_id', '=', 'address.account_id'),
    )
    .select(['address.verification_id', 'address.answer'])
    .select(['verifications.name', 'verifications.created_at'])
    .where('address.account_id', '=', accountId)
    .where(sql<boolean>`lower(address.email) in (${sql.join(spellingsOf(inAnyCase(email)))})`)
    .orderBy('address.verification_id', 'desc')
    .limit(MAX_VERIFICATIONS)
    .execute()

async function checksOf(
  read: Read,
  { accountId }: SearchedAccount,
  email: string,
): Promise<VerifiedAddress[]> {
  const rows = await read
    .selectFrom('verification_checks')
    .select(['answer', 'checked_at'])
    .where(matchesCheck({ email: inAnyCase(email), accountId }))
    .orderBy('id', 'desc')
    .limit(MAX_VERIFICATIONS)
    .execute()
  return rows.map(({ answer, checked_at }) => ({
    verification_id: null,
    name: null,
    answer,
    created_at: checked_at,
  }))
}
