// One node for each data directory: a lock that the system gives back when the process ends, however it ends.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Problem } from '../model/problem.ts'

/**
 * Holds the data directory until the answered function is called. Throws when another process serves from it: two
 * would free each other's leases, or take each other's deliveries for left over, and deliver twice.
 */
export function holdDataDirectory(dataDir: string): () => void {
  const lock = new DatabaseSync(join(dataDir, 'serving.lock'))
  try {
    lock.exec('pragma locking_mode=exclusive; begin exclusive')
  } catch (cause) {
    lock.close()
    throw new Problem(
      'unavailable',
      `Another Postrider serves from ${dataDir} already; stop it first, or give POSTRIDER_DATA_DIR.`,
      { cause },
    )
  }
  return () => lock.close()
}
