// One recipient from claim to outcome: prepares the message, finds the route, attempts, and decides on the next
// attempt.

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
import { Pacer } from '../threads/pacer.ts'
import { CannotCompose } from './composition.ts'
import { outcomeOf, signalOf } from './outcome.ts'
import type { Preparation, PreparedMessage } from './prepare.ts'
import type { ComposedFor } from './recipient-link.ts'
import { nextWait } from './retry.ts'
import { type SendOptions, send } from './send.ts'

/** The parts that every delivery needs. */
export interface DeliverOptions extends SendOptions {
  readonly preparation: Preparation
  readonly routes: Routes
  readonly clock: Clock
  readonly log: Log
  readonly retrySchedule: readonly number[]
  /** Authenticates the return path. */
  readonly returnPathSecret: string
}

/** The end of an attempt: the record to write, and the signal for the limits of its site. */
export interface Delivered {
  readonly ended: Omit<RecordOutcome, 'lease'>
  readonly signal: Signal
}

/**
 * Reason for making no attempt: the site has no slot, the node stops, or the lease was lost. The recipient is
 * released without an attempt.
 */
type Untried = 'throttled' | 'stopped' | 'lost'

/** The terms of one attempt. */
interface Terms {
  /**
   * Milliseconds left of the lease; a node that was suspended may have lost the recipient to another node. Without
   * time left the message is not sent.
   */
  leftMs(): number
  /** True if the site, and the host address if known, have a slot; called before anything is dialled. */
  goTo(site: string, address: string | undefined): boolean
  /** True if slots are scarce, so that hosts get less time to reply. */
  readonly isHurried: boolean
  /** Returns the place in the journal for this attempt; called before the dialog. */
  journalPlace(): JournalPlace | undefined
}

/** Attempts a recipient of an opened message once. Never throws. */
export type AttemptOne = (claimed: Claimed, terms: Terms) => Promise<Delivered | Untried>

/** Opens the message of a claimed recipient, for it and for others claimed with it. Never throws. */
export type OpenMessage = (message: Claimed, content: Content | undefined) => AttemptOne

/** Delivers messages until `stopping` of the options is aborted. */
export function messageOpener(options: DeliverOptions): OpenMessage {
  // Replies that have arrived are handled before more attempts begin, so that deliveries are recorded before the
  // process may end.
  const pacer = new Pacer(DELIVERY_MS)
  return ({ messageId: id, accountId, domainId, domainName, stream, createdAt }, content) => {
    const prepare =
      content === undefined
        ? () => Promise.reject(new Error('the content of the message is missing'))
        : options.preparation.open({ id, accountId, domainId, domainName, stream, createdAt, ...content })
    const inTurn = async (recipient: ComposedFor): Promise<PreparedMessage> => {
      await pacer.turn()
      return prepare(recipient)
    }
    return (claimed, terms) => deliver(claimed, () => inTurn(claimed), terms, options)
  }
}

/** Attempts a claimed recipient once. Internal errors become an outcome as well. */
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
    // A destination without a route counts for itself, not for the site it led to before.
    const [site, address] = route.kind === 'hosts' ? [route.site, route.address] : [claimed.destination]
    if (!terms.goTo(site, address)) return 'throttled'
    const own = { ...terms, leftMs }
    const {
      outcome,
      attempt: made,
      signal,
      isWithdrawn,
    } = await attempt(claimed, route, await prepare(), own, options)
    // A message that was sent completely counts, whoever holds the recipient now.
    if ((isLost || isWithdrawn) && outcome.status !== 'delivered' && !outcome.unknown) return 'lost'
    const cutShort = options.stopping?.aborted && outcome.status === 'deferred' && !outcome.unknown
    return cutShort ? 'stopped' : { ended: follow(claimed, outcome, made, options), signal }
  } catch (error) {
    options.log.error({ err: error, message_id: claimed.messageId }, 'a delivery failed by an internal error')
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
  reason: 'An internal error occurred; the log has the details.',
  category: 'other',
}

type Ended = Delivered['ended']

/** Decides what follows an outcome: another attempt or the end. */
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
  // The outcome was unknown once before: a third copy helps no recipient.
  if (outcome.unknown && claimed.possibleDuplicate) return end(neverAnswered(claimed, outcome))
  const wait = nextWait(options.retrySchedule, claimed.attempt, Math.random())
  if (wait === undefined) return end(givenUp(claimed, outcome))
  const nextAttemptAt = now + (outcome.unknown ? Math.max(wait, UNKNOWN_WAIT_MS) : wait)
  if (claimed.expiresAt !== null && nextAttemptAt > claimed.expiresAt) return end(givenUp(claimed, outcome))
  return { claimed, outcome, attempt, nextAttemptAt, now }
}

/** A receiver that did not answer may still be at work on the message (RFC 5321 §4.5.3.2.6). */
const UNKNOWN_WAIT_MS = 600_000

/** Returns the failure after the last attempt. A recipient that expired while waiting for TLS fails as `tls`. */
const givenUp = (claimed: Claimed, last: Outcome): Outcome => ({
  status: 'failed',
  reason: `Given up after ${claimed.attempt} attempt${claimed.attempt === 1 ? '' : 's'}. ${last.reason}`,
  category: last.category === 'tls' ? 'tls' : 'expired',
  ...(last.unknown ? { unknown: true } : {}),
})

const neverAnswered = (claimed: Claimed, last: Outcome): Outcome => ({
  status: 'failed',
  reason: `Given up after ${claimed.attempt} attempts, two of them without a reply to the complete message. ${last.reason}`,
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
