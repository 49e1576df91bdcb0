// Delivery to one recipient, from claim to outcome: prepares the message, finds the route, makes an attempt, and
// decides whether a further attempt follows.

import type { MailRoute, Routes } from '../egress/route.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Attempt, Outcome, Signal } from '../model/attempt.ts'
import type { JournalPlace } from '../model/journal-place.ts'
import { returnPath } from '../model/return-path.ts'
import { hurried } from '../smtp/timeouts.ts'
import type { Store } from '../store/database/store.ts'
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
import type { KeepInInbox } from './test-inbox.ts'

/** Dependencies and settings that every delivery needs. */
export interface DeliverOptions extends SendOptions {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly preparation: Preparation
  readonly routes: Routes
  readonly clock: Clock
  readonly log: Log
  readonly retrySchedule: readonly number[]
  /** Secret that authenticates the return path. */
  readonly returnPathSecret: string
  /** Last step of a test message. */
  readonly keepInInbox: KeepInInbox
}

/** End of an attempt: the outcome to write, and the signal for the limits of the site. */
export interface Delivered {
  readonly ended: Omit<RecordOutcome, 'lease'>
  readonly signal: Signal
}

/**
 * Reason for making no attempt: the site has no slot, the node stops, or the lease was lost. A recipient without an
 * attempt is released.
 */
type Untried = 'throttled' | 'stopped' | 'lost'

/** Conditions of one attempt. */
interface Terms {
  /**
   * Returns the remaining time of the lease in milliseconds. The message is not sent if no time is left, because a node
   * that was suspended may have lost the recipient to another node.
   */
  leftMs(): number
  /** True if the site and the known host address have a free slot; called before a connection is opened. */
  goTo(site: string, address: string | undefined): boolean
  /** True if slots are scarce, so that hosts get less time to reply. */
  readonly isHurried: boolean
  /** Returns the journal place for this attempt; called before the SMTP dialog. */
  journalPlace(): JournalPlace | undefined
}

/** Makes one attempt to deliver an opened message to a recipient. Never throws. */
export type AttemptOne = (claimed: Claimed, terms: Terms) => Promise<Delivered | Untried>

/** Opens the message of a claimed recipient; the result also serves other recipients of this claim. Never throws. */
export type OpenMessage = (message: Claimed, content: Content | undefined) => AttemptOne

/** Returns a function that opens messages for delivery, until `options.stopping` is aborted. */
export function messageOpener(options: DeliverOptions): OpenMessage {
  // Replies that have arrived are handled before more attempts begin, so that deliveries are recorded before a possible
  // crash.
  const pacer = new Pacer(DELIVERY_MS)
  return (
    {
      messageId: id,
      accountId,
      domainId,
      domainName,
      stream,
      createdAt,
      inboxId,
      recipientCount,
      tag = null,
    },
    content,
  ) => {
    const prepare =
      content === undefined
        ? () => Promise.reject(new Error('the content of the message is missing'))
        : options.preparation.open({
            ...{ id, accountId, domainId, domainName, stream, createdAt, inboxId, recipientCount, tag },
            ...content,
          })
    const inTurn = async (recipient: ComposedFor): Promise<PreparedMessage> => {
      await pacer.turn()
      return prepare(recipient)
    }
    return (claimed, terms) => deliver(claimed, () => inTurn(claimed), terms, options)
  }
}

/** Makes one attempt to deliver to a claimed recipient; an internal error also becomes an outcome. */
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
    // A destination without a route is counted under its own name, not at the site of its earlier route.
    const [site, address] = route.kind === 'hosts' ? [route.site, route.address] : [claimed.destination]
    if (!terms.goTo(site, address)) return 'throttled'
    const own = { ...terms, leftMs }
    const {
      outcome,
      attempt: made,
      signal,
      isWithdrawn,
    } = await attempt(claimed, route, await prepare(), own, options)
    // The outcome of a completely sent message counts, even if another node holds the recipient now.
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

/** Decides whether another attempt follows an outcome. */
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
  // An earlier outcome was unknown too, so no attempt follows: a third copy of the message would not help the
  // recipient.
  if (outcome.unknown && claimed.possibleDuplicate) return end(neverAnswered(claimed, outcome))
  const wait = nextWait(options.retrySchedule, claimed.attempt, Math.random())
  if (wait === undefined) return end(givenUp(claimed, outcome))
  const nextAttemptAt = now + (outcome.unknown ? Math.max(wait, UNKNOWN_WAIT_MS) : wait)
  if (claimed.expiresAt !== null && nextAttemptAt > claimed.expiresAt) return end(givenUp(claimed, outcome))
  return { claimed, outcome, attempt, nextAttemptAt, now }
}

/** Minimum wait after an unknown outcome: the receiver may still be processing the message (RFC 5321 §4.5.3.2.6). */
const UNKNOWN_WAIT_MS = 600_000

/**
 * Returns the failure after the last attempt. The category is `tls` for a recipient that expired while waiting for TLS.
 */
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
  const from = prepared.returnPath ?? returnPath(options.returnPathSecret, messageId, position, domainName)
  // The only place where test mail leaves the way of live mail: `send` accepts no route to an inbox.
  const { end, attempt } =
    route.kind === 'inbox'
      ? await options.keepInInbox(
          { inboxId: route.inboxId, claimed, from, message: prepared, leftMs },
          options,
        )
      : await send(
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
