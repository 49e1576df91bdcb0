// Adds an audit entry to the first write of a request or command, in the same commit. A write that revokes access takes
// effect on this node before the response is sent.

import { AsyncLocalStorage } from 'node:async_hooks'
import { newId } from '../lib/ids.ts'
import { type AuditEntry, recordAudit } from '../store/access/audit-log.ts'
import type { Write } from '../store/database/group-commit.ts'
import type { Store } from '../store/database/store.ts'
import type { VersionWatch } from '../store/node/version-watch.ts'
import { audited } from '../store/writes.ts'

/** Action of a user, a key, the operator or a command, as recorded in the audit log. */
export interface AuditAction {
  readonly action: string
  /** Time of the action in milliseconds since the epoch. */
  readonly at: number
  /**
   * ID of the account whose audit log contains the entry; null for the account that operates the installation. An
   * action whose account ID is undefined, because no user is known yet, is not logged.
   */
  accountId?: string | null | undefined
  userId?: string | null | undefined
  /** Readable name of the actor, such as the address of a user, the name of a key or a command line. */
  actor: string
  readonly address: string | null
  /** Target of the action; by default the target that the write names (`Write.auditTarget`). */
  target?: string | undefined
  /** ID of the domain in which the action takes place, logged when the action has no target. */
  within?: string | undefined
  /** Further details for the audit log; must not contain a secret. */
  detail?: Readonly<Record<string, unknown>> | undefined
}

interface Current {
  readonly action: AuditAction
  /** True once the audit entry is written or the action has ended. */
  closed: boolean
}

const current = new AsyncLocalStorage<Current>()

/**
 * Runs `work` as one audit action. The first change that `work` writes through an `auditedStore` includes the audit
 * entry. The entry is written after `work` if `work` has written no change through an `auditedStore` and `succeeded`
 * returns true.
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
    // Background work that outlasts `work` does not belong to this audit action.
    context.closed = true
  }
}

/** Writes the audit entry of an action that was refused, such as a login. */
export const logRefusal = (action: AuditAction, store: Store): Promise<true> =>
  store.write(recordAudit, entryOf(action, undefined))

/**
 * Adds actor, target or further details to the current audit action. Does nothing outside of an audit action.
 */
export function describeAuditAction(more: Partial<Omit<AuditAction, 'action' | 'address' | 'at'>>): void {
  const action = current.getStore()?.action
  if (action !== undefined) Object.assign(action, more, { detail: { ...action.detail, ...more.detail } })
}

/**
 * Returns a store that adds the entry of the current audit action to its writes. A write that revokes access resolves
 * only after `versions` has noticed the change, so that this node applies the change before it responds.
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
  // The action is closed before the write, so that two concurrent writes do not both include the audit entry, and
  // reopened if the write has changed nothing.
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
