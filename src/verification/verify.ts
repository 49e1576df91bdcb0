// One verification: the steps in order, until the verdict.

import { AnswerCache, type Kept } from '../dns/answer-cache.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { accountOf } from './account.ts'
import { type DnsOptions, LookedUpDomain } from './domain.ts'
import { espOf, isNeverCatchAll } from './esp.ts'
import type { DomainLists } from './lists.ts'
import { Deadline, type Patience, UNHURRIED } from './patience.ts'
import type { ProbeFindings, Prober } from './probe.ts'
import { isNoReply, isRole } from './role.ts'
import {
  type DomainFinding,
  type Evidence,
  type InternalResult,
  internalResultOf,
  type OwnFinding,
  RESULTS,
  type Result,
} from './verdict.ts'

/** What came of a verification (spec §2.3); what is absent is not known. */
export interface Verification {
  /** As it was given, trimmed. */
  readonly email: string
  readonly result: Result
  readonly internalResult: InternalResult
  readonly mxServer?: string
  readonly mxServerIp?: string
  readonly esp?: string
  readonly account?: string
  readonly tag?: string
  readonly isRole?: boolean
  readonly isFree?: boolean
  readonly isNoReply?: boolean
  readonly smtpCode?: number
  readonly catchAll?: boolean
  readonly latencyMs: number
}

export interface VerifierOptions extends DnsOptions {
  readonly clock: Clock
  readonly log: Log
  readonly lists: DomainLists
  readonly prober: Prober
  /** How long a verification that somebody waits for may take, in milliseconds. */
  readonly timeoutMs: number
  /** The domain that stands for an address in the DNS: its own, unless the playground steers it. */
  readonly destinationOf?: (address: Address) => string
}

/** What a verification is to take into account, beside the address. */
export interface VerifyOptions {
  /** What the mail of whoever asks has shown of the address. */
  readonly own?: OwnFinding | undefined
  /** Nobody waits: no deadline, and slow hosts get the time that they take. */
  readonly unhurried?: boolean
}

/** What is found out about an address, the same for everybody who asks; grows as the steps go on. */
interface Findings extends ProbeFindings {
  domain?: DomainFinding
  esp?: string
  /** Its mail hosts are those of a disposable service. */
  disposableHost?: boolean
}

const HOUR_MS = 3_600_000
/** How long the finding of a probe holds; what is not known is asked again. */
const KEEP_MS: Partial<Record<InternalResult, number>> = {
  mailbox_exists: 24 * HOUR_MS,
  catch_all: 24 * HOUR_MS,
  mailbox_not_found: HOUR_MS,
  mailbox_disabled: HOUR_MS,
}
const MOST_KEPT = 20_000

/** Verifies addresses; requests for the same one share what is found out. */
export class Verifier {
  readonly #options: VerifierOptions
  readonly #found: AnswerCache<Findings>
  /** What those under way have found out by now. */
  readonly #underWay = new Map<string, Findings>()

  constructor(options: VerifierOptions) {
    this.#options = options
    this.#found = new AnswerCache(options.clock, MOST_KEPT)
  }

  /** Finds out what it can until the deadline. Does not reject for what the DNS or a host does. */
  async verify(given: string, options: VerifyOptions = {}): Promise<Verification> {
    const { clock, lists } = this.#options
    const startedAt = clock.now()
    const email = given.trim()
    const address = parseAddress(email)
    if (!isAddress(address)) return answer(email, { isAddress: false }, {}, clock.now() - startedAt)
    const { account, tag } = accountOf(address)
    const listed = lists.isDisposable(address.domain)
    const found = await this.#find(address, listed || options.own !== undefined, options.unhurried === true)
    const { domain, mailbox, catchAll, disposableHost, ...told } = found
    const disposable = listed || disposableHost === true
    return answer(
      email,
      { isAddress: true, disposable, domain, own: options.own, mailbox, catchAll },
      {
        ...told,
        account,
        ...(tag === undefined ? {} : { tag }),
        isRole: isRole(account),
        isFree: lists.isFree(address.domain),
        isNoReply: isNoReply(account),
        ...(catchAll === undefined ? {} : { catchAll }),
      },
      clock.now() - startedAt,
    )
  }

