// One attempt to send a message to one recipient: the SMTP dialog with the hosts of the route, and the record for the
// history.

import { type AttemptOptions, attempt, type Tried } from '../egress/attempt.ts'
import type { Route } from '../egress/route.ts'
import type { Clock } from '../lib/clock.ts'
import { LimitedTime } from '../lib/time-budget.ts'
import { type LackedExtension, needs } from '../mime/downgrade.ts'
import type { Attempt } from '../model/attempt.ts'
import type { Envelope } from '../model/envelope.ts'
import type { JournalPlace } from '../model/journal-place.ts'
import { type StageFailure, WITHDRAWN } from '../smtp/stage.ts'
import type { Timeouts } from '../smtp/timeouts.ts'
import { type AttemptEnd, isPermanent, worthAnotherHost } from './outcome.ts'
import type { PreparedMessage } from './prepare.ts'

/** Time in milliseconds after which the attempt tries no further host. */
export const LAST_HOST_MS = 2 * 60_000
/** Time in milliseconds after which the connection is closed, whatever its state. */
export const HARD_END_MS = 10 * 60_000
const MAX_TRANSCRIPT = 16_384

/** Dependencies and settings that sending needs. */
export interface SendOptions {
  readonly egress: AttemptOptions
  readonly clock: Clock
  readonly timeouts?: Partial<Timeouts> | undefined
  /** Signal that is aborted when the stopping node can no longer wait for attempts in progress. */
  readonly stopping?: AbortSignal | undefined
}

/** A message to send, with its envelope. */
export interface Delivery {
  readonly envelope: Envelope
  readonly message: PreparedMessage
  /**
   * Returns the remaining time of the lease in milliseconds; called before the message is sent, and again before the
   * last bytes of the message are sent.
   */
  readonly leftMs: () => number
  /** Place in the journal in which this attempt records a delivery. */
  readonly journalPlace?: JournalPlace | undefined
}

/** End of the attempt, and the attempt's record for the history. */
export interface SendResult {
  readonly end: AttemptEnd
  readonly attempt: Attempt
}

/** Tries to send the message to one recipient. Never throws because of the behaviour of a remote host. */
export async function send(
  route: Route,
  { envelope, message, leftMs, journalPlace }: Delivery,
  { egress, clock, timeouts, stopping }: SendOptions,
): Promise<SendResult> {
  const startedAt = clock.now()
  const record = (transcript: string, more: Partial<Attempt> = {}): Attempt => ({
    startedAt,
    durationMs: clock.now() - startedAt,
    transcript: transcript.slice(0, MAX_TRANSCRIPT),
    ...more,
  })
  if (route.kind === 'no_route') return { end: route, attempt: record('') }
  const deadline = new LimitedTime(clock, HARD_END_MS, { lateAfterMs: LAST_HOST_MS, stopping })
  const { tried, transcript } = await attempt(
    route.hosts,
    {
      purpose: 'mail',
      deadline,
      timeouts,
      form: message,
      otherForm: downgraded,
      dialog: (connection, form) =>
        leftMs() > 0
          ? connection.send(envelope, form, deadline.signal, { leftMs, place: journalPlace })
          : NOT_OURS,
      next: (failure) => (worthAnotherHost(failure) && leftMs() > 0 ? 'address' : 'stop'),
      // A permanent failure at a later host does not replace the failure of an earlier host that was only unreachable.
      saysLess: isPermanent,
    },
    egress,
  ).finally(() => deadline.end())
  if (tried === undefined) {
    const reason = 'No host could be found.'
    return { end: { kind: 'no_route', permanent: false, reason }, attempt: record('') }
  }
  return { end: endOf(tried), attempt: record(transcript, shown(tried)) }
}

/**
 * Returns the message form for a host without an SMTP extension; undefined if the envelope also needs the extension.
 */
async function downgraded(
  message: PreparedMessage,
  lacking: LackedExtension,
): Promise<PreparedMessage | undefined> {
  return needs(message, lacking) ? message.downgraded(lacking) : undefined
}

/**
 * Result if the lease was lost before any part of the message was sent: only the present holder of the lease sends the
 * message.
 */
const NOT_OURS = {
  recipients: [{ failure: { stage: 'connect', error: WITHDRAWN } satisfies StageFailure }],
  transcript: WITHDRAWN.message,
}

function endOf({ result: { reply, failure } }: Tried): AttemptEnd {
  return failure === undefined ? { kind: 'accepted', reply } : { kind: 'stopped', failure }
}

/** Returns the part of a result that the history shows. */
function shown({ hostName, address, source, tls, result }: Tried): Partial<Attempt> {
  const reply = result.reply ?? result.failure?.reply
  return {
    mx: hostName,
    ...(address === undefined ? {} : { address }),
    ...(source === undefined ? {} : { source }),
    ...(tls === undefined ? {} : { tls }),
    ...(reply === undefined ? {} : { reply }),
  }
}
