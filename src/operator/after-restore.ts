// Prepares a restored store: messages delivered after the backup must not be sent again.

import type { Clock } from '../lib/clock.ts'
import { endRestoredBulks } from '../store/bulk/bulks.ts'
import type { Read, Store } from '../store/database/store.ts'
import { pauseQueue } from '../store/queue/queue-control.ts'
import {
  carryOver,
  countMessagesAfter,
  type FateBefore,
  fateBefore,
  holdRestored,
  listQueued,
  nameOf,
  newestMessage,
  type QueuedRow,
} from '../store/queue/restored.ts'
import {
  addSuppressionsOfBefore,
  listAllSuppressions,
  listErasedSuppressions,
} from '../store/workspace/restored-suppressions.ts'

/** Recipients or suppressions per write. */
const AT_ONCE = 500

/** Recipients to hold: those with an unknown outcome, all, or none. */
export type Holding = 'unknown' | 'all' | 'none'

/** Counts of the work done. */
export interface AfterRestore {
  /** Name of the restore, under which its messages are resumed or cancelled; null when it holds none. */
  readonly restored: string | null
  /** Recipients held. */
  readonly held: number
  /** Recipients that ended after the backup, according to the previous store. */
  readonly carriedOver: number
  /** Recipients that keep waiting: known as not delivered, scheduled by the sender, or not held on request. */
  readonly waiting: number
  /** Suppressions from after the backup. */
  readonly suppressions: number
  /** Messages accepted after the backup, which are lost; null without the previous store. */
  readonly lostMessages: number | null
  /** The newest message in the backup. */
  readonly newestMessage: string | undefined
}

/** Prepares a restored store while no node runs. `before` is the previous store as it was left, if it can be read. */
export async function settleRestored(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  before: Read | undefined,
  holding: Holding,
): Promise<AfterRestore> {
  const now = clock.now()
  const time = new Date(now).toISOString()
  const queue = { held: 0, carriedOver: 0, waiting: 0 }
  for (let last: QueuedRow | undefined; ; ) {
    const rows: QueuedRow[] = await listQueued(store.read, AT_ONCE, last)
    last = rows.at(-1)
    if (last === undefined) break
    const fate = await fateBefore(before, rows)
    const { held, waiting } = sorted(rows, fate, holding, now)
    if (fate.ended.length > 0) await store.write(carryOver, { ended: fate.ended, now })
    if (queue.held === 0 && held.length > 0) {
      await store.write(pauseQueue, { kind: 'restored', value: time, created_at: now })
    }
    if (held.length > 0) await store.write(holdRestored, { rows: held, time })
    queue.held += held.length
    queue.carriedOver += fate.ended.length
    queue.waiting += waiting
  }
  if (holding !== 'none') await store.write(endRestoredBulks, { now })
  const newest = await newestMessage(store.read)
  return {
    ...{ restored: queue.held > 0 ? time : null, ...queue },
    suppressions: before === undefined ? 0 : await carrySuppressions(store, before),
    lostMessages: before === undefined ? null : await countMessagesAfter(before, newest ?? ''),
    newestMessage: newest,
  }
}

/** Returns the recipients to hold among those that have not ended, and the number of those that keep waiting. */
function sorted(rows: readonly QueuedRow[], fate: FateBefore, holding: Holding, now: number) {
  const ended = fate.ended.map(({ recipient }) => nameOf(recipient))
  const left = rows.filter((row) => !ended.includes(nameOf(row)))
  const isUndelivered = (row: QueuedRow): boolean => fate.waiting.includes(nameOf(row))
  const isHeld = (row: QueuedRow): boolean => {
    if (holding === 'none' || (row.state === 'scheduled' && (row.due_at ?? 0) > now)) return false
    return holding === 'all' || !isUndelivered(row)
  }
  const held = left.filter(isHeld).map((row) => ({
    ...{ message_id: row.message_id, position: row.position },
    possible_duplicate: isUndelivered(row) ? 0 : 1,
  }))
  return { held, waiting: left.length - held.length }
}

async function carrySuppressions(store: Store, before: Read): Promise<number> {
  const erased = await listErasedSuppressions(before)
  let added = await store.write(addSuppressionsOfBefore, { suppressions: [], erased })
  let last: Awaited<ReturnType<typeof listAllSuppressions>>[number] | undefined
  for (;;) {
    const suppressions = await listAllSuppressions(before, AT_ONCE, last)
    last = suppressions.at(-1)
    if (last === undefined) return added
    added += await store.write(addSuppressionsOfBefore, { suppressions, erased: [] })
  }
}
