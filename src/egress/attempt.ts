// One attempt to send a message or a probe to the mail hosts of a route: tries hosts, addresses, forms of the message,
// TLS and plaintext, and kept and new connections.

import type { Clock } from '../lib/clock.ts'
import { pause, type TimeBudget } from '../lib/time-budget.ts'
import type { ConnectOptions, SmtpConnection, TransactionResult } from '../smtp/connection.ts'
import type { StageFailure } from '../smtp/stage.ts'
import type { Timeouts } from '../smtp/timeouts.ts'
import type { RecipientResult } from '../smtp/transaction.ts'
import type { Purpose } from './host-record.ts'
import { type ConnectionPool, type Leased, type NotLeased, PAUSED } from './pool.ts'
import type { Host, NotTried } from './route.ts'
import { demanded, forWantOfTls, isOfTls, wantedTls } from './tls-policy.ts'
import { resultOf, type TlsResults } from './tls-results.ts'

/** Components of the node and settings that all attempts share. */
export interface AttemptOptions {
  readonly pool: ConnectionPool
  readonly clock: Clock
  readonly heloName: string
  /** Names of this installation: a host that greets with one of these names is this installation itself. */
  readonly ownNames: ReadonlySet<string>
  readonly tlsResults: TlsResults
}

/** Next step after a failure: try another address of the host, try another host, or stop. */
export type Next = 'address' | 'host' | 'stop'

/**
 * A dialog to run with a mail host, and the limits of the dialog. `Form` is the form of the message; a host may lack
 * extensions that a form needs.
 */
export interface AttemptRequest<Form> {
  readonly purpose: Purpose
  readonly deadline: TimeBudget
  readonly timeouts?: Partial<Timeouts> | undefined
  readonly form: Form
  /** Returns the form of the message for a host without this extension; undefined if the message has no such form. */
  readonly otherForm?: (form: Form, lacking: 'smtputf8' | 'eight-bit') => Promise<Form | undefined>
  /** Runs the dialog on an open connection. The result of the first recipient is the result of the attempt. */
  readonly dialog: (
    connection: SmtpConnection,
    form: Form,
    hostName: string,
  ) => TransactionResult | Promise<TransactionResult>
  readonly next: (failure: StageFailure, hostName: string) => Next
  /**
   * True if this failure, of a later host, is less informative about the destination than the failure of an earlier
   * host.
   */
  readonly saysLess?: (failure: StageFailure) => boolean
  /** Receives each result, including the results of unreachable hosts. */
  readonly tried?: (host: Tried) => void
}

/** Result of one host. */
export interface Tried {
  readonly hostName: string
  /** Address of the host in the dialog, or the first address to which no connection was possible. */
  readonly address?: string | undefined
  /** Own IP address of the connection. */
  readonly source?: string | undefined
  readonly tls?: string | undefined
  readonly result: RecipientResult
  /** Set when the host was not dialled, so that the attempt says nothing about the host. */
  readonly undialled?: NotLeased['undialled']
}

/** Result of a dialog, or the reason why no dialog took place. */
interface Sent extends Tried {
  /** True if a kept connection had been closed by the host. */
  readonly stale: boolean
}

/** Result of an attempt. */
export interface AttemptResult {
  /**
   * Result of the host that ended the attempt, otherwise the most informative result; undefined if the route had no
   * host.
   */
  readonly tried: Tried | undefined
  /** Transcripts of the dialogs with all hosts. */
  readonly transcript: string
}

/** State of an attempt under way. */
interface Attempt<Form> {
  readonly request: AttemptRequest<Form>
  readonly options: AttemptOptions
  /** Transcripts of all dialogs, in order. */
  readonly transcript: string[]
}

/** Maximum number of addresses of one host that accept a connection and then fail, before the next host is tried. */
const MAX_FAILED_ADDRESSES = 2

/** Tries the hosts in order until one ends the attempt. Never throws because of the behaviour of a remote host. */
export async function attempt<Form>(
  hosts: AsyncIterable<Host | NotTried>,
  request: AttemptRequest<Form>,
  options: AttemptOptions,
): Promise<AttemptResult> {
  const transcript: string[] = []
  const tried = await tryEachHost(hosts, { request, options, transcript })
  return { tried, transcript: transcript.join('\n') }
}

async function tryEachHost<Form>(
  hosts: AsyncIterable<Host | NotTried>,
  run: Attempt<Form>,
): Promise<Tried | undefined> {
  const { request } = run
  let last: Tried | undefined
  for await (const host of hosts) {
    if (last !== undefined && request.deadline.late) break
    const tried = 'failure' in host ? notTried(host, run) : await tryEachAddress(host, run)
    const { failure } = tried.result
    if (failure === undefined || request.next(failure, host.hostName) === 'stop') return tried
    if (last === undefined || !request.saysLess?.(failure)) last = tried
    // Hosts that follow this installation in the order of preference would only send the message back (RFC 5321 §5.1).
    if (failure.error?.code === 'loop') break
  }
  return last
}

