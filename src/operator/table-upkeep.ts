// The upkeep of large tables, made by one node at a time while all write to them: they are put into partitions, those of the
// next days are made, and indexes that a newer program needs.

import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Periodic } from '../lib/periodic.ts'
import { presentOf } from '../store/database/dialect.ts'
import { LATE_INDEXES, makeInUse } from '../store/database/late-indexes.ts'
import { addDays, divideInUse, isPartitioned, PARTITIONED_TABLES } from '../store/database/partitions.ts'
import { ifUnlocked } from '../store/database/session-lock.ts'
import type { Read, Store } from '../store/database/store.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { SingletonJob } from '../store/node/singleton-jobs.ts'

const EVERY_MS = 3_600_000
/** A node that starts has other things to do first. */
const FIRST_MS = 10_000
/** The work itself may take longer: see `run`. */
const JOB_LEASE_MS = 5 * 60_000

export interface TableUpkeepOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly node: NodeName
}

/** Looks once an hour. With a store of one node, whose migrations do all of it, it does nothing. */
export class TableUpkeep implements Part {
  readonly name = 'upkeep of tables'
  readonly #options: TableUpkeepOptions
  readonly #job: SingletonJob
  readonly #looking: Periodic

  constructor(options: TableUpkeepOptions) {
    const { store, clock, log, node } = options
    this.#options = options
    this.#job = new SingletonJob({ store, clock, node, name: 'keep partitions', leaseMs: JOB_LEASE_MS })
    this.#looking = new Periodic({
      ...{ name: this.name, clock, log, everyMs: EVERY_MS, firstMs: FIRST_MS },
      failure: 'partitions or indexes could not be made; they are tried again in an hour',
      step: () => this.run(),
    })
  }

  start(): void {
    if (this.#options.store.unlimited !== undefined) this.#looking.start()
  }

  stop(): Promise<void> {
    return this.#looking.stop()
  }

  /** One look. */
  async run(): Promise<void> {
    const { store } = this.#options
    if (store.unlimited === undefined || !(await this.#job.hold())) return
    // What takes hours of a large table outlives the lease, and is undone by a second node that takes it for broken off.
    await store.unlimited((db) => ifUnlocked(db, this.name, (one) => this.#keep(one)), this.#looking.stopping)
  }

  async #keep(db: Read): Promise<void> {
    const { clock, log } = this.#options
    const { stopping } = this.#looking
    // Days that a clock far ahead asks for would keep those before them from being made of a table in one piece.
    const now = await presentOf(db, clock.now())
    for (const partitioned of PARTITIONED_TABLES) {
      stopping.throwIfAborted()
      if (!(await isPartitioned(db, partitioned))) {
        await divideInUse(db, partitioned, now)
        log.info({ table: partitioned.table }, 'the table is in partitions by the day from now on')
      }
      await addDays(db, partitioned, now)
    }
    for (const index of LATE_INDEXES) {
      stopping.throwIfAborted()
      if (await makeInUse(db, index)) log.info({ index: index.name }, 'the index is in use from now on')
    }
  }
}
