// Suppressions: addresses to which a stream no longer sends, and the recipients that end as suppressed.

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

/** An address, with the stream and the domain that send to the address. */
export interface StreamAddress {
  readonly domainId: string
  readonly stream: string
  /** Address in the spelling of `Address.email`; suppressions match the address case-insensitively. */
  readonly email: string
}

/** A suppression to add. */
export type NewSuppression = Omit<Suppression, 'id' | 'replaced'>

/**
 * Returns the row of a new suppression, with the address in lower case. Hardly any host distinguishes `Ann@` from
 * `ann@` (RFC 5321 §2.4 advises against the distinction), and a recipient who has unsubscribed must not get mail at
 * another spelling of the address.
 */
export const suppressionRow = (item: NewSuppression): Suppression => ({
  id: newId('sup', item.created_at),
  replaced: null,
  ...item,
  email: inAnyCase(item.email),
})

/** Returns the key of an address on a suppression list. */
export const listedKey = ({ domainId: domain_id, stream, email }: StreamAddress) => ({
  domain_id,
  stream,
  email: inAnyCase(email),
})

/**
 * Adds addresses to their suppression lists; the result is false for an address that is already listed, and the listed
 * entry keeps its reason.
 */
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
 * Adds an address to its suppression list for a reason given by the recipient; this reason replaces a lower-ranking
 * reason. Returns whether the entry changed. A reason given by the recipient ranks higher than a refusal by a host.
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

/**
 * Returns the suppression of each suppressed address by index of the address, for the stream or for the whole domain.
 */
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

/** Returns the indices of the addresses that are suppressed. */
export async function suppressedAmong(
  db: Database,
  addresses: readonly StreamAddress[],
): Promise<Set<number>> {
  return new Set((await findSuppressions(db, addresses)).keys())
}

/** A recipient that waits in the queue or is being claimed. */
interface WaitingRecipient extends StreamAddress {
  readonly messageId: string
  readonly position: number
  readonly accountId: string
}

/**
 * Ends recipients as suppressed, with their events and the statuses of their messages. Includes recipients whose
 * suppression was removed meanwhile.
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

/** Returns the event that states why nothing was sent to a recipient. */
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

/** Suppresses addresses that a host has just refused permanently; ignores all other outcomes. */
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

/** True if a bounce is caused by the address itself, and not by the sender or the message. */
export const suppresses = ({ hard, category }: Pick<Outcome, 'hard' | 'category'>): boolean =>
  hard === true && category !== undefined && isAboutAddress(category)
