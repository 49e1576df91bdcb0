// Prepares a restored store, so that messages delivered after the backup are not sent again.

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

/** Maximum number of recipients or suppressions in one write. */
const AT_ONCE = 500

/** Recipients to hold: recipients with an unknown outcome, all recipients, or none. */
export type Holding = 'unknown' | 'all' | 'none'

/** Result of preparing a restored store. */
export interface AfterRestore {
  /**
   * Name with which the operator resumes or cancels the messages that the restore holds; null if the restore holds no
   * messages.
   */
  readonly restored: string | null
  /** Number of recipients that wait for the operator. */
  readonly held: number
  /** Number of recipients that became final after the backup, according to the previous store. */
  readonly carriedOver: number
  /**
   * Number of recipients that are still queued because the message was certainly not delivered, the sender has
   * scheduled the message, or the operator asked not to hold recipients.
   */
  readonly waiting: number
  /** Number of suppressions copied from the previous store. */
  readonly suppressions: number
  /** Number of messages accepted after the backup, which are lost; null if the previous store cannot be read. */
  readonly lostMessages: number | null
  /** ID of the newest message in the backup. */
  readonly newestMessage: string | undefined
}

/** Prepares a restored store while no node runs. `before` is the previous store, if readable. */
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

/** Returns the recipients to hold among the recipients that are not final, and the number of all others. */
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
