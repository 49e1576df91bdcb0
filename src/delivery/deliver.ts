// One recipient from claim to outcome: prepare, find the route, attempt, and say what follows.

import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Attempt, Outcome } from '../model/attempt.ts'
import { returnPath } from '../model/return-path.ts'
import type { RecordOutcome } from '../store/outcomes.ts'
import type { Claimed } from '../store/queue.ts'
import { type AttemptOptions, attemptDelivery } from './attempt.ts'
import { outcomeOf, signalOf } from './outcome.ts'
import { CannotCompose, type PreparedMessage } from './prepare.ts'
import { nextWait } from './retry.ts'
import type { Routing } from './routing.ts'
import type { Signal } from './throttle.ts'

/** What every delivery needs. */
export interface DeliverOptions extends AttemptOptions {
  readonly routing: Routing
  readonly clock: Clock
  readonly log: Log
  readonly retrySchedule: readonly number[]
  /** Authenticates the return path. */
  readonly returnPathSecret: string
  /** No other node shares the store. */
  readonly alone: boolean
}

/** How an attempt ended: what is to be written, and what it says of the site that it went to. */
export interface Delivered {
  /** Undefined: the node could wait no longer, and the recipient is handed back as if untried. */
  readonly ended: RecordOutcome | undefined
  /** Where it went; undefined when no route was found. */
  readonly site: string | undefined
  readonly signal: Signal
}

/** Attempts a claimed recipient once. Never throws: what goes wrong on our side is an outcome as well. */
export async function deliver(
  claimed: Claimed,
  message: Promise<PreparedMessage>,
  options: DeliverOptions,
): Promise<Delivered> {
  const startedAt = options.clock.now()
  try {
    const { outcome, attempt: made, site, signal } = await attempt(claimed, await message, options)
    const cutShort = options.stopping?.aborted && outcome.status === 'deferred' && !outcome.unknown
    return { ended: cutShort ? undefined : follow(claimed, outcome, made, options), site, signal }
  } catch (error) {
    options.log.error({ err: error, message_id: claimed.messageId }, 'a delivery went wrong on our side')
    const made = { startedAt, durationMs: 0, transcript: '' }
    const ended =
      error instanceof CannotCompose
        ? follow(claimed, CANNOT_COMPOSE, made, options)
        : { ...follow(claimed, OUR_FAULT, made, options), fault: true }
    return { ended, site: undefined, signal: 'none' }
  }
}

const CANNOT_COMPOSE: Outcome = {
  status: 'failed',
  reason: 'The message cannot be composed.',
  category: 'other',
}

const OUR_FAULT: Outcome = {
  status: 'deferred',
  reason: 'Something went wrong on our side; it is in the log.',
  category: 'other',
}

/** The outcome with what follows from it: another attempt, or the end. */
function follow(
  claimed: Claimed,
  outcome: Outcome,
  attempt: Attempt,
  options: DeliverOptions,
): RecordOutcome {
  const now = options.clock.now()
  const end = (last: Outcome): RecordOutcome => ({
    claimed,
    outcome: last,
    attempt,
    nextAttemptAt: null,
    now,
  })
  if (outcome.status !== 'deferred') return end(outcome)
  // It was unknown once before: a third copy helps nobody.
  if (outcome.unknown && claimed.possibleDuplicate) return end(neverAnswered(claimed, outcome))
  const wait = nextWait(options.retrySchedule, claimed.attempt, Math.random())
  if (wait === undefined) return end(givenUp(claimed, outcome))
  const nextAttemptAt = now + (outcome.unknown ? Math.max(wait, UNKNOWN_WAIT_MS) : wait)
  if (claimed.expiresAt !== null && nextAttemptAt > claimed.expiresAt) return end(givenUp(claimed, outcome))
  return { claimed, outcome, attempt, nextAttemptAt, now }
}

/** A receiver that did not answer may still be at work on the message (RFC 5321 §4.5.3.2.6). */
const UNKNOWN_WAIT_MS = 600_000

/** The schedule, or the time, is used up. What waited for TLS in vain is told by that, and not by the time it took. */
const givenUp = (claimed: Claimed, last: Outcome): Outcome => ({
  status: 'failed',
  reason: `Given up after ${claimed.attempt} attempt${claimed.attempt === 1 ? '' : 's'}. ${last.reason}`,
  category: last.category === 'tls' ? 'tls' : 'expired',
  ...(last.unknown ? { unknown: true } : {}),
})

const neverAnswered = (claimed: Claimed, last: Outcome): Outcome => ({
  status: 'failed',
  reason: `Given up after ${claimed.attempt} attempts, two of them without an answer to the whole message. ${last.reason}`,
  category: last.category ?? 'network',
  unknown: true,
})

async function attempt(
  claimed: Claimed,
  prepared: PreparedMessage,
  options: DeliverOptions,
): Promise<{ outcome: Outcome; attempt: Attempt; site: string | undefined; signal: Signal }> {
  const route = await options.routing.find(claimed)
  const { messageId, position, domainName, email } = claimed
  const from = returnPath(options.returnPathSecret, messageId, position, domainName)
  const { end, attempt } = await attemptDelivery(
    route,
    {
      envelope: { from, recipients: [email], id: messageId },
      message: prepared,
      // Nobody else could take it over, however long this node has stood still.
      isOurs: () => options.alone || options.clock.now() < claimed.leaseUntil,
    },
    options,
  )
  const site = route.kind === 'hops' ? route.site : undefined
  return { outcome: outcomeOf(end), attempt, site, signal: signalOf(end) }
}
