// Leases: renewing them, giving recipients back untried, and freeing what a vanished worker held.

import { type Database, updateRows } from './dialect.ts'
import { deriveMessageStatuses } from './history.ts'
import { waitingStatus, wakeDue } from './lanes.ts'
import type { Claimed } from './queue.ts'

/** Which rows a worker still holds. */
interface Held {
  readonly messageId: string
  readonly position: number
  readonly lease: string
}

/** What is given back of an attempt that was not made. */
export type Returned = Held & Pick<Claimed, 'attempt' | 'domainId'>

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

/** Gives recipients back whose attempt did not end, when a node stops: the next one may take them at once. */
export async function handBack(
  db: Database,
  items: readonly {
    readonly held: readonly Returned[]
    readonly now: number
  }[],
): Promise<true[]> {
  for (const { held, now } of items) {
    const rows = held.map((one) => ({
      ...rowOf(one),
      lane: 'ready' as const,
      next_attempt_at: now,
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

/** Frees every lease: for a store of one node at its start, when whoever held them is gone. */
export async function releaseAllLeases(db: Database, items: readonly true[]): Promise<true[]> {
  while (await wakeDue(db, Number.MAX_SAFE_INTEGER, ['leased'])) {
    // Each round frees some hundreds.
  }
  return items.map(() => true)
}
