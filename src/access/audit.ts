// Writes of requests and commands: each carries its audit entry in the same commit, and a write that takes access
// away takes effect on this node before its answer.

import { AsyncLocalStorage } from 'node:async_hooks'
import { newId } from '../lib/ids.ts'
import { type AuditEntry, recordAudit } from '../store/access/audit-log.ts'
import type { Write } from '../store/database/group-commit.ts'
import type { Store } from '../store/database/store.ts'
import type { VersionWatch } from '../store/node/version-watch.ts'
import { audited } from '../store/writes.ts'

/** One action of a user, a key, the operator or a command, as the audit log records it. */
export interface AuditAction {
  readonly action: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Null: the account that operates the installation. Undefined while no user is known: then nothing is logged. */
  accountId?: string | null | undefined
  userId?: string | null | undefined
  /** Actor in words: address of a user, name of a key, command line. */
  actor: string
  readonly address: string | null
  /** Target of the action; by default the target that the write names (`Write.auditTarget`). */
  target?: string | undefined
  /** Surroundings of the action, logged when there is no target. */
  within?: string | undefined
  /** Further details for the log; never a secret. */
  detail?: Readonly<Record<string, unknown>> | undefined
}

interface Current {
  readonly action: AuditAction
  /** True once the entry is written, or the action is over. */
  closed: boolean
}

const current = new AsyncLocalStorage<Current>()

/**
 * Runs `work` as one audit action. The first change written through an `auditedStore` carries the entry. If `work`
 * made no such write, `succeeded` tells from the result whether there was a change, which is logged afterwards.
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
    // Work that continues after the answer does not belong to this action.
    context.closed = true
  }
}

/** Logs an action that was refused, such as a login. */
export const logRefusal = (action: AuditAction, store: Store): Promise<true> =>
  store.write(recordAudit, entryOf(action, undefined))

/** Adds actor, target or details to the current audit action. Does nothing outside of an audit action. */
export function describeAuditAction(more: Partial<Omit<AuditAction, 'action' | 'address' | 'at'>>): void {
  const context = current.getStore()
  if (context !== undefined) Object.assign(context.action, more)
}

/**
 * Wraps a store so that writes carry the entry of their audit action. A write that takes access away resolves after
 * `versions` has noticed the change, so that this node applies it when it answers.
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
  // Closed before the write, so that two concurrent writes do not both carry the entry; reopened if nothing was
  // changed.
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
