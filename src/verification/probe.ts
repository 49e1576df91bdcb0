// The probe: asks the hosts of a domain in turn about a mailbox, and then about a catch-all probe address. The file is
// long because the steps of one dialog are easiest to read in order.

import { AnswerCache } from '../dns/answer-cache.ts'
import { type AttemptOptions, attempt, type Next, type Tried } from '../egress/attempt.ts'
import type { Host, Route } from '../egress/route.ts'
import { cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'
import type { Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { pause, type TimeBudget } from '../lib/time-budget.ts'
import type { Address } from '../model/address.ts'
import { catchAllProbeLocalPart } from '../model/catch-all-probe.ts'
import type { SmtpConnection, TransactionResult } from '../smtp/connection.ts'
import { meaningOf } from '../smtp/reply-meaning.ts'
import type { StageFailure } from '../smtp/stage.ts'
import type { RecipientResult } from '../smtp/transaction.ts'
import { KeyedSemaphore } from '../threads/keyed-semaphore.ts'
import { catchAllFinding, type MailboxFinding, mailboxFinding } from './mailbox-reply.ts'

/** Limits of probes, and the envelope sender of probes. */
export interface ProbeLimits {
  /** Maximum number of concurrent probes of one destination. */
  readonly perDestination: number
  /** Maximum rate of probes of one destination. */
  readonly rate: Rate
  /** Counts probes by destination. */
  readonly limiter: RateLimiter
  /** Envelope sender of probes (MAIL FROM); empty for the null sender. */
  readonly sender: string
}

/** Findings of a probe; each finding is recorded immediately, so that partial findings count at the deadline. */
export interface ProbeFindings {
  mailbox?: MailboxFinding
  /** Code of the reply to RCPT, or to the step that failed. */
  smtpCode?: number
  mxServer?: string
  mxServerIp?: string
  catchAll?: boolean
}

/** The mailbox to probe, and the mail hosts of its domain. */
export interface ProbeRequest {
  readonly address: Address
  /** Domain of the recipient; this domain is the key of the limits and of the catch-all results. */
  readonly destination: string
  readonly hosts: Hosts
  /** All names of the destination's mail hosts. */
  readonly names: readonly string[]
  /**
   * True to ask about a catch-all probe address too, unless a recent probe has shown whether the destination accepts
   * any mailbox.
   */
  readonly tryMadeUp: boolean
  readonly budget: TimeBudget
  readonly findings: ProbeFindings
}

type Hosts = Extract<Route, { kind: 'hosts' }>['hosts']

/** Dialog in which a host is asked about a catch-all probe address. */
interface MadeUpDialog {
  ask(email: string): Promise<RecipientResult>
  /** False when the connection of the last question has ended. */
  mayAskAgain(): boolean
}

/** One address of one mail host. */
interface Target {
  readonly hostName: string
  readonly address: string
}

/**
 * Timeouts of an interactive probe, in milliseconds: a slower reply would come too late for the response to the client.
 */
const INTERACTIVE = {
  connect: 4_000,
  greeting: 7_000,
  ehlo: 5_000,
  starttls: 5_000,
  handshake: 3_000,
  mail: 9_000,
  rcpt: 9_000,
  envelope: 9_000,
  quit: 1_000,
}
/** Timeouts of a background probe, in milliseconds: some hosts are deliberately slow with unknown senders. */
const BACKGROUND = {
  connect: 10_000,
  greeting: 30_000,
  ehlo: 30_000,
  starttls: 15_000,
  handshake: 10_000,
  mail: 30_000,
  rcpt: 45_000,
  envelope: 60_000,
  quit: 1_000,
}

const SECOND_TRY_MS = 1_000
const KEEP_CATCH_ALL_MS = 12 * 3_600_000
const KEEP_GREYLISTED_MS = 24 * 3_600_000

/** Weight of findings: a finding replaces earlier findings of the same or a lower weight. */
const WEIGHT: Readonly<Record<MailboxFinding, number>> = {
  connect_failed: 0,
  timeout: 1,
  smtp_error: 2,
  blocked: 3,
  temporary: 4,
  greylisted: 5,
  not_served: 6,
  full: 6,
  disabled: 6,
  not_found: 6,
  exists: 6,
}

/** Minimum weight of a finding that is the host's own statement about the mailbox or the domain. */
const SETTLED = 6

export class Prober {
  readonly #egress: AttemptOptions
  readonly #clock: Clock
  readonly #limits: ProbeLimits
  readonly #destinations: KeyedSemaphore
  readonly #catchAll: AnswerCache<boolean | undefined>
  /** Hosts that deferred an address; a later probe asks the same host again, as greylisting requires. */
  readonly #greylisted = cacheOf<{ readonly target: Target; readonly until: number }>('greylisted_probes')
  /** Deferred catch-all probe addresses by destination, kept because a new address would be deferred again. */
  readonly #putOff = cacheOf<{ readonly local: string; readonly until: number }>(
    'greylisted_catch_all_probes',
  )

  constructor(egress: AttemptOptions, limits: ProbeLimits) {
    this.#egress = egress
    this.#clock = egress.clock
    this.#limits = limits
    this.#destinations = new KeyedSemaphore(limits.perDestination)
    this.#catchAll = new AnswerCache(egress.clock, 'catch_all_domains')
  }

  /**
   * Returns whether a destination accepts mail for any name; undefined if no recent probe has answered this question.
   */
  isCatchAll(destination: string): boolean | undefined {
    return this.#catchAll.peek(destination)
  }

  /** True if a destination has deferred the catch-all probe address, and may accept or refuse the address later. */
  isCatchAllPutOff(destination: string): boolean {
    return this.#catchAllPutOff(destination) !== undefined
  }

  /** Asks the hosts until the state of the mailbox is settled or no host is left. Does not reject. */
  async probe(request: ProbeRequest): Promise<void> {
    const { destination, budget } = request
    const release = await this.#destinations.acquire(destination, budget.signal)
    try {
      await this.#waitForRate(destination, budget)
      if (!budget.signal?.aborted) await this.#askInTurn(request)
    } finally {
      release?.()
    }
  }

  async #waitForRate(destination: string, budget: TimeBudget): Promise<void> {
    const { rate, limiter } = this.#limits
    while (!limiter.take(destination, rate, this.#clock.now()).allowed && !budget.signal?.aborted) {
      await pause(this.#clock, rate.perMs / rate.count, budget)
    }
  }

  /**
   * Asks the host that deferred the address in an earlier probe, then the other hosts, and, after a pause, the first
   * host that deferred the address in this probe.
   */
  async #askInTurn(request: ProbeRequest): Promise<void> {
    const { hosts, budget } = request
    const asking = new Asking(request)
    const known = this.#whereGreylisted(request)
    if (known !== undefined) await this.#ask(only(hosts, known), asking)
    if (!asking.isSettled)
      await this.#ask(known === undefined ? hosts : without(hosts, known, asking), asking)
    const { putOffBy } = asking
    if (asking.isSettled || putOffBy === undefined) return
    // The first host that deferred the address is asked again if no other host settled the mailbox.
    await pause(this.#clock, SECOND_TRY_MS, budget)
    if (!budget.signal?.aborted) await this.#ask(only(hosts, putOffBy), asking)
  }

  /** Asks the hosts in turn about the mailbox, and asks the accepting host about a catch-all probe address. */
  async #ask(hosts: Hosts, asking: Asking): Promise<void> {
    const { request } = asking
    await attempt(
      hosts,
      {
        ...this.#termsOf(request),
        dialog: (connection, _, hostName) => this.#talk(connection, hostName, asking),
        next: (failure, hostName) => asking.next(failure, hostName),
        tried: (tried) => {
          const finding = asking.note(tried)
          if (finding !== undefined) this.#remember(request.address.email, tried, finding)
        },
      },
      this.#egress,
    )
    const { tookIt } = asking
    if (!asking.lostAtMadeUp || tookIt === undefined || request.budget.late) return
    await this.#askForMadeUpAlone(only(hosts, tookIt), request)
  }

  #termsOf({ budget }: ProbeRequest) {
    const isInteractive = budget.signal !== undefined
    return {
      purpose: isInteractive ? ('interactive' as const) : ('background' as const),
      deadline: budget,
      timeouts: isInteractive ? INTERACTIVE : BACKGROUND,
      form: undefined,
    }
  }

  async #talk(connection: SmtpConnection, hostName: string, asking: Asking): Promise<TransactionResult> {
    const { request } = asking
    const asked = await this.#probe(connection, request.address.email, request.budget)
    const result = asked.recipients[0] as RecipientResult
    if (!request.tryMadeUp || mailboxFinding(result) !== 'exists') return asked
    // The result is recorded now, because the next question may take long.
    asking.note({ hostName, address: connection.address, result })
    const recipients: RecipientResult[] = [result]
    const ask = async (email: string): Promise<RecipientResult> => {
      const madeUp = (await this.#probe(connection, email, request.budget)).recipients[0] as RecipientResult
      recipients.push(madeUp)
      asking.lostAtMadeUp = !connection.usable && (madeUp.failure?.reply?.code ?? 421) === 421
      return madeUp
    }
    await this.#tryMadeUp(request, { ask, mayAskAgain: () => connection.usable })
    return { recipients, transcript: asked.transcript }
  }

  /**
   * Asks about the catch-all probe address on a new connection, because the host ended the connection after one
   * question.
   */
  async #askForMadeUpAlone(hosts: Hosts, request: ProbeRequest): Promise<void> {
    const ask = async (email: string): Promise<RecipientResult> => {
      const { tried } = await attempt(
        hosts,
        {
          ...this.#termsOf(request),
          dialog: (connection) => this.#probe(connection, email, request.budget),
          next: () => 'stop',
        },
        this.#egress,
      )
      return tried?.result ?? NOBODY
    }
    await this.#tryMadeUp(request, { ask, mayAskAgain: () => true })
  }

  async #tryMadeUp(
    { address, destination, findings, budget }: ProbeRequest,
    { ask, mayAskAgain }: MadeUpDialog,
  ): Promise<void> {
    const catchAll = await this.#catchAll.get(destination, async () => {
      const known = this.#catchAllPutOff(destination)
      const local = known ?? catchAllProbeLocalPart()
      let end = await ask(`${local}@${address.domain}`)
      // An address that was deferred in an earlier probe is not tried again: this probe was the second attempt, after a
      // longer pause.
      if (known === undefined && isPutOff(mailboxFinding(end)) && mayAskAgain()) {
        await pause(this.#clock, SECOND_TRY_MS, budget)
        if (!budget.late && mayAskAgain()) end = await ask(`${local}@${address.domain}`)
      }
      const answer = catchAllIn(end)
      if (answer !== undefined) this.#putOff.delete(destination)
      // The address is kept for a later probe, because a new address would be deferred again and would cause another
      // query to an upstream host.
      else if (isPutOff(mailboxFinding(end)))
        this.#putOff.set(destination, { local, until: this.#clock.now() + KEEP_GREYLISTED_MS })
      return { answer, forMs: answer === undefined ? 0 : KEEP_CATCH_ALL_MS }
    })
    if (catchAll !== undefined) findings.catchAll = catchAll
  }

  /** Returns the local part of the catch-all probe address that the destination deferred, if any. */
  #catchAllPutOff(destination: string): string | undefined {
    const known = this.#putOff.get(destination)
    return known === undefined || known.until <= this.#clock.now() ? undefined : known.local
  }

  #probe(connection: SmtpConnection, email: string, { signal }: TimeBudget): Promise<TransactionResult> {
    return connection.probe({ from: this.#limits.sender, recipients: [email] }, signal)
  }

  #whereGreylisted({ address, names }: ProbeRequest): Target | undefined {
    const known = this.#greylisted.get(address.email)
    if (known === undefined || known.until <= this.#clock.now()) return undefined
    return names.includes(known.target.hostName) ? known.target : undefined
  }

  #remember(email: string, { hostName, address }: Tried, finding: MailboxFinding): void {
    if (WEIGHT[finding] >= SETTLED) this.#greylisted.delete(email)
    if (finding !== 'greylisted' || address === undefined) return
    this.#greylisted.set(email, {
      target: { hostName, address },
      until: this.#clock.now() + KEEP_GREYLISTED_MS,
    })
  }
}

