// One recipient from claim to outcome: prepare, find the route, attempt, and say what follows.

import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Attempt, Outcome } from '../model/attempt.ts'
import { returnPath } from '../model/return-path.ts'
import type { RecordOutcome } from '../store/outcomes.ts'
import type { Claimed } from '../store/queue.ts'
import { type AttemptOptions, attemptDelivery } from './attempt.ts'
import { outcomeOf } from './outcome.ts'
import { CannotCompose, type PreparedMessage } from './prepare.ts'
import { nextWait } from './retry.ts'
import type { Routing } from './routing.ts'

/** What every delivery needs. */
export interface DeliverOptions extends AttemptOptions {
  readonly routing: Routing
  readonly clock: Clock
  readonly log: Log
  readonly retrySchedule: readonly number[]
  /** Authenticates the return path. */
  readonly returnPathSecret: string
}

/** Attempts a claimed recipient once. Never throws: what goes wrong on our side is an outcome as well. */
export async function deliver(
  claimed: Claimed,
  message: Promise<PreparedMessage>,
  options: DeliverOptions,
): Promise<RecordOutcome> {
  const startedAt = options.clock.now()
  let result: { outcome: Outcome; attempt: Attempt }
  try {
    result = await attempt(claimed, await message, options)
  } catch (error) {
    options.log.error({ err: error, message_id: claimed.messageId }, 'a delivery went wrong on our side')
    const outcome: Outcome =
      error instanceof CannotCompose
        ? { status: 'failed', reason: 'The message cannot be composed.', category: 'other' }
        : {
            status: 'deferred',
            reason: 'Something went wrong on our side; it is in the log.',
            category: 'other',
          }
    result = { outcome, attempt: { startedAt, durationMs: 0, transcript: '' } }
  }
  const { outcome, attempt: made } = result
  const now = options.clock.now()
  if (outcome.status !== 'deferred') return { claimed, outcome, attempt: made, nextAttemptAt: null, now }
  const wait = nextWait(options.retrySchedule, claimed.attempt, Math.random())
  if (wait !== undefined) return { claimed, outcome, attempt: made, nextAttemptAt: now + wait, now }
  return { claimed, outcome: givenUp(claimed, outcome), attempt: made, nextAttemptAt: null, now }
}

/** The schedule is used up. */
const givenUp = (claimed: Claimed, last: Outcome): Outcome => ({
  status: 'failed',
  reason: `Given up after ${claimed.attempt} attempts. ${last.reason}`,
  category: 'expired',
})

async function attempt(
  claimed: Claimed,
  prepared: PreparedMessage,
  options: DeliverOptions,
): Promise<{ outcome: Outcome; attempt: Attempt }> {
  const route = await options.routing.find(claimed)
  const { messageId, position, domainName, email } = claimed
  const from = returnPath(options.returnPathSecret, messageId, position, domainName)
  const { end, attempt } = await attemptDelivery(
    route,
    { from, recipients: [email], id: messageId },
    prepared,
    options,
  )
  return { outcome: outcomeOf(end), attempt }
}
