// Leases: renewing them, releasing recipients that were not attempted, and those that a vanished node held.

import { type Share, throttled } from '../../model/queue-state.ts'
import { type Database, updateRows } from '../database/dialect.ts'
import { deriveMessageStatuses } from '../messages/history.ts'
import { waitingStatus, wakeLeased } from './queue-moves.ts'

/** A recipient under a lease. */
interface Held {
  readonly messageId: string
  readonly position: number
  /** The token. */
  readonly lease: string
}

/** A recipient that is released without an attempt. */
export interface Unattempted extends Held {
  readonly domainId: string
  /** Number of the attempt that was not made, from 1. */
  readonly attempt: number
  /** The share whose slot it has to wait for, in its old order; undefined: it is ready, and the next one. */
  readonly throttledBy?: { readonly share: Share; readonly startTag: number } | undefined
}

/** Moves the end of leases while attempts run. */
export async function renewLeases(
  db: Database,
  items: readonly { readonly held: readonly Held[]; readonly until: number }[],
): Promise<true[]> {
  for (const { held, until } of items) {
    const rows = held.map((one) => ({ ...rowOf(one), next_attempt_at: until }))
    await updateRows(db, 'recipients', ['message_id', 'position'], rows, { match: ['lease'] })
  }
  return items.map(() => true)
}

/** Releases recipients that were not attempted, for whichever node claims them next. */
export async function releaseLeases(
  db: Database,
  items: readonly {
    readonly held: readonly Unattempted[]
    readonly now: number
  }[],
): Promise<true[]> {
  for (const { held, now } of items) {
    const rows = held.map((one) => ({
      ...rowOf(one),
      lane: one.throttledBy === undefined ? ('ready' as const) : throttled(one.throttledBy.share),
      next_attempt_at: one.throttledBy?.startTag ?? now,
      status: waitingStatus(one.attempt - 1),
    }))
    await updateRows(db, 'recipients', ['message_id', 'position'], rows, {
      match: ['lease'],
      clear: ['lease'],
    })
    await deriveMessageStatuses(db, new Map(held.map((one) => [one.messageId, one.domainId])), now)
  }
  return items.map(() => true)
}

const rowOf = ({ messageId, position, lease }: Held) => ({ message_id: messageId, position, lease })

/** Releases every lease: for a store of one node at its start, when the process that held them is gone. */
export async function releaseAllLeases(
  db: Database,
  items: readonly { readonly now: number }[],
): Promise<true[]> {
  for (const { now } of items) {
    while (await wakeLeased(db, now)) {
      // Each round frees some hundreds.
    }
  }
  return items.map(() => true)
}
