// Leases: renews them, and releases recipients that were not attempted or whose node has vanished.

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

/** A recipient under a lease. */
interface Held extends RecipientKey {
  /** Token of the lease. */
  readonly lease: string
}

/** A recipient that is released without an attempt. */
export interface Unattempted extends Held {
  readonly domainId: string
  /** Number of the attempt that was not made, from 1. */
  readonly attempt: number
  /** Flow in which the recipient waits, with its old start tag; undefined: the recipient is ready and comes next. */
  readonly throttledIn?: { readonly flow: Flow; readonly startTag: number } | undefined
}

/** Returns the columns of a recipient under a lease. */
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
 * Moves the end of leases while attempts run. Returns the recipients whose leases were renewed; the leases of the
 * others are lost.
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

/** Releases recipients that were not attempted, so that any node can claim them. */
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

/** Releases every lease: for a store with one node at its start, when the process that held them is gone. */
export async function releaseAllLeases(
  db: Database,
  items: readonly { readonly now: number }[],
): Promise<true[]> {
  while ((await releaseBatch(db)).length > 0) {
    // Each round releases up to 512 recipients.
  }
  return items.map(() => true)
}

/** Releases the leases of a node whose process is gone: their tokens begin with the node's name. */
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
 * Releases recipients of claims whose commit was not answered, and for which the node has begun nothing. Returns their
 * first start tag, infinite when there are none.
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
