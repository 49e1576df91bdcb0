// Writes of requests and commands: each carries the entry of the audit log in its commit, and one that takes access away
// is noticed before it is answered.

import { AsyncLocalStorage } from 'node:async_hooks'
import { newId } from '../lib/ids.ts'
import { type AuditEntry, recordAudit } from '../store/access/audit-log.ts'
import type { Write } from '../store/database/group-commit.ts'
import type { Store } from '../store/database/store.ts'
import type { VersionWatch } from '../store/node/version-watch.ts'
import { audited } from '../store/writes.ts'

/** One thing done by a user, a key, the operator or a command, as the audit log tells it. */
export interface AuditAction {
  readonly action: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Null: the account that operates the installation. Undefined while no user is known: then nothing is logged. */
  accountId?: string | null | undefined
  userId?: string | null | undefined
  /** In words: the address of a user, the name of a key, the command line. */
  actor: string
  readonly address: string | null
  /** Target of the action; by default the one that the write with the entry names (`Write.auditTarget`). */
  target?: string | undefined
  /** Surroundings of the action, logged when there is no target. */
  within?: string | undefined
  /** Further details for the log; never a secret. */
  detail?: Readonly<Record<string, unknown>> | undefined
}

interface Current {
  readonly action: AuditAction
  /** The entry has been written, or its time is over. */
  closed: boolean
}

const current = new AsyncLocalStorage<Current>()

/**
 * Runs `work` as one audit action. The first change that it writes through an `auditedStore` carries the entry; if
 * there is none, `succeeded` is asked whether there was a change all the same, which is logged after it.
 */
export async function runAuditAction<T>(
  action: AuditAction,
  store: Store,
  work: () => Promise<T>,
  succeeded: () => boolean,
): Promise<T> {
  const context: Current = { action, closed: false }
  try {
    const result = await current.run(context, work)
    if (!context.closed && action.accountId !== undefined && succeeded()) {
      await store.write(recordAudit, entryOf(action, undefined))
    }
    return result
  } finally {
    // Work that goes on behind the answer is not part of this action any more.
    context.closed = true
  }
}

/** Logs what was not done in the end, such as a login that was refused. */
export const logRefusal = (action: AuditAction, store: Store): Promise<true> =>
  store.write(recordAudit, entryOf(action, undefined))

/** Adds to the audit action that is under way: its actor, its target, details. Outside of one it does nothing. */
export function describeAuditAction(more: Partial<Omit<AuditAction, 'action' | 'address' | 'at'>>): void {
  const context = current.getStore()
  if (context !== undefined) Object.assign(context.action, more)
}

/**
 * A store whose writes carry the entry of the audit action that they are part of. Those that take access away are done
 * when `versions` has noticed it, so that this node goes by the change when it answers.
 */
export const auditedStore = (store: Store, versions?: Pick<VersionWatch, 'check'>): Store => ({
  ...store,
  write(write, item) {
    const context = current.getStore()
    const none = context === undefined || context.closed || context.action.accountId === undefined
    const written =
      none || write.unaudited ? store.write(write, item) : writeLogged(store, context, write, item)
    if (!write.takesAccess || versions === undefined) return written
    return written.then(async (result) => {
      await versions.check()
      return result
    })
  },
})

async function writeLogged<Item, Result>(
  store: Store,
  context: Current,
  write: Write<Item, Result>,
  item: Item,
): Promise<Result> {
  // Taken before the write, so that two at once do not both carry it; given back when nothing was changed.
  context.closed = true
  const entry = entryOf(context.action, write.auditTarget?.(item))
  let logged = false
  try {
    const done = await store.write(audited, { name: write.name, item, entry })
    logged = done.logged
    return done.result as Result
  } finally {
    context.closed = logged
  }
}

function entryOf(described: AuditAction, written: string | undefined): AuditEntry {
  const { accountId = null, userId = null, actor, action, address, target, within, detail, at } = described
  return {
    id: newId('aud', at),
    account_id: accountId,
    at,
    user_id: userId,
    actor: actor.slice(0, 400),
    action,
    target: target ?? written ?? within ?? null,
    address,
    detail: JSON.stringify(detail ?? {}),
  }
}
