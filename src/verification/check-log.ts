// Verifications of single addresses on their way to the store, written in batches behind the answers.

import type { Log } from '../lib/log.ts'
import type { Store } from '../store/database/store.ts'
import { WaitingInOrder, WriteBehind } from '../store/database/write-behind.ts'
import { recordChecks, type VerificationCheck } from '../store/verification/verification-checks.ts'

/** Checks that wait, of about 1 KB each: those of a second without the store, at most. */
const MAX_WAITING = 10_000

/** Keeps checks; those that find no room, or that the store refuses, are counted. Credits are taken before. */
export class CheckLog extends WriteBehind<VerificationCheck> {
  constructor(store: Store, log: Log, maxWaiting = MAX_WAITING) {
    super({
      ...{ name: 'verification checks', log, waiting: new WaitingInOrder(maxWaiting) },
      write: (checks) => store.write(recordChecks, { checks }),
      lost: {
        name: 'postrider_verification_checks_lost_total',
        help: 'Verifications of single addresses that were answered and not kept',
      },
    })
  }
}
