// One attempt to reach a mail host, by mail or by a probe: hosts, addresses, forms of the message, TLS, connections.

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

/** Parts that attempts share. */
export interface AttemptOptions {
  readonly pool: ConnectionPool
  readonly clock: Clock
  readonly heloName: string
  /** Hosts that greet by one of these are ourselves. */
  readonly ownNames: ReadonlySet<string>
  readonly tlsResults: TlsResults
}

/** After a failure: another address of the host may do better, or only another host; or none may. */
export type Next = 'address' | 'host' | 'stop'

/**
 * A dialog to have with a mail host, and its limits. `Form` is that of a message, which a host may lack extensions for.
 */
export interface AttemptRequest<Form> {
  readonly purpose: Purpose
  readonly deadline: TimeBudget
  readonly timeouts?: Partial<Timeouts> | undefined
  readonly form: Form
  /** The form for a host without this extension; undefined when there is none. */
  readonly otherForm?: (form: Form, lacking: 'smtputf8' | 'eight-bit') => Promise<Form | undefined>
  /** Speaks on an open connection. The result of the first recipient is that of the attempt. */
  readonly dialog: (
    connection: SmtpConnection,
    form: Form,
    hostName: string,
  ) => TransactionResult | Promise<TransactionResult>
  readonly next: (failure: StageFailure, hostName: string) => Next
  /** True if a later failure of this kind says less of the destination than the one before. */
  readonly saysLess?: (failure: StageFailure) => boolean
  /** Told of each result, those of hosts that could not be reached included. */
  readonly tried?: (host: Tried) => void
}

/** Result of one host. */
export interface Tried {
  readonly hostName: string
  /** The address that was spoken to, or the first of those that were dialled in vain. */
  readonly address?: string | undefined
  readonly tls?: string | undefined
  readonly result: RecipientResult
  /** The host was not dialled: the attempt learned nothing of it. */
  readonly undialled?: NotLeased['undialled']
}

/** A dialog, or why there was none. */
interface Sent extends Tried {
  /** On a kept connection that had gone. */
  readonly stale: boolean
}

/** Result of an attempt. */
export interface AttemptResult {
  /** The host that settled it, else the one that says most; undefined when there was none. */
  readonly tried: Tried | undefined
  /** The dialogs with all hosts. */
  readonly transcript: string
}

/** An attempt under way. */
interface Attempt<Form> {
  readonly request: AttemptRequest<Form>
  readonly options: AttemptOptions
  /** Of all dialogs, in order. */
  readonly transcript: string[]
}

/** Addresses of one host that may take a connection and then fail it, before the next host has its turn. */
const MAX_FAILED_ADDRESSES = 2

/** Tries the hosts in turn until one settles it. Never throws for anything a remote host does. */
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
    // RFC 5321 §5.1: the hosts behind ourselves would only send it here.
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
    // A connection that failed has dialled all addresses.
    if (failure === undefined || failure.stage === 'connect' || failure.error?.code === 'loop') return tried
    const addresses = left.addresses.filter((address) => address !== tried.address)
    if (addresses.length === 0 || failed === MAX_FAILED_ADDRESSES || deadline.late) return tried
    if (next(failure, host.hostName) !== 'address') return tried
    left = { ...host, addresses }
  }
}

/** Says it in the form that this host can take, which is learned from what it offers. */
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
  // A domain that wants TLS reports is tried with TLS each time, so that each session counts.
  if (tls.reported === undefined && hosts.isWithoutTls(addresses, port)) {
    run.transcript.push(`TLS did not come about with ${hostName} before`)
    const tried = await reusedThenFresh(host, 'never', form, run)
    if (!wantedTls(tried.result.failure)) return tried
    hosts.noteTls(addresses, port, true)
    if (run.request.deadline.late) return tried
  }
  const tried = await reusedThenFresh(host, 'opportunistic', form, run)
  const { failure } = tried.result
  if (failure === undefined || !isOfTls(failure) || run.request.deadline.late) return tried
  // RFC 7435: opportunistic TLS that does not come about gives way to plaintext, on a new connection.
  const reached = tried.address === undefined ? [] : [tried.address]
  hosts.noteTls(reached, port, false)
  const plain = await reusedThenFresh(host, 'never', form, run)
  if (!wantedTls(plain.result.failure)) return plain
  hosts.noteTls(reached, port, true)
  return tried
}

/** A kept connection that the host closed meanwhile says nothing about the message: then a new one does. */
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
    return { hostName, address, result: { failure }, undialled, stale: false }
  }
  const { address } = connection
  let results: readonly RecipientResult[] = []
  try {
    const sent = await request.dialog(connection, form, hostName)
    transcript.push(sent.transcript)
    results = sent.recipients
    const result = forWantOfTls(results[0] as RecipientResult, connection)
    const stale = leased.reused && !request.deadline.late && wentStale(connection, result)
    // Before the connection is given back: the next in line is to know.
    if (!stale) for (const { failure } of results) noteFor(host, [address], failure, leased.since, run)
    return { hostName, address, tls: connection.tls?.protocol, result, stale }
  } finally {
    pool.release(leased, results)
  }
}

/** Notes how the host received us, for those who come next. */
function noteFor<Form>(
  { port }: Host,
  addresses: readonly string[],
  failure: StageFailure | undefined,
  since: number,
  { request, options }: Attempt<Form>,
): void {
  const { purpose, deadline } = request
  // An attempt whose time was all but up as it came to the host has learned nothing of it.
  const isCutShort = deadline.signal?.aborted === true && options.clock.now() - since < SLOW_MS
  if (failure !== undefined && isCutShort) return
  for (const address of addresses) options.pool.hosts.note(address, port, purpose, failure)
}

/** A host that was given less time for its answers, in milliseconds, has not been slow. */
const SLOW_MS = 250

/** A connection, after the end of the pause that the host wants; or why there is none. */
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
        // The known state of the host is the answer to a probe then: asking again would only make it worse. Of a message
        // that was never shown to the host it says nothing.
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
      // A relay may well be another program on this machine, and have its name.
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
        // If TLS is optional and fails, the plaintext dialog tells how the host receives us.
        if (tls !== 'opportunistic' || !isOfTls(failure)) noteFor(host, dialled, failure, since, run)
      },
    })
    if (leased.failure === undefined || leased.undialled !== 'paused') return leased
  }
}

const TIME_IS_UP = {
  failure: { stage: 'connect', error: { code: 'timeout', message: 'The time of the attempt is up' } },
  transcript: '',
  reused: false,
  undialled: 'no_turn',
} as const satisfies Omit<NotLeased, 'since'>

/** Counts how TLS came about on a new connection, where the domain wants reports of it. */
function countTls(
  { hostName, tls: policy }: Host,
  tls: ConnectOptions['tls'],
  leased: Leased | NotLeased,
  { tlsResults }: AttemptOptions,
): void {
  if (policy.reported === undefined || tls === 'never') return
  const result = resultOf(policy.reported, leased.connection?.tls, leased.failure)
  if (result !== undefined) tlsResults.count(policy.reported, hostName, result)
}

/** Lost before the message was handed over, or refused with 421, on a connection that had served before. */
function wentStale(connection: SmtpConnection, { failure }: RecipientResult): boolean {
  if (connection.usable || failure === undefined) return false
  const { stage, reply } = failure
  if (reply !== undefined) return reply.code === 421
  return stage !== 'end-of-data' && stage !== 'message'
}
