// Writes the deliveries left in the journal of an earlier process, before any of its leases is released.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'
import type { Store } from '../store/database/store.ts'
import { nameOfNode } from '../store/node/node-identity.ts'
import { holdDataDirectory } from '../store/node/node-lock.ts'
import { releaseLeasesOf } from '../store/queue/leases.ts'
import { DELIVERED_JOURNAL, type RecordOutcome, recordOutcome } from '../store/queue/outcomes.ts'
import { DeliveredJournal } from './delivered-journal.ts'

/** The parts that write a journal to the store. */
interface LeftParts {
  readonly store: Store
  readonly log: Log
}

/** Writes the deliveries of a journal. Throws `Problem` when the store is unreachable; the journal then keeps them. */
export async function writeLeft(journal: DeliveredJournal, { store, log }: LeftParts): Promise<void> {
  const write = async (ended: RecordOutcome): Promise<void> => {
    try {
      await store.write(recordOutcome, ended)
    } catch (error) {
      if (error instanceof Problem) throw error
      // Another version wrote an entry that the store cannot read.
      log.warn({ err: error }, 'a delivery of the previous process could not be written')
    }
  }
  await Promise.all(journal.left().map(write))
}

/**
 * Takes over from a worker that is no longer started because its node has fewer workers now: writes the deliveries of
 * its journal and releases its leases. Otherwise the leases would expire and the delivered messages would be sent
 * again. Leaves a worker that still runs alone. Throws `Problem` when the store is unreachable.
 */
export async function takeOverWorker(workerDir: string, parts: LeftParts): Promise<void> {
  if (!existsSync(join(workerDir, DELIVERED_JOURNAL))) return
  let release: () => void
  try {
    release = holdDataDirectory(workerDir)
  } catch (error) {
    parts.log.warn({ err: error }, 'the deliveries of a former worker are left to its own process')
    return
  }
  const journal = new DeliveredJournal(workerDir)
  try {
    await writeLeft(journal, parts)
    journal.clear()
    const { id } = await nameOfNode(workerDir)
    await parts.store.write(releaseLeasesOf, { node: id })
  } finally {
    journal.abandon()
    release()
  }
}
