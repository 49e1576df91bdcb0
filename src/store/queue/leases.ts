// Leases of recipients: renews leases, and releases recipients that were not attempted or whose node has died.

import { sql } from 'kysely'
import type { Lease } from '../../model/lease.ts'
import { type Flow, READY, throttled } from '../../model/queue-state.ts'
import type { Database } from '../database/dialect.ts'
import { updateRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { releaseBatch } from './queue-moves.ts'

/** Identity of a recipient. */
export interface RecipientKey {
  readonly messageId: string
  readonly position: number
}

/** Columns of a row of the queue that name the recipient, its owner, its destination and its stream. */
export const QUEUED = [
  'message_id as messageId',
  'position',
  'account_id as accountId',
  'domain_id as domainId',
  'destination',
  'stream',
] as const

/** A recipient under a lease. */
interface Held extends RecipientKey {
  /** Token of the lease. */
  readonly lease: string
}

/** A recipient whose lease is released without an attempt. */
export interface Unattempted extends Held {
  readonly domainId: string
  /** Number of the attempt that was not made, from 1. */
  readonly attempt: number
  /**
   * Flow in which the recipient waits again, with the same start tag as before; undefined if the recipient becomes
   * ready now.
   */
  readonly throttledIn?: { readonly flow: Flow; readonly startTag: number } | undefined
}

/** Returns the column values of a recipient under a lease. */
export const leased = (
  { token, until }: Lease,
  now: number,
): Pick<Tables['queue'], 'state' | 'waits_for' | 'lease' | 'lease_until' | 'active_since' | 'renewed'> => ({
  state: 'active',
  waits_for: '',
  lease: token,
  lease_until: until,
  active_since: now,
  renewed: 0,
})

/**
 * Extends leases while attempts run. Returns the recipients whose leases were extended; the leases of all other
 * recipients in `held` are lost.
 */
export async function renewLeases(
  db: Database,
  items: readonly { readonly held: readonly Held[]; readonly until: number }[],
): Promise<(readonly RecipientKey[])[]> {
  const results: RecipientKey[][] = []
  for (const { held, until } of items) {
    const rows = held.map((one) => ({ ...rowOf(one), lease_until: until, renewed: 1 }))
    const renewed = await updateRows(db, 'queue', ['message_id', 'position'], rows, { match: ['lease'] })
    results.push(renewed.map(({ message_id: messageId, position }) => ({ messageId, position })))
  }
  return results
}
renewLeases.line = 'ending' as const

/** Releases recipients that were not attempted; any node can then claim these recipients. */
export async function releaseLeases(
  db: Database,
  items: readonly {
    readonly held: readonly Unattempted[]
    readonly now: number
  }[],
): Promise<true[]> {
  for (const { held, now } of items) {
    const rows = held.map((one) => {
      const to = one.throttledIn === undefined ? READY : throttled(one.throttledIn.flow)
      return {
        ...rowOf(one),
        state: to.state,
        waits_for: to.waitsFor,
        start_tag: one.throttledIn?.startTag ?? now,
        renewed: 0,
      }
    })
    await updateRows(db, 'queue', ['message_id', 'position'], rows, {
      match: ['lease'],
      clear: ['lease', 'lease_until', 'active_since'],
    })
  }
  return items.map(() => true)
}
releaseLeases.line = 'ending' as const

const rowOf = ({ messageId, position, lease }: Held) => ({ message_id: messageId, position, lease })

/**
 * Releases every lease, at the start of the only node of a store, because the process that held the leases has ended.
 */
export async function releaseAllLeases(
  db: Database,
  items: readonly { readonly now: number }[],
): Promise<true[]> {
  while ((await releaseBatch(db)).length > 0) {
    // Each iteration releases up to 512 recipients.
  }
  return items.map(() => true)
}

/** Releases the leases of a node whose process has ended; the name of the node is the prefix of its lease tokens. */
export async function releaseLeasesOf(
  db: Database,
  items: readonly { readonly node: string }[],
): Promise<true[]> {
  for (const { node } of items) {
    while ((await releaseBatch(db, sql`lease like ${`${node}.%`}`)).length > 0);
  }
  return items.map(() => true)
}

/**
 * Releases the recipients of claims whose commit got no response; the node has begun no attempt for these recipients.
 * Returns the lowest start tag of the released recipients, or infinity if no recipient was released.
 */
export async function releaseAbandoned(db: Database, tokens: readonly string[]): Promise<number> {
  if (tokens.length === 0) return Number.POSITIVE_INFINITY
  const rows = await db
    .selectFrom('queue')
    .select(['message_id', 'position', 'start_tag'])
    .where('lease_until', 'is not', null)
    .where('lease', 'in', tokens)
    .execute()
  await updateRows(
    db,
    'queue',
    ['message_id', 'position'],
    rows.map(({ message_id, position }) => ({ message_id, position, state: 'ready' as const })),
    { clear: ['lease', 'lease_until', 'active_since'] },
  )
  return Math.min(...rows.map(({ start_tag }) => start_tag))
}
