// Forgets idempotency keys once their day is over.

import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { Periodic } from '../lib/periodic.ts'
import type { Store } from '../store/database/store.ts'
import { forgetIdempotencyKeys, IDEMPOTENCY_MS } from '../store/messages/messages.ts'

const EVERY_MS = 3_600_000

/** Runs once an hour. A key that is used again after its day is forgotten at that moment, whenever this runs. */
export const idempotencyKeyRemoval = (store: Store, clock: Clock, log: Log): Periodic =>
  new Periodic({
    ...{ name: 'idempotency key removal', clock, log, everyMs: EVERY_MS },
    failure: 'old idempotency keys could not be removed',
    step: () => store.write(forgetIdempotencyKeys, { before: clock.now() - IDEMPOTENCY_MS }),
  })