const NOBODY: RecipientResult = {
  failure: { stage: 'connect', error: { code: 'unreachable', message: 'There is no host to ask' } },
}

/** Progress of the probe of one mailbox at the hosts of one destination. */
class Asking {
  readonly request: ProbeRequest
  /** The first host that deferred the address. */
  putOffBy: Target | undefined
  tookIt: Target | undefined
  /** True if the connection ended before the reply about the catch-all probe address. */
  lostAtMadeUp = false
  isSettled = false
  /** Latest result, and its finding about the mailbox. */
  #latest: { readonly result: RecipientResult; readonly finding: MailboxFinding } | undefined

  constructor(request: ProbeRequest) {
    this.request = request
  }

  /** Records the result of one host; returns its finding about the mailbox, if the host was asked. */
  note(tried: Tried): MailboxFinding | undefined {
    const { hostName, address, result, undialled } = tried
    if (undialled === 'no_turn') return undefined
    const finding =
      this.#latest?.result === result ? this.#latest.finding : note(this.request.findings, tried)
    this.#latest = { result, finding }
    if (address === undefined) return finding
    if (finding === 'exists') {
      this.isSettled = true
      this.tookIt = { hostName, address }
    } else if (isPutOff(finding) && result.failure !== undefined && !isWorthAnother(result.failure)) {
      this.putOffBy ??= { hostName, address }
    }
    return finding
  }

