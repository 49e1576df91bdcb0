// The probe: asks the hosts of a domain for a mailbox, one after the other, and then for one that nobody has.

import { AnswerCache } from '../dns/answer-cache.ts'
import type { Clock } from '../lib/clock.ts'
import { KeyedLimit } from '../lib/keyed-limit.ts'
import { type Rate, RateLimiter } from '../lib/rate-limiter.ts'
import type { Address } from '../model/address.ts'
import { madeUpMailbox } from '../model/made-up-mailbox.ts'
import type { RecipientResult } from '../smtp/transaction.ts'
import type { LookedUpDomain, Target } from './domain.ts'
import { catchAllFinding, type MailboxFinding, mailboxFinding } from './mailbox-reply.ts'
import { type Patience, pause } from './patience.ts'
import type { ProbeSession } from './session.ts'
import type { ProbeSessions } from './sessions.ts'

/** How gently hosts are asked. */
export interface Manners {
  /** Probes at one destination at once. */
  readonly perDestination: number
  /** How many a destination gets in a time. */
  readonly rate: Rate
}

/** What a probe finds out, written down as it goes, so that it counts when the time is up. */
export interface ProbeFindings {
  mailbox?: MailboxFinding
  /** Of the reply to RCPT, or to the step that failed. */
  smtpCode?: number
  mxServer?: string
  mxServerIp?: string
  catchAll?: boolean
}

/** What to ask for, and where. */
export interface ProbeRequest {
  readonly address: Address
  /** The unit of manners, and of what is known of catch-all: the recipient's domain. */
  readonly destination: string
  readonly domain: LookedUpDomain
  /** Whether to ask for a mailbox that nobody has, when it is not known that any is taken. */
  readonly tryMadeUp: boolean
  readonly patience: Patience
  readonly findings: ProbeFindings
}

const SECOND_TRY_MS = 1_000
const KEEP_CATCH_ALL_MS = 12 * 3_600_000
const MOST_DOMAINS = 50_000
const KEEP_GREYLISTED_MS = 24 * 3_600_000
const MOST_GREYLISTED = 10_000

/** Later findings take the place of earlier ones of the same weight or less. */
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

/** From this weight on the host has spoken of the mailbox or the domain. */
const SETTLED = 6

export class Prober {
  readonly #sessions: ProbeSessions
  readonly #clock: Clock
  readonly #rate: Rate
  readonly #destinations: KeyedLimit
  readonly #rates = new RateLimiter()
  readonly #catchAll: AnswerCache<boolean | undefined>
  /** Where an address was put off: the same host is asked again, as a greylist wants it. */
  readonly #greylisted = new Map<string, { readonly target: Target; readonly until: number }>()

  constructor(sessions: ProbeSessions, clock: Clock, manners: Manners) {
    this.#sessions = sessions
    this.#clock = clock
    this.#rate = manners.rate
    this.#destinations = new KeyedLimit(manners.perDestination)
    this.#catchAll = new AnswerCache(clock, MOST_DOMAINS)
  }

  /** Whether a destination takes mail for any name, as far as that was found out lately. */
  isCatchAll(destination: string): boolean | undefined {
    return this.#catchAll.peek(destination)
  }

  /** Asks until the mailbox is settled or nothing is left to ask. Does not reject. */
  async probe(request: ProbeRequest): Promise<void> {
    const { destination, patience } = request
    const leave = await this.#destinations.enter(destination, patience.signal)
    try {
      await this.#waitForRate(destination, patience)
      if (!patience.signal?.aborted) await this.#askInTurn(request)
    } finally {
      leave?.()
    }
  }

  async #waitForRate(destination: string, patience: Patience): Promise<void> {
    const { count, perMs } = this.#rate
    while (
      !this.#rates.take(destination, this.#rate, this.#clock.now()).allowed &&
      !patience.signal?.aborted
    ) {
      await pause(this.#clock, perMs / count, patience)
    }
  }

