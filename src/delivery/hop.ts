// One host within an attempt: its addresses in turn, with the TLS that its policy asks for, in the form it can take.

import type { ConnectOptions, SmtpConnection } from '../smtp/connection.ts'
import type { StageFailure } from '../smtp/stage.ts'
import type { RecipientResult } from '../smtp/transaction.ts'
import type { Errand } from './errand.ts'
import { worthAnotherHost } from './outcome.ts'
import type { Hop } from './route.ts'
import { resultOf } from './tls-results.ts'

/** What came of a host. */
export interface HopResult {
  readonly result: RecipientResult
  readonly transcript: string
  /** The address that was spoken to, or the first of those that were dialled in vain. */
  readonly address?: string | undefined
  readonly tls?: string | undefined
}

/** Addresses of one host that may take a connection and then fail it, before the next host has its turn. */
const MOST_FAILED = 2

/** Tries to hand the message to this host. */
export async function tryHop(hop: Hop, errand: Errand): Promise<HopResult> {
  let left = hop.addresses
  let before = ''
  for (let failed = 1; ; failed++) {
    const tried = await tryAddresses({ ...hop, addresses: left }, errand)
    const whole = { ...tried, transcript: before + tried.transcript }
    const { failure } = tried.result
    left = left.filter((address) => address !== tried.address)
    const isAnother = failure !== undefined && failure.stage !== 'connect' && worthAnotherHost(failure)
    if (!isAnother || left.length === 0 || failed === MOST_FAILED || errand.deadline.late) return whole
    if (failure.error?.code === 'loop') return whole
    before = `${whole.transcript}\n`
  }
}

/** Hands it over in the form that this host can take, which is learned from what it offers. */
async function tryAddresses(hop: Hop, errand: Errand): Promise<HopResult> {
  let { message } = errand
  let before = ''
  for (;;) {
    const tried = await tryTls(hop, { ...errand, message })
    const whole = { ...tried, transcript: before + tried.transcript }
    const lacking = tried.result.failure?.error?.code
    if (lacking !== 'smtputf8' && lacking !== 'eight-bit') return whole
    // What needs an extension for its envelope, or has no other form, ends here as well.
    const needed = lacking === 'smtputf8' ? message.needsSmtpUtf8 : message.needs8Bit
    const other = needed ? await message.downgraded(lacking) : undefined
    if (other === undefined) return whole
    message = other
    before = `${whole.transcript}\n`
  }
}

async function tryTls(hop: Hop, errand: Errand): Promise<HopResult> {
  const first = await trySecurely(hop, errand, hop.tls.required ? 'required' : 'opportunistic')
  const { failure } = first.result
  if (hop.tls.required) return failure === undefined ? first : { ...first, result: demanded(failure, hop) }
  // RFC 7435: opportunistic TLS that does not come about gives way to plaintext, on a new connection.
  if (failure?.error?.code !== 'tls' || hop.relay !== undefined || errand.deadline.late) return first
  const second = await trySecurely(hop, errand, 'never')
  return { ...second, transcript: `${first.transcript}\n${second.transcript}` }
}

/** The failure with whoever demands the TLS that did not come about. */
function demanded({ stage, reply, error }: StageFailure, { tls }: Hop): RecipientResult {
  const demands = `; ${tls.demandedBy} demands it`
  if (error !== undefined) {
    const isOfTls = error.code === 'tls' || error.code === 'certificate' || error.code === 'no-tls'
    return { failure: { stage, error: isOfTls ? { ...error, message: error.message + demands } : error } }
  }
  if (stage !== 'starttls' || reply === undefined) return { failure: { stage, ...(reply && { reply }) } }
  // Whatever the host says of itself, what the message waits for is TLS.
  const message = `STARTTLS was refused by ${reply.code} ${reply.text}${demands}`
  return { failure: { stage, error: { code: 'no-tls', message } } }
}

async function trySecurely(hop: Hop, errand: Errand, tls: ConnectOptions['tls']): Promise<HopResult> {
  const { heloName, ownNames, timeouts } = errand.options
  const { hostName, addresses, port, sources, relay } = hop
  const [address = '', ...otherAddresses] = addresses
  const connectOptions: ConnectOptions = {
    hostName,
    address,
    otherAddresses,
    port,
    heloName,
    // A relay may well be another program on this machine, and have its name.
    ownNames: relay === undefined ? ownNames : undefined,
    sources,
    tls,
    verifyCertificate: hop.tls.verify,
    tlsa: hop.tls.tlsa,
    implicitTls: relay?.implicitTls,
    auth: relay?.auth,
    timeouts,
    signal: errand.deadline.signal,
  }
  const sent = await sendOnce(connectOptions, hop, errand, false)
  // A kept connection that the host closed meanwhile says nothing about the message: try on a new one.
  const done = sent.stale ? await sendOnce(connectOptions, hop, errand, true) : sent
  return { address, ...done }
}

async function sendOnce(
  connectOptions: ConnectOptions,
  hop: Hop,
  { envelope, message, isOurs, options: { pool, tlsResults }, deadline }: Errand,
  fresh: boolean,
): Promise<HopResult & { readonly stale: boolean }> {
  const leased = await pool.lease(connectOptions, fresh)
  const { connection } = leased
  if (hop.tls.reported !== undefined && connectOptions.tls !== 'never' && !leased.reused) {
    const result = resultOf(hop.tls.reported, connection?.tls, leased.failure)
    if (result !== undefined) tlsResults.count(hop.tls.reported, hop.hostName, result)
  }
  if (connection === undefined) {
    const { failure, transcript, address } = leased
    return { result: { failure }, transcript, ...(address === undefined ? {} : { address }), stale: false }
  }
  try {
    if (!isOurs()) return { result: { failure: NOT_OURS }, transcript: NOT_OURS.error.message, stale: false }
    const sent = await connection.send(envelope, message, deadline.signal)
    const result = sent.recipients[0] as RecipientResult
    return {
      result,
      transcript: sent.transcript,
      address: connection.address,
      tls: connection.tls?.protocol,
      stale: leased.reused && !deadline.late && wentStale(connection, result),
    }
  } finally {
    pool.giveBack(connectOptions, connection)
  }
}

/** Before a word of the message was said, so that whoever holds it now is the only one to send it. */
const NOT_OURS = {
  stage: 'connect',
  error: { code: 'local', message: 'The lease ended before the message could be sent' },
} as const satisfies StageFailure

/** Lost before the message was handed over, or refused with 421, on a connection that had served before. */
function wentStale(connection: SmtpConnection, result: RecipientResult): boolean {
  if (connection.usable || result.failure === undefined) return false
  const { stage, reply } = result.failure
  if (reply !== undefined) return reply.code === 421
  return stage !== 'end-of-data' && stage !== 'message'
}