  /**
   * Returns the next step. The addresses of one host share a greylist, and a host that has replied need not be asked
   * again.
   */
  next(failure: StageFailure, hostName: string): Next {
    if (isWorthAnother(failure)) return 'address'
    const finding =
      this.#latest?.result.failure === failure ? this.#latest.finding : mailboxFinding({ failure })
    if (isPutOff(finding) && this.putOffBy?.hostName === hostName) return 'host'
    this.isSettled = true
    return 'stop'
  }
}

/**
 * Returns whether the domain accepts mail for any name, by the reply about a catch-all probe address; undefined if the
 * reply leaves the question open. A temporarily unknown address (`450 4.1.1 User unknown`) counts as false. A refusal
 * of this installation or a protocol error shows nothing, because the host would send the same reply for any mailbox.
 */
function catchAllIn(end: RecipientResult): boolean | undefined {
  if (mailboxFinding(end) === 'not_found') return false
  if (end.failure?.reply !== undefined) {
    const { about, category } = meaningOf(end.failure)
    if (about === 'us' || category === 'protocol') return undefined
  }
  return catchAllFinding(end)
}

const isPutOff = (finding: MailboxFinding): boolean => finding === 'greylisted' || finding === 'temporary'

/** Returns a route to only this address of this host, with the settings of the original route. */
const only = (hosts: Hosts, { hostName, address }: Target): Hosts =>
  each(hosts, (host, index) => (index === 0 ? { ...host, hostName, addresses: [address] } : undefined))