  async #askInTurn(request: ProbeRequest): Promise<void> {
    const { patience } = request
    const remembered = this.#whereGreylisted(request)
    let putOffBy: Target | undefined
    for (let index = remembered === undefined ? 0 : -1; !patience.signal?.aborted; index++) {
      const target = index < 0 ? remembered : await request.domain.target(index)
      if (target === undefined) {
        // The second try, after a moment, when no other host could make it.
        if (putOffBy === undefined) return
        await pause(this.#clock, SECOND_TRY_MS, patience)
        await this.#ask(putOffBy, request)
        return
      }
      // Addresses of one host share their greylist, and a host that was asked need not be asked again.
      if (target.hostName === putOffBy?.hostName || (index >= 0 && isSame(target, remembered))) continue
      const finding = await this.#ask(target, request)
      if (finding === 'greylisted' || finding === 'temporary') {
        if (putOffBy !== undefined) return
        putOffBy = target
      } else if (finding !== undefined) return
    }
  }

  /** Asks one host. Answers what it says of the mailbox; undefined when the next host should be asked. */
  async #ask(target: Target, request: ProbeRequest): Promise<MailboxFinding | undefined> {
    const { address, patience, findings } = request
    let finding: MailboxFinding | undefined
    const result = await this.#sessions.use(target, patience, async (session) => {
      const asked = await session.ask(address.email)
      finding = note(findings, target, asked)
      if (asked.failure === undefined && request.tryMadeUp) await this.#tryMadeUp(session, request)
      return asked
    })
    if (result === undefined) return undefined
    const asked: RecipientResult = 'stage' in result ? { failure: result } : result
    finding ??= note(findings, target, asked)
    this.#remember(address.email, target, finding)
    return worthAnotherHost(asked) ? undefined : finding
  }

  async #tryMadeUp(session: ProbeSession, { address, destination, findings }: ProbeRequest): Promise<void> {
    const catchAll = await this.#catchAll.get(destination, async () => {
      const answer = catchAllFinding(await session.ask(`${madeUpMailbox()}@${address.domain}`))
      return { answer, forMs: answer === undefined ? 0 : KEEP_CATCH_ALL_MS }
    })
    if (catchAll !== undefined) findings.catchAll = catchAll
  }

  #whereGreylisted({ address, domain }: ProbeRequest): Target | undefined {
    const known = this.#greylisted.get(address.email)
    if (known === undefined || known.until <= this.#clock.now()) return undefined
    return domain.isHost(known.target.hostName) ? known.target : undefined
  }

  #remember(email: string, target: Target, finding: MailboxFinding): void {
    if (WEIGHT[finding] >= SETTLED) this.#greylisted.delete(email)
    if (finding !== 'greylisted') return
    const oldest = this.#greylisted.keys().next().value
    if (this.#greylisted.size >= MOST_GREYLISTED && oldest !== undefined) this.#greylisted.delete(oldest)
    this.#greylisted.set(email, { target, until: this.#clock.now() + KEEP_GREYLISTED_MS })
  }
}

const isSame = (one: Target, other: Target | undefined): boolean => one.address === other?.address

/** Answers what a host says of the mailbox, and writes it down unless something weightier is known. */
function note(findings: ProbeFindings, target: Target, asked: RecipientResult): MailboxFinding {
  const finding = mailboxFinding(asked)
  if (findings.mailbox !== undefined && WEIGHT[finding] < WEIGHT[findings.mailbox]) return finding
  findings.mailbox = finding
  findings.mxServer = target.hostName
  findings.mxServerIp = target.address
  const code = (asked.reply ?? asked.failure.reply)?.code
  if (code === undefined) delete findings.smtpCode
  else findings.smtpCode = code
  return finding
}

/** Whether a host of the same domain may say more: this one could not be asked for the mailbox. */
function worthAnotherHost({ failure }: RecipientResult): boolean {
  if (failure === undefined) return false
  const { stage, reply } = failure
  return reply === undefined || reply.code === 421 || (stage !== 'mail' && stage !== 'rcpt')
}