function notTried<Form>({ hostName, failure }: NotTried, { transcript }: Attempt<Form>): Tried {
  transcript.push(`${hostName}: ${failure.error?.message}`)
  return { hostName, result: { failure } }
}

async function tryEachAddress<Form>(host: Host, run: Attempt<Form>): Promise<Tried> {
  const { deadline, next } = run.request
  let left = host
  for (let failed = 1; ; failed++) {
    const tried = await tryEachForm(left, run)
    const { failure } = tried.result
    run.request.tried?.(tried)
    // A connection failure concerns all addresses of the host.
    if (failure === undefined || failure.stage === 'connect' || failure.error?.code === 'loop') return tried
    const addresses = left.addresses.filter((address) => address !== tried.address)
    if (addresses.length === 0 || failed === MAX_FAILED_ADDRESSES || deadline.late) return tried
    if (next(failure, host.hostName) !== 'address') return tried
    left = { ...host, addresses }
  }
}

/** Runs the dialog with a form of the message that this host can take; the host announces its extensions at EHLO. */
async function tryEachForm<Form>(host: Host, run: Attempt<Form>): Promise<Sent> {
  let { form } = run.request
  for (;;) {
    const tried = await tryTlsThenPlain(host, form, run)
    const lacking = tried.result.failure?.error?.code
    if (lacking !== 'smtputf8' && lacking !== 'eight-bit') return tried
    const other = await run.request.otherForm?.(form, lacking)
    if (other === undefined) return tried
    form = other
  }
}

async function tryTlsThenPlain<Form>(host: Host, form: Form, run: Attempt<Form>): Promise<Sent> {
  const { hostName, addresses, port, tls, relay } = host
  const { hosts } = run.options.pool
  if (tls.required) {
    const tried = await reusedThenFresh(host, 'required', form, run)
    const { failure } = tried.result
    return failure === undefined ? tried : { ...tried, result: { failure: demanded(failure, tls) } }
  }
  if (relay !== undefined) return reusedThenFresh(host, 'opportunistic', form, run)
  // TLS is tried each time for a domain that has a policy, so that each session counts.
  const hasPolicy = tls.reported !== undefined && tls.reported.type !== 'no-policy-found'
  if (!hasPolicy && hosts.isWithoutTls(addresses, port)) {
    run.transcript.push(`TLS with ${hostName} failed before`)
    const tried = await reusedThenFresh(host, 'never', form, run)
    if (!wantedTls(tried.result.failure)) return tried
    hosts.noteTls(addresses, port, true)
    if (run.request.deadline.late) return tried
  }
  const tried = await reusedThenFresh(host, 'opportunistic', form, run)
  const { failure } = tried.result
  if (failure === undefined || !isOfTls(failure) || run.request.deadline.late) return tried
  // Failed opportunistic TLS falls back to plaintext on a new connection (RFC 7435).
  const reached = tried.address === undefined ? [] : [tried.address]
  hosts.noteTls(reached, port, false)
  const plain = await reusedThenFresh(host, 'never', form, run)
  if (!wantedTls(plain.result.failure)) return plain
  hosts.noteTls(reached, port, true)
  return tried
}

/**
 * Tries a kept connection first. The failure says nothing about the message if the host has closed the kept connection;
 * a new connection is then tried.
 */
async function reusedThenFresh<Form>(
  host: Host,
  tls: ConnectOptions['tls'],
  form: Form,
  run: Attempt<Form>,
): Promise<Sent> {
  const sent = await sendOnce(host, tls, form, run, false)
  return sent.stale ? sendOnce(host, tls, form, run, true) : sent
}

async function sendOnce<Form>(
  host: Host,
  tls: ConnectOptions['tls'],
  form: Form,
  run: Attempt<Form>,
  fresh: boolean,
): Promise<Sent> {
  const { request, options, transcript } = run
  const { hostName } = host
  const { pool } = options
  const leased = await leaseWhenWelcome(host, tls, run, fresh)
  const { connection } = leased
  if (!leased.reused) countTls(host, tls, leased, options)
  if (connection === undefined) {
    const { failure, dialled, undialled } = leased
    if (leased.transcript !== '') transcript.push(leased.transcript)
    const address = dialled?.[0] ?? host.addresses[0]
    return { hostName, address, source: leased.source, result: { failure }, undialled, stale: false }
  }
  const { address, source } = connection
  let results: readonly RecipientResult[] = []
  try {
    const sent = await request.dialog(connection, form, hostName)
    transcript.push(sent.transcript)
    results = sent.recipients
    const result = forWantOfTls(results[0] as RecipientResult, connection)
    const stale = leased.reused && !request.deadline.late && wentStale(connection, result)
    // The result is recorded before the connection is released, so that the next waiting request knows the result.
    if (!stale) for (const { failure } of results) noteFor(host, [address], failure, leased.since, run)
    return { hostName, address, source, tls: connection.tls?.protocol, result, stale }
  } finally {
    pool.release(leased, results)
  }
}

