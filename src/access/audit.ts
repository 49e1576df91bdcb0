// The audit log's way into the store: what a request or a command changes carries its entry in the same commit.

import { AsyncLocalStorage } from 'node:async_hooks'
import { newId } from '../lib/ids.ts'
import type { AuditEntry } from '../store/audit-log.ts'
import type { Store } from '../store/store.ts'
import type { WriteItem, WriteName, WriteResult } from '../store/writes.ts'

/** Who does something, and what it is called. */
export interface Deed {
  readonly action: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Null: the account that operates the installation. Undefined while nobody is known: then nothing is logged. */
  accountId?: string | null | undefined
  userId?: string | null | undefined
  /** In words: the address of a user, the name of a key, the command line. */
  actor: string
  readonly address: string | null
  /** What it is done to; found in what is written when it is not said. */
  target?: string | undefined
  /** What it is in, told when there is no target. */
  within?: string | undefined
  /** What is worth telling beside it; never a secret. */
  detail?: Readonly<Record<string, unknown>> | undefined
}

interface Current {
  readonly deed: Deed
  /** Whether its entry has been written, or its time is over. */
  closed: boolean
}

const current = new AsyncLocalStorage<Current>()

/** What is written beside a deed and is none itself. */
const ASIDE: ReadonlySet<WriteName> = new Set([
  'countLoginTry',
  'forgetLoginTries',
  'keepToken',
  'recordAudit',
  'takeCredit',
  'takeRecoveryCode',
  'takeToken',
  'takeTotpStep',
  'touchSession',
])

/**
 * Runs `work` as one deed. The first change that it writes through an `auditedStore` carries the entry; if there is
 * none, `succeeded` is asked whether there was a change all the same, which is logged after it.
 */
export async function asDeed<T>(
  deed: Deed,
  store: Store,
  work: () => Promise<T>,
  succeeded: () => boolean,
): Promise<T> {
  const context: Current = { deed, closed: false }
  try {
    const result = await current.run(context, work)
    if (!context.closed && deed.accountId !== undefined && succeeded()) {
      await store.write('recordAudit', entryOf(deed, undefined))
    }
    return result
  } finally {
    // What goes on behind the answer is not this deed any more.
    context.closed = true
  }
}

/** Logs what was not done in the end, such as a login that was refused. */
export const logRefusal = (deed: Deed, store: Store): Promise<true> =>
  store.write('recordAudit', entryOf(deed, undefined))

/** Tells more of the deed that is under way: who does it, to what. Outside of one it does nothing. */
export function describeDeed(more: Partial<Omit<Deed, 'action' | 'address' | 'at'>>): void {
  const context = current.getStore()
  if (context !== undefined) Object.assign(context.deed, more)
}

/** A store whose writes carry the entry of the deed that they are part of. */
export const auditedStore = (store: Store): Store => ({
  ...store,
  write(name, item) {
    const context = current.getStore()
    const none = context === undefined || context.closed || context.deed.accountId === undefined
    return none || ASIDE.has(name) ? store.write(name, item) : writeLogged(store, context, name, item)
  },
})

async function writeLogged<Name extends WriteName>(
  store: Store,
  context: Current,
  name: Name,
  item: WriteItem<Name>,
): Promise<WriteResult<Name>> {
  // Taken before the write, so that two at once do not both carry it; given back when nothing was changed.
  context.closed = true
  const entry = entryOf(context.deed, idIn(item as object))
  let logged = false
  try {
    const done = await store.write('audited', { name: name as 'createKey', item, entry })
    logged = done.logged
    return done.result as WriteResult<Name>
  } finally {
    context.closed = logged
  }
}

/** The ID of what is written: its own, or that of the noun in it; a stream has its alias. */
function idIn(item: object): string | undefined {
  const nouns = [item, ...Object.values(item)].filter((one) => typeof one === 'object' && one !== null)
  const ids = nouns.flatMap(({ id, alias }: { id?: unknown; alias?: unknown }) => [id, alias])
  return ids.find((id) => typeof id === 'string')
}

function entryOf(deed: Deed, id: string | undefined): AuditEntry {
  const { accountId = null, userId = null, actor, action, address, target, within, detail, at } = deed
  return {
    id: newId('aud', at),
    account_id: accountId,
    at,
    user_id: userId,
    actor: actor.slice(0, 400),
    action,
    target: target ?? id ?? within ?? null,
    address,
    detail: JSON.stringify(detail ?? {}),
  }
}
