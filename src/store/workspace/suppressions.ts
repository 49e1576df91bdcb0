// Suppressions: addresses that a stream no longer sends to, and the recipients that they end.

import { newId } from '../../lib/ids.ts'
import { inAnyCase } from '../../model/address.ts'
import type { Outcome } from '../../model/attempt.ts'
import { isAboutAddress } from '../../model/bounce-category.ts'
import { SERVICE_STREAM } from '../../model/stream.ts'
import { type SuppressionReason, WHOLE_DOMAIN } from '../../model/suppression.ts'
import type { Database } from '../database/dialect.ts'
import { findRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { together } from '../database/together.ts'
import { endRecipients, eventOf, keepEvents, type NewEvent } from '../messages/history.ts'
import { findErased } from './erased-suppressions.ts'

export type Suppression = Tables['suppressions']

/** An address in a stream of a domain. */
export interface StreamAddress {
  readonly domainId: string
  readonly stream: string
  /** As `Address.email`; a suppression matches it in any case. */
  readonly email: string
}

/** A suppression to add. */
export type NewSuppression = Omit<Suppression, 'id' | 'replaced'>

/**
 * Returns the row of a new suppression. Its address is in lower case: hosts that distinguish `Ann@` from `ann@` are
 * practically not in use (RFC 5321 §2.4 advises against them), and a recipient who left must not get mail in another
 * spelling.
 */
export const suppressionRow = (item: NewSuppression): Suppression => ({
  id: newId('sup', item.created_at),
  replaced: null,
  ...item,
  email: inAnyCase(item.email),
})

/** Returns the key of an address on a list. */
export const listedKey = ({ domainId: domain_id, stream, email }: StreamAddress) => ({
  domain_id,
  stream,
  email: inAnyCase(email),
})

/** Adds addresses to their lists; false for an address that is listed already, which keeps its first reason. */
export async function suppress(db: Database, items: readonly NewSuppression[]): Promise<boolean[]> {
  if (items.length === 0) return []
  const rows = items.map(suppressionRow)
  const added = await db
    .insertInto('suppressions')
    .values(rows)
    .onConflict((on) => on.columns(['domain_id', 'stream', 'email']).doNothing())
    .returning('id')
    .execute()
  const ids = new Set(added.map((row) => row.id))
  return rows.map((row) => ids.has(row.id))
}

/**
 * Adds an address to its list for a reason given by the recipient, which replaces a lower-ranking one; returns whether
 * that changed anything. A recipient who wants no more mail counts more than a host that could not accept it.
 */
export async function suppressForOwner(
  db: Database,
  item: NewSuppression & { readonly reason: 'unsubscribe' | 'complaint' },
): Promise<boolean> {
  const { reason, message_id, created_at } = item
  const lesser: readonly SuppressionReason[] = ['hard_bounce', 'manual', 'unsubscribe']
  const kept = await db
    .insertInto('suppressions')
    .values(suppressionRow(item))
    .onConflict((on) =>
      on
        .columns(['domain_id', 'stream', 'email'])
        .doUpdateSet((eb) => ({ reason, message_id, created_at, replaced: eb.ref('suppressions.reason') }))
        .where('suppressions.reason', 'in', lesser)
        .where('suppressions.reason', '!=', reason),
    )
    .returning('id')
    .execute()
  return kept.length > 0
}

/** Returns the suppressions among the addresses, of their stream or of the whole domain, by index of the address. */
export async function findSuppressions(
  db: Database,
  addresses: readonly StreamAddress[],
): Promise<ReadonlyMap<number, Suppression>> {
  const listed = addresses.flatMap((address) => [
    listedKey(address),
    ...(address.stream === SERVICE_STREAM ? [] : [listedKey({ ...address, stream: WHOLE_DOMAIN })]),
  ])
  const both = await together(
    findRows(db, 'suppressions', ['domain_id', 'stream', 'email'], listed),
    findErased(db, listed),
  )
  const found = both.flat()
  if (found.length === 0) return new Map()
  const key = (domainId: string, stream: string, email: string): string =>
    `${domainId} ${stream} ${inAnyCase(email)}`
  const byKey = new Map(found.map((row) => [key(row.domain_id, row.stream, row.email), row]))
  const byIndex = new Map<number, Suppression>()
  for (const [index, { domainId, stream, email }] of addresses.entries()) {
    const ofDomain = stream === SERVICE_STREAM ? undefined : byKey.get(key(domainId, WHOLE_DOMAIN, email))
    const row = byKey.get(key(domainId, stream, email)) ?? ofDomain
    if (row !== undefined) byIndex.set(index, row)
  }
  return byIndex
}

/** Returns the indices of the suppressed addresses. */
export async function suppressedAmong(
  db: Database,
  addresses: readonly StreamAddress[],
): Promise<Set<number>> {
  return new Set((await findSuppressions(db, addresses)).keys())
}

/** A recipient that waits in the queue or is just being claimed. */
interface WaitingRecipient extends StreamAddress {
  readonly messageId: string
  readonly position: number
  readonly accountId: string
}

/**
 * Ends recipients as suppressed: status, event and message. A recipient whose suppression was removed meanwhile ends as
 * well.
 */
export async function endAsSuppressed(
  db: Database,
  rows: readonly WaitingRecipient[],
  now: number,
): Promise<void> {
  if (rows.length === 0) return
  const suppressions = await findSuppressions(db, rows)
  await endRecipients(db, rows, 'suppressed', now)
  const events = rows.map((row, index) => suppressedEvent(row, suppressions.get(index), now))
  await keepEvents(db, events)
}

/** Returns the event with the reason why nothing was sent. */
export function suppressedEvent(
  recipient: Omit<WaitingRecipient, 'position'>,
  suppression: Suppression | undefined,
  now: number,
): NewEvent {
  return eventOf(recipient, 'suppressed', now, {
    reason:
      suppression?.stream === WHOLE_DOMAIN
        ? 'The address is on the suppression list of the whole domain.'
        : `The address is on the suppression list of the stream ${recipient.stream}.`,
    suppression: suppression?.reason,
    since: suppression && new Date(suppression.created_at).toISOString(),
  })
}

/** Suppresses addresses that a host has just refused permanently; other outcomes change nothing. */
export async function suppressHardBounces(
  db: Database,
  items: readonly {
    readonly claimed: Omit<WaitingRecipient, 'position'>
    readonly outcome: Outcome
    readonly now: number
  }[],
): Promise<void> {
  const hard = items.filter(({ outcome }) => outcome.status === 'bounced' && suppresses(outcome))
  await suppress(
    db,
    hard.map(({ claimed, now }) => ({
      account_id: claimed.accountId,
      domain_id: claimed.domainId,
      stream: claimed.stream,
      email: claimed.email,
      reason: 'hard_bounce',
      message_id: claimed.messageId,
      created_at: now,
    })),
  )
}

/**
 * True if the address itself is at fault: a refusal because of the sender or the message says nothing against the
 * address.
 */
export const suppresses = ({ hard, category }: Pick<Outcome, 'hard' | 'category'>): boolean =>
  hard === true && category !== undefined && isAboutAddress(category)