  /** What is found out by the deadline; `settled` when there is no need to ask for the mailbox. */
  async #find(address: Address, settled: boolean, unhurried: boolean): Promise<Findings> {
    const { email } = address
    if (settled) {
      const findings: Findings = {}
      await this.#inTime(this.#lookUp(address, findings), unhurried)
      return { ...findings }
    }
    const found = await this.#inTime(this.#share(address, unhurried), unhurried)
    return found ?? { ...this.#underWay.get(email) }
  }

  /** The result of `work`, or undefined when the deadline came first. */
  async #inTime<T>(work: Promise<T>, unhurried: boolean): Promise<T | undefined> {
    if (unhurried) return work
    const deadline = new Deadline(this.#options.clock, this.#options.timeoutMs)
    const first = await Promise.race([work, deadline.passed])
    deadline.end()
    return first ?? undefined
  }

  /** The findings for an address, from memory, from whoever is finding them out now, or found out anew. */
  async #share(address: Address, unhurried: boolean): Promise<Findings> {
    const { email } = address
    let joined = true
    const found = await this.#found.get(email, () => {
      joined = false
      return this.#findOut(address, unhurried)
    })
    // Whoever found it out may have had less time than there is here.
    if (!joined || !unhurried || internalResultOf({ isAddress: true, ...found }) !== 'timeout') return found
    return this.#found.get(email, () => this.#findOut(address, unhurried))
  }

  async #findOut(address: Address, unhurried: boolean): Promise<Kept<Findings>> {
    const { email } = address
    const findings: Findings = {}
    this.#underWay.set(email, findings)
    const { clock, timeoutMs } = this.#options
    const deadline = unhurried ? undefined : new Deadline(clock, timeoutMs)
    const work = this.#examine(address, findings, deadline ?? UNHURRIED).then(() => true)
    const done = await (deadline === undefined ? work : Promise.race([work, deadline.passed]))
    deadline?.end()
    this.#underWay.delete(email)
    // What the time was too short for may be otherwise: that any mailbox is taken, say.
    const forMs = done ? (KEEP_MS[internalResultOf({ isAddress: true, ...findings })] ?? 0) : 0
    return { answer: { ...findings }, forMs }
  }

  async #examine(address: Address, findings: Findings, patience: Patience): Promise<void> {
    try {
      const domain = await this.#lookUp(address, findings)
      if (findings.domain !== 'hosts' || findings.disposableHost || patience.signal?.aborted) return
      const tryMadeUp = !isNeverCatchAll(espOf(domain.hosts[0] ?? ''))
      const destination = this.#destinationOf(address)
      await this.#options.prober.probe({ address, destination, domain, tryMadeUp, patience, findings })
    } catch (error) {
      findings.mailbox ??= 'smtp_error'
      this.#options.log.error({ err: error }, 'a verification went wrong on our side')
    }
  }

  /** Asks the DNS: for the domain's mail hosts, and for an address of the best one that has any. */
  async #lookUp(address: Address, findings: Findings): Promise<LookedUpDomain> {
    const domain = await LookedUpDomain.lookUp(this.#destinationOf(address), this.#options)
    const [best] = domain.hosts
    if (best !== undefined) {
      const esp = espOf(best)
      findings.mxServer = best
      if (esp !== undefined) findings.esp = esp.name
      const allowed = this.#options.lists.ownWord(address.domain) === false
      if (esp?.kind === 'disposable' && !allowed) findings.disposableHost = true
      const target = await domain.target(0)
      if (target !== undefined) {
        findings.mxServer = target.hostName
        findings.mxServerIp = target.address
      }
    }
    findings.domain = domain.finding
    return domain
  }

  #destinationOf(address: Address): string {
    return this.#options.destinationOf?.(address) ?? address.domain
  }
}

/** The fields in the order of the spec, those that are known. */
function answer(
  email: string,
  evidence: Evidence,
  { mxServer, mxServerIp, esp, ...told }: Partial<Verification>,
  latencyMs: number,
): Verification {
  const internalResult = internalResultOf(evidence)
  const host = { ...(mxServer && { mxServer }), ...(mxServerIp && { mxServerIp }), ...(esp && { esp }) }
  const { smtpCode, catchAll, ...account } = told
  const dialog = { ...(smtpCode && { smtpCode }), ...(catchAll === undefined ? {} : { catchAll }) }
  return { email, result: RESULTS[internalResult], internalResult, ...host, ...account, ...dialog, latencyMs }
}
