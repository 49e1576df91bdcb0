// Writes verifications of single addresses to the store in batches, after the responses were sent.

import type { Log } from '../lib/log.ts'
import type { Store } from '../store/database/store.ts'
import { WaitingInOrder, WriteBehind } from '../store/database/write-behind.ts'
import { recordChecks, type VerificationCheck } from '../store/verification/verification-checks.ts'

/** Maximum number of checks that wait to be stored, about as many as arrive in one second; a check takes about 1 KB. */
const MAX_WAITING = 10_000

/**
 * Stores checks in batches. Checks above the limit, and checks that the store refuses, are only counted; their credits
 * were taken before.
 */
export class CheckLog extends WriteBehind<VerificationCheck> {
  constructor(store: Store, log: Log, maxWaiting = MAX_WAITING) {
    super({
      ...{ name: 'verification checks', log, waiting: new WaitingInOrder(maxWaiting) },
      write: (checks) => store.write(recordChecks, { checks }),
      lost: {
        name: 'postrider_verification_checks_lost_total',
        help: 'Verifications of single addresses that were answered and not stored',
      },
    })
  }
}