/** Records the result of a dialog with the host, for later attempts. */
function noteFor<Form>(
  { port }: Host,
  addresses: readonly string[],
  failure: StageFailure | undefined,
  since: number,
  { request, options }: Attempt<Form>,
): void {
  const { purpose, deadline } = request
  // An attempt that reached the host just before its deadline says nothing about the host.
  const isCutShort = deadline.signal?.aborted === true && options.clock.now() - since < SLOW_MS
  if (failure !== undefined && isCutShort) return
  for (const address of addresses) options.pool.hosts.note(address, port, purpose, failure)
}

/** Minimum time in milliseconds after which a host counts as slow. */
const SLOW_MS = 250

/** Returns a connection, after the end of any pause of the host, or the reason why no connection is available. */
async function leaseWhenWelcome<Form>(
  host: Host,
  tls: ConnectOptions['tls'],
  run: Attempt<Form>,
  fresh: boolean,
): Promise<Leased | NotLeased> {
  const { request, options } = run
  const { purpose, deadline, timeouts } = request
  const { pool, clock, heloName, ownNames } = options
  const { hostName, addresses, port, sources, relay } = host
  for (;;) {
    if (deadline.signal?.aborted) return { ...TIME_IS_UP, since: clock.now() }
    const paused = pool.hosts.paused(addresses, port, purpose)
    if (paused !== undefined) {
      const { failure, ms } = paused
      const isInVain = purpose !== 'mail' && (paused.hopeless || ms > deadline.left() / 2)
      if (isInVain || deadline.late) {
        // A paused host gives a probe the failure that caused the pause, because another dialog would make matters
        // worse. A message does not get this failure as its result, because the host has not received the message.
        const known = purpose === 'mail' ? PAUSED : { ...PAUSED, failure, transcript: '' }
        return { ...known, since: clock.now() }
      }
      await pause(clock, ms, deadline)
      continue
    }
    const leased = await pool.lease({
      hostName,
      addresses: pool.hosts.welcoming(addresses, port, purpose),
      port,
      heloName,
      // A relay may be another program on this machine with the same name.
      ownNames: relay === undefined && !host.isOurs ? ownNames : undefined,
      sources,
      tls,
      verifyCertificate: host.tls.verify,
      dane: host.tls.dane,
      implicitTls: relay?.implicitTls,
      auth: relay?.auth,
      timeouts,
      signal: deadline.signal,
      purpose,
      fresh,
      onFailure(failure, dialled, since) {
        // A failure of optional TLS is not recorded, because the plaintext dialog shows whether the host accepts mail.
        if (tls !== 'opportunistic' || !isOfTls(failure)) noteFor(host, dialled, failure, since, run)
      },
    })
    if (leased.failure === undefined || leased.undialled !== 'paused') return leased
  }
}

const TIME_IS_UP = {
  failure: { stage: 'connect', error: { code: 'timeout', message: 'The attempt ran out of time' } },
  transcript: '',
  reused: false,
  undialled: 'no_turn',
} as const satisfies Omit<NotLeased, 'since'>

/** Counts the TLS result of a new connection, unless the mail is never reported. */
function countTls(
  { hostName, tls: policy }: Host,
  tls: ConnectOptions['tls'],
  leased: Leased | NotLeased,
  { tlsResults }: AttemptOptions,
): void {
  if (policy.reported === undefined || tls === 'never') return
  const result = resultOf(policy.reported, leased.connection?.tls, leased.failure)
  if (result === undefined) return
  const ends =
    leased.connection === undefined
      ? { receiving: leased.dialled?.[0], sending: leased.source }
      : { receiving: leased.connection.address, sending: leased.connection.source }
  tlsResults.count(policy.reported, hostName, result, ends)
}

/** True if a reused connection was lost before the message was sent, or if the host refused the dialog with 421. */
function wentStale(connection: SmtpConnection, { failure }: RecipientResult): boolean {
  if (connection.usable || failure === undefined) return false
  const { stage, reply } = failure
  if (reply !== undefined) return reply.code === 421
  return stage !== 'end-of-data' && stage !== 'message'
}
