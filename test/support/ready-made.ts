// Stores that tests start from: an empty one with its tables, and the playground after its first start. A whole run
// makes the stores once for all processes; a file that runs by itself makes the stores that it uses.

import type { DatabaseName, Original, Originals, ReadyMade } from './ready-made-kinds.ts'

/** Settings that affect the first start of the playground. */
const OF_THE_FIRST_START = [
  'POSTRIDER_MODE',
  'POSTRIDER_HOSTNAME',
  'POSTRIDER_RETURN_PATH_HOST',
  'POSTRIDER_DNS_SERVERS',
]

/** True if a node with these settings may start from a ready-made store. */
export const mayBeReadyMade = (env: Readonly<Record<string, string>>): boolean =>
  OF_THE_FIRST_START.every((name) => !(name in env))

const own = new Map<string, Promise<Original>>()

/** Returns the store to copy: that of the run, or one that this process makes on first use. */
export async function readyMade(kind: ReadyMade, database: DatabaseName): Promise<Original> {
  const { TEST_READY_MADE: made } = process.env
  if (made !== undefined) return (JSON.parse(made) as Originals)[kind][database]
  const key = `${kind} ${database}`
  const original = own.get(key) ?? makeOwn(kind, database)
  own.set(key, original)
  return original
}

/** Imported late, because the makers load the whole service, which most tests with an empty store do not need. */
async function makeOwn(kind: ReadyMade, database: DatabaseName): Promise<Original> {
  const { makeStore } = await import('./make-stores.ts')
  const { original, remove } = await makeStore(kind, database)
  process.once('beforeExit', () => void remove().catch(() => {}))
  return original
}
