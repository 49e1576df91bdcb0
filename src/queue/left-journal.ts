// Writes the deliveries from the journal of an earlier process, before any lease of that process is released.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../lib/log.ts'
import type { LogMail } from '../model/mail-log.ts'
import { Problem } from '../model/problem.ts'
import type { Store } from '../store/database/store.ts'
import { nameOfNode } from '../store/node/node-identity.ts'
import { holdDataDirectory } from '../store/node/node-lock.ts'
import { releaseLeasesOf } from '../store/queue/leases.ts'
import { DELIVERED_JOURNAL, type RecordOutcome, recordOutcome } from '../store/queue/outcomes.ts'
import { attemptLine } from './attempt-line.ts'
import { DeliveredJournal } from './delivered-journal.ts'

/** The store and the log, which are needed to write a journal to the store. */
interface LeftParts {
  readonly store: Store
  readonly log: Log
  readonly logMail?: LogMail | undefined
}

/**
 * Writes the deliveries of a journal to the store. Throws `Problem` if the store is unreachable; the journal then keeps
 * its entries.
 */
export async function writeLeft(
  journal: DeliveredJournal,
  { store, log, logMail }: LeftParts,
): Promise<void> {
  const write = async (ended: RecordOutcome): Promise<void> => {
    try {
      if (await store.write(recordOutcome, ended)) logMail?.(attemptLine(ended))
    } catch (error) {
      if (error instanceof Problem) throw error
      // The entry was written by another version of the program, and the store cannot read the entry.
      log.warn({ err: error }, 'a delivery of the previous process could not be written')
    }
  }
  await Promise.all(journal.left().map(write))
}

/**
 * Takes over from a worker that is no longer started because its node now has fewer workers: writes the deliveries of
 * the worker's journal and releases the worker's leases. The leases would otherwise expire, and the delivered messages
 * would be sent again. Does nothing if the worker is still running. Throws `Problem` if the store is unreachable.
 */
export async function takeOverWorker(workerDir: string, parts: LeftParts): Promise<void> {
  if (!existsSync(join(workerDir, DELIVERED_JOURNAL))) return
  let release: () => void
  try {
    release = holdDataDirectory(workerDir)
  } catch (error) {
    parts.log.warn({ err: error }, 'a former worker is still running and writes its deliveries itself')
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
