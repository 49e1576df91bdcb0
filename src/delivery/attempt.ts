// One attempt: the hosts of a route in turn, until one of them settles it.

import type { Clock } from '../lib/clock.ts'
import type { Attempt } from '../model/attempt.ts'
import type { Envelope } from '../model/envelope.ts'
import type { ConnectOptions, SmtpConnection } from '../smtp/connection.ts'
import type { Timeouts } from '../smtp/timeouts.ts'
import type { RecipientResult } from '../smtp/transaction.ts'
import { Deadline } from './deadline.ts'
import { type AttemptEnd, outcomeOf, worthAnotherHost } from './outcome.ts'
import type { ConnectionPool } from './pool.ts'
import type { PreparedMessage } from './prepare.ts'
import type { Hop, Relay, Route } from './route.ts'

/** What attempts share. */
export interface AttemptOptions {
  readonly pool: ConnectionPool
  readonly clock: Clock
  readonly heloName: string
  readonly relay: Relay | undefined
  readonly timeouts?: Partial<Timeouts> | undefined
}

/** How it ended, and its record for the history. */
export interface AttemptResult {
  readonly end: AttemptEnd
  readonly attempt: Attempt
}

const MOST_TRANSCRIPT = 16_384

/** Tries to hand the message to one recipient. Never throws for anything a remote host does. */
export async function attemptDelivery(
  route: Route,
  envelope: Envelope,
  message: PreparedMessage,
  options: AttemptOptions,
): Promise<AttemptResult> {
  const startedAt = options.clock.now()
  const record = (more: Partial<Attempt>, transcript: string): Attempt => ({
    startedAt,
    durationMs: options.clock.now() - startedAt,
    transcript: transcript.slice(0, MOST_TRANSCRIPT),
    ...more,
  })
  if (route.kind === 'no_route') return { end: route, attempt: record({}, route.reason) }
  const deadline = new Deadline(options.clock)
  try {
    return await tryHops(route.hops, { envelope, message, options, deadline }, record)
  } finally {
    deadline.end()
  }
}

/** What is handed over, and within what. */
interface Errand {
  readonly envelope: Envelope
  readonly message: PreparedMessage
  readonly options: AttemptOptions
  readonly deadline: Deadline
}

async function tryHops(
  hops: AsyncIterable<Hop>,
  errand: Errand,
  record: (more: Partial<Attempt>, transcript: string) => Attempt,
): Promise<AttemptResult> {
  let transcript = ''
  let last: AttemptResult | undefined
  for await (const hop of hops) {
    if (last !== undefined && errand.deadline.late) break
    const tried = await tryHop(hop, errand)
    transcript += tried.transcript
    const reply = tried.result.reply ?? tried.result.failure?.reply
    const end: AttemptEnd =
      tried.result.failure === undefined
        ? { kind: 'accepted', reply: tried.result.reply }
        : { kind: 'stopped', failure: tried.result.failure }
    const tls = tried.tls === undefined ? {} : { tls: tried.tls }
    const attempt = {
      mx: hop.hostName,
      address: hop.address,
      ...tls,
      ...(reply === undefined ? {} : { reply }),
    }
    const ended: AttemptResult = { end, attempt: record(attempt, transcript) }
    if (end.kind === 'accepted' || !worthAnotherHost(end.failure)) return ended
    // That one host cannot take such a message says nothing of another that was only out of reach.
    const permanent = outcomeOf(end).status === 'bounced'
    last = permanent && last !== undefined ? { ...last, attempt: record(last.attempt, transcript) } : ended
  }
  if (last !== undefined) return last
  const reason = 'No host could be found.'
  return { end: { kind: 'no_route', permanent: false, reason }, attempt: record({}, reason) }
}

interface HopResult {
  readonly result: RecipientResult
  readonly transcript: string
  readonly tls?: string | undefined
}

async function tryHop(hop: Hop, errand: Errand): Promise<HopResult> {
  const first = await trySecurely(hop, errand, 'opportunistic')
  const error = first.result.failure?.error?.code
  // RFC 7435: opportunistic TLS that does not come about gives way to plaintext, on a new connection.
  if (error !== 'tls' || errand.options.relay !== undefined || errand.deadline.late) return first
  const second = await trySecurely(hop, errand, 'never')
  return { ...second, transcript: first.transcript + second.transcript }
}

async function trySecurely(hop: Hop, errand: Errand, tls: ConnectOptions['tls']): Promise<HopResult> {
  const { relay, heloName, timeouts } = errand.options
  const connectOptions: ConnectOptions = {
    ...hop,
    heloName,
    tls,
    timeouts,
    implicitTls: relay?.implicitTls,
    auth: relay?.auth,
    signal: errand.deadline.signal,
  }
  const sent = await sendOnce(connectOptions, errand, false)
  // A kept connection that the host closed meanwhile says nothing about the message: try on a new one.
  return sent.stale ? sendOnce(connectOptions, errand, true) : sent
}

async function sendOnce(
  connectOptions: ConnectOptions,
  { envelope, message, options: { pool }, deadline }: Errand,
  fresh: boolean,
): Promise<HopResult & { readonly stale: boolean }> {
  const leased = await pool.lease(connectOptions, fresh)
  if (leased.connection === undefined) {
    return { result: { failure: leased.failure }, transcript: leased.transcript, stale: false }
  }
  const { connection, reused } = leased
  try {
    const sent = await connection.send(envelope, message, deadline.signal)
    const result = sent.recipients[0] as RecipientResult
    return {
      result,
      transcript: sent.transcript,
      tls: connection.tls?.protocol,
      stale: reused && !deadline.late && wentStale(connection, result),
    }
  } finally {
    pool.giveBack(connectOptions, connection)
  }
}

/** Lost before the message was handed over, or refused with 421, on a connection that had served before. */
function wentStale(connection: SmtpConnection, result: RecipientResult): boolean {
  if (connection.usable || result.failure === undefined) return false
  const { stage, reply } = result.failure
  if (reply !== undefined) return reply.code === 421
  return stage !== 'end-of-data' && stage !== 'message'
}
