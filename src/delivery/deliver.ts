// One recipient from claim to outcome: prepare, find the route, attempt, and say what follows.

import type { MailRoute, Routes } from '../egress/route.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Attempt, Outcome, Signal } from '../model/attempt.ts'
import type { JournalPlace } from '../model/journal-place.ts'
import { returnPath } from '../model/return-path.ts'
import { hurried } from '../smtp/timeouts.ts'
import type { RecordOutcome } from '../store/queue/outcomes.ts'
import type { Claimed, Content } from '../store/queue/queue.ts'
import { DELIVERY_MS } from '../threads/event-loop-budget.ts'
import { Pace } from '../threads/pace.ts'
import { CannotCompose } from './composition.ts'
import { outcomeOf, signalOf } from './outcome.ts'
import type { Preparation, PreparedMessage } from './prepare.ts'
import type { ComposedFor } from './recipient-link.ts'
import { nextWait } from './retry.ts'
import { type SendOptions, send } from './send.ts'

/** Parts that every delivery needs. */
export interface DeliverOptions extends SendOptions {
  readonly preparation: Preparation
  readonly routes: Routes
  readonly clock: Clock
  readonly log: Log
  readonly retrySchedule: readonly number[]
  /** Authenticates the return path. */
  readonly returnPathSecret: string
}

/** The end of an attempt: what is to be written, and what it says of the site that it went to. */
export interface Delivered {
  readonly ended: Omit<RecordOutcome, 'lease'>
  readonly signal: Signal
}

/**
 * Reason for making no attempt: the site has no slot, the node stops, or the recipient is no longer ours. It is to be
 * released as if untried.
 */
type Untried = 'throttled' | 'stopped' | 'lost'

/** The terms of one attempt. */
interface Terms {
  /**
   * Milliseconds for which the recipient is still ours: a node that stood still may have lost it to another. When none are
   * left it is not sent.
   */
  leftMs(): number
  /** True if the site, and the host address if it is known, have a slot; asked before anything is dialled. */
  goTo(site: string, address: string | undefined): boolean
  /** Slots are scarce, so that hosts get less time to answer. */
  readonly isHurried: boolean
  /** A place for the note that a host has taken the message; asked for before the dialog. */
  journalPlace(): JournalPlace | undefined
}

/** Attempts a recipient of an opened message once. Never throws. */
export type AttemptOne = (claimed: Claimed, terms: Terms) => Promise<Delivered | Untried>

/** Opens the message of a claimed recipient for it and others that were claimed with it. Never throws. */
export type OpenMessage = (message: Claimed, content: Content | undefined) => AttemptOne

/** Delivers messages until the options' `stopping`. */
export function messageOpener(options: DeliverOptions): OpenMessage {
  // Replies that have arrived are read before more is begun: what a host has taken is noted before a process may end.
  const pace = new Pace(DELIVERY_MS)
  return ({ messageId: id, accountId, domainId, domainName, stream, createdAt }, content) => {
    const prepare =
      content === undefined
        ? () => Promise.reject(new Error('the content of the message is missing'))
        : options.preparation.open({ id, accountId, domainId, domainName, stream, createdAt, ...content })
    const inTurn = async (recipient: ComposedFor): Promise<PreparedMessage> => {
      await pace.turn()
      return prepare(recipient)
    }
    return (claimed, terms) => deliver(claimed, () => inTurn(claimed), terms, options)
  }
}

/** Attempts a claimed recipient once. Errors on our side are an outcome as well. */
async function deliver(
  claimed: Claimed,
  prepare: () => Promise<PreparedMessage>,
  terms: Terms,
  options: DeliverOptions,
): Promise<Delivered | Untried> {
  const startedAt = options.clock.now()
  let isLost = false
  const leftMs = (): number => {
    const left = isLost ? 0 : terms.leftMs()
    isLost = left <= 0
    return left
  }
  try {
    const route = await options.routes.forMail(claimed)
    // What is not known to lead anywhere counts for itself, not for the site to which it led before.
    const [site, address] = route.kind === 'hosts' ? [route.site, route.address] : [claimed.destination]
    if (!terms.goTo(site, address)) return 'throttled'
    const own = { ...terms, leftMs }
    const {
      outcome,
      attempt: made,
      signal,
      isWithdrawn,
    } = await attempt(claimed, route, await prepare(), own, options)
    // What left as a whole counts, whoever holds the recipient now.
    if ((isLost || isWithdrawn) && outcome.status !== 'delivered' && !outcome.unknown) return 'lost'
    const cutShort = options.stopping?.aborted && outcome.status === 'deferred' && !outcome.unknown
    return cutShort ? 'stopped' : { ended: follow(claimed, outcome, made, options), signal }
  } catch (error) {
    options.log.error({ err: error, message_id: claimed.messageId }, 'a delivery went wrong on our side')
    const made = { startedAt, durationMs: 0, transcript: '' }
    const outcome = error instanceof CannotCompose ? CANNOT_COMPOSE : OUR_FAULT
    const ended = follow(claimed, outcome, made, options)
    return { ended, signal: 'neutral' }
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

type Ended = Delivered['ended']

/** The outcome with what follows from it: another attempt, or the end. */
function follow(claimed: Claimed, outcome: Outcome, attempt: Attempt, options: DeliverOptions): Ended {
  const now = options.clock.now()
  const end = (last: Outcome): Ended => ({
    claimed,
    outcome: last,
    attempt,
    nextAttemptAt: null,
    now,
  })
  if (outcome.status !== 'deferred') return end(outcome)
  // It was unknown once before: a third copy helps no recipient.
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
  route: MailRoute,
  prepared: PreparedMessage,
  { leftMs, isHurried, journalPlace }: Terms,
  options: DeliverOptions,
): Promise<{ outcome: Outcome; attempt: Attempt; signal: Signal; isWithdrawn: boolean }> {
  const { messageId, position, domainName, email } = claimed
  const from = returnPath(options.returnPathSecret, messageId, position, domainName)
  const { end, attempt } = await send(
    route,
    {
      envelope: { from, recipients: [email], id: messageId },
      message: prepared,
      leftMs,
      journalPlace: journalPlace(),
    },
    isHurried ? { ...options, timeouts: hurried(options.timeouts) } : options,
  )
  const isWithdrawn = end.kind === 'stopped' && end.failure.error?.code === 'withdrawn'
  return { outcome: outcomeOf(end), attempt, signal: signalOf(end), isWithdrawn }
}
