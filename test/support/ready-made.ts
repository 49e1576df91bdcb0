// Stores that tests copy: a store with empty tables, and the playground after its first start. A test run creates these
// stores once for all processes; a test file that runs alone creates the stores that it uses.

import type { DatabaseName, Original, Originals, ReadyMade } from './ready-made-kinds.ts'

/** Settings that affect the first start of the playground. */
const OF_THE_FIRST_START = [
  'POSTRIDER_MODE',
  'POSTRIDER_HOSTNAME',
  'POSTRIDER_RETURN_PATH_HOST',
  'POSTRIDER_DNS_SERVERS',
]

/** True if a node with these settings may start with a ready-made store. */
export const mayBeReadyMade = (env: Readonly<Record<string, string>>): boolean =>
  OF_THE_FIRST_START.every((name) => !(name in env))

const own = new Map<string, Promise<Original>>()

/**
 * Returns the location of a store to copy: the store of the test run, or a store that this process creates at the first
 * call.
 */
export async function readyMade(kind: ReadyMade, database: DatabaseName): Promise<Original> {
  const { TEST_READY_MADE: made } = process.env
  if (made !== undefined) return (JSON.parse(made) as Originals)[kind][database]
  const key = `${kind} ${database}`
  const original = own.get(key) ?? makeOwn(kind, database)
  own.set(key, original)
  return original
}

/**
 * Creates a store; the module that creates stores is imported only now, because this module loads the whole service,
 * and most tests with an empty store do not need the module.
 */
async function makeOwn(kind: ReadyMade, database: DatabaseName): Promise<Original> {
  const { makeStore } = await import('./make-stores.ts')
  const { original, remove } = await makeStore(kind, database)
  process.once('beforeExit', () => void remove().catch(() => {}))
  return original
}