/** Returns the hosts without the address that was already asked, and without the host that has deferred the mailbox. */
const without = (hosts: Hosts, { hostName, address }: Target, { putOffBy }: Asking): Hosts =>
  each(hosts, (host) => {
    if (host.hostName === putOffBy?.hostName) return undefined
    if (host.hostName !== hostName) return host
    const addresses = host.addresses.filter((one) => one !== address)
    return addresses.length === 0 ? undefined : { ...host, addresses }
  })

const each = (hosts: Hosts, as: (host: Host, index: number) => Host | undefined): Hosts => ({
  async *[Symbol.asyncIterator]() {
    let index = 0
    for await (const host of hosts) {
      const other = 'failure' in host ? undefined : as(host, index++)
      if (other !== undefined) yield other
    }
  },
})

/**
 * Returns the finding of a host about the mailbox, and records the finding unless a finding of higher weight is known.
 */
function note(findings: ProbeFindings, { hostName, address, result }: Tried): MailboxFinding {
  const finding = mailboxFinding(result)
  if (findings.mailbox !== undefined && WEIGHT[finding] < WEIGHT[findings.mailbox]) return finding
  findings.mailbox = finding
  findings.mxServer = hostName
  if (address !== undefined) findings.mxServerIp = address
  const code = (result.reply ?? result.failure.reply)?.code
  if (code === undefined) delete findings.smtpCode
  else findings.smtpCode = code
  return finding
}

/** True if another host of the domain may know more, because this host could not be asked about the mailbox. */
function isWorthAnother({ stage, reply }: StageFailure): boolean {
  return reply === undefined || reply.code === 421 || (stage !== 'mail' && stage !== 'rcpt')
}
