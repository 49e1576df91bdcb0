// One verification: the steps in order, until the verdict.

import { AnswerCache, type Kept } from '../dns/answer-cache.ts'
import type { Route, Routes } from '../egress/route.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { LimitedTime, type TimeBudget, UNLIMITED_TIME } from '../lib/time-budget.ts'
import { type Address, hasStrayDots, isAddress, parseAddress } from '../model/address.ts'
import { type Esp, espOf, isNeverCatchAll } from '../model/esp.ts'
import type { AccountEvidence, SharedEvidence } from './delivery-history.ts'
import type { DomainLists } from './lists.ts'
import { accountOf, isNoReply, isRole } from './local-part.ts'
import { didYouMean } from './misspelt-domain.ts'
import type { ProbeFindings, Prober } from './probe.ts'
import {
  type DomainFinding,
  type Evidence,
  type InternalResult,
  internalResultOf,
  RESULTS,
  type Result,
} from './verdict.ts'

/** Result of a verification (spec §2.3); absent parts are not known. */
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
  /** The address with another domain, where this one looks misspelt. */
  readonly didYouMean?: string
  readonly latencyMs: number
}

export interface VerifierOptions {
  readonly routes: Pick<Routes, 'forProbe'>
  readonly clock: Clock
  readonly log: Log
  readonly lists: DomainLists
  readonly prober: Prober
  /** Time limit of an interactive verification, in milliseconds. */
  readonly timeoutMs: number
  /** The domain that stands for an address in the DNS: its own, unless the playground steers it. */
  readonly destinationOf?: (address: Address) => string
  /** Replies of hosts at RCPT to mail of any account here. Does not reject. */
  readonly heard?: (address: Address) => Promise<SharedEvidence | undefined>
}

/** Circumstances of a verification beside the address. */
export interface VerifyOptions {
  /** Evidence from the mail of the account that asks. */
  readonly own?: AccountEvidence | undefined
  /** In the background: no deadline, and slow hosts get the time that they take. */
  readonly unhurried?: boolean
}

/** Findings about an address, the same for every account; they grow as the steps go on. */
interface Findings extends ProbeFindings {
  domain?: DomainFinding
  esp?: string
  /** Its mail hosts are those of a disposable service. */
  disposableHost?: boolean
  /** Its provider refuses unknown mailboxes. */
  neverCatchAll?: boolean
}

/** Providers that gave away names with dots in a row or at the end. */
const HAVE_STRAY_DOTS: ReadonlySet<string> = new Set(['docomo.ne.jp', 'ezweb.ne.jp', 'au.com'])

/** True for stray dots where no mailbox has any: the name was mistyped. */
const isSlip = (written: string, address: Address): boolean =>
  hasStrayDots(written, address) && !HAVE_STRAY_DOTS.has(address.domain)

const HOUR_MS = 3_600_000
/** Lifetime of a probe's finding; unknown results are not kept. */
const KEEP_MS: Partial<Record<InternalResult, number>> = {
  mailbox_exists: 24 * HOUR_MS,
  catch_all: 24 * HOUR_MS,
  mailbox_not_found: HOUR_MS,
  mailbox_disabled: HOUR_MS,
}

const keepMsOf = (findings: Findings): number =>
  KEEP_MS[internalResultOf({ isAddress: true, ...findings })] ?? 0

/** Verifies addresses; requests for the same one share what is found out. */
export class Verifier {
  readonly #options: VerifierOptions
  readonly #found: AnswerCache<Findings>
  /** Findings so far of those under way. */
  readonly #underWay = new Map<string, Findings>()

  constructor(options: VerifierOptions) {
    this.#options = options
    this.#found = new AnswerCache(options.clock, 'verifications')
  }

  /** True if a free mailbox provider has this domain (A-labels, lower case), whose DNS is then nobody else's. */
  isMailboxProvider(domain: string): boolean {
    return this.#options.lists.isFree(domain)
  }

  /** True for an answer that only lacks the one to the catch-all probe address, which a greylist puts off for some minutes. */
  isCatchAllPutOff({ email, internalResult }: Verification): boolean {
    const address = parseAddress(email)
    if (internalResult !== 'catch_all_unknown' || !isAddress(address)) return false
    return this.#options.prober.isCatchAllPutOff(this.#destinationOf(address))
  }

  /** Finds out what it can until the deadline. Does not reject for what the DNS or a host does. */
  async verify(given: string, options: VerifyOptions = {}): Promise<Verification> {
    const { clock, lists } = this.#options
    // Not by the time of day, which may be set meanwhile.
    const startedAt = clock.monotonic()
    const latencyMs = (): number => Math.round(clock.monotonic() - startedAt)
    const email = given.trim()
    const address = parseAddress(email)
    const isFree = (domain: string): boolean => lists.isFree(domain)
    if (!isAddress(address) || isSlip(email, address))
      return answer(email, { isAddress: false }, {}, isFree, latencyMs())
    const { account, tag } = accountOf(address)
    const listed = lists.isDisposable(address.domain)
    const { own, ...found } = await this.#find(address, listed, options)
    const { domain, mailbox, catchAll, disposableHost, neverCatchAll, ...told } = found
    const disposable = listed || disposableHost === true
    const unread = isNoReply(account)
    return answer(
      email,
      { isAddress: true, disposable, domain, own: own?.finding, mailbox, catchAll, neverCatchAll },
      {
        ...told,
        account,
        ...(tag === undefined ? {} : { tag }),
        isRole: isRole(account, unread),
        isFree: isFree(address.domain),
        isNoReply: unread,
        ...(catchAll === undefined ? {} : { catchAll }),
      },
      isFree,
      latencyMs(),
    )
  }

  /** Findings by the deadline; the mailbox is not asked for when own mail or a list has settled it. */
  async #find(
    address: Address,
    listed: boolean,
    { own, unhurried = false }: VerifyOptions,
  ): Promise<Findings & { readonly own?: AccountEvidence | undefined }> {
    const deadline = unhurried ? undefined : new LimitedTime(this.#options.clock, this.#options.timeoutMs)
    try {
      if (listed || own !== undefined) {
        const findings: Findings = {}
        const found = await inTime(this.#lookUp(address, findings), deadline)
        if (listed || !isOutdated(own, found?.route)) return { ...findings, own }
      }
      const found = await inTime(this.#share(address, unhurried), deadline)
      return found ?? { ...this.#underWay.get(address.email) }
    } finally {
      deadline?.end()
    }
  }

  /** Findings for an address: cached, of a run under way, or of a new one. */
  async #share(address: Address, unhurried: boolean): Promise<Findings> {
    const { email } = address
    let joined = true
    const found = await this.#found.get(email, () => {
      joined = false
      return this.#findOut(address, unhurried)
    })
    // The run that found it may have had less time than there is here.
    if (!joined || !unhurried || internalResultOf({ isAddress: true, ...found }) !== 'timeout') return found
    return this.#found.get(email, () => this.#findOut(address, unhurried))
  }

  async #findOut(address: Address, unhurried: boolean): Promise<Kept<Findings>> {
    const { email } = address
    const findings: Findings = {}
    this.#underWay.set(email, findings)
    const { clock, timeoutMs } = this.#options
    const deadline = unhurried ? undefined : new LimitedTime(clock, timeoutMs)
    const work = this.#examine(address, findings, deadline ?? UNLIMITED_TIME).then(() => true)
    const done = await (deadline === undefined ? work : Promise.race([work, deadline.passed()]))
    deadline?.end()
    this.#underWay.delete(email)
    // Findings that ran out of time may be wrong about the rest, such as catch-all.
    const forMs = done ? keepMsOf(findings) : 0
    return { answer: { ...findings }, forMs }
  }

  async #examine(address: Address, findings: Findings, budget: TimeBudget): Promise<void> {
    // The store is asked beside the DNS: neither waits for the other.
    const heard = this.#options.heard?.(address)
    try {
      const { route, esp } = await this.#lookUp(address, findings)
      if (route.kind === 'no_route' || findings.disposableHost || budget.signal?.aborted) return
      const { names, hosts } = route
      const tryMadeUp = !isNeverCatchAll(esp)
      if (!tryMadeUp) findings.neverCatchAll = true
      const destination = this.#destinationOf(address)
      const { prober } = this.#options
      const told = await heard
      // Of a domain that takes any name, being taken says nothing: while that is not known, a probe has to find out.
      const catchAll = prober.isCatchAll(destination)
      const unclear = told?.mailbox === 'exists' && tryMadeUp && catchAll === undefined
      if (told !== undefined && names.includes(told.mx) && !unclear) {
        noteHeard(findings, told, catchAll)
      } else if (!budget.signal?.aborted) {
        await prober.probe({ address, destination, hosts, names, tryMadeUp, budget, findings })
      }
    } catch (error) {
      findings.mailbox ??= 'smtp_error'
      this.#options.log.error({ err: error }, 'a verification went wrong on our side')
    }
  }

  /** Asks the DNS: for the domain's mail hosts, and for an address of the best one that has any. */
  async #lookUp(
    address: Address,
    findings: Findings,
  ): Promise<{ readonly route: Route; readonly esp: Esp | undefined }> {
    let esp: Esp | undefined
    const route = await this.#options.routes.forProbe(this.#destinationOf(address), ([best = '']) => {
      esp = espOf(best)
      findings.mxServer = best
      if (esp !== undefined) findings.esp = esp.name
      const allowed = this.#options.lists.ownWord(address.domain) === false
      if (esp?.kind === 'disposable' && !allowed) findings.disposableHost = true
    })
    if (route.kind === 'hosts') {
      for await (const host of route.hosts) {
        findings.mxServer = host.hostName
        if ('addresses' in host) findings.mxServerIp = host.addresses[0] as string
        break
      }
    }
    findings.domain = route.kind === 'hosts' ? 'hosts' : DOMAIN_FINDINGS[route.cause]
    return { route, esp }
  }

  #destinationOf(address: Address): string {
    return this.#options.destinationOf?.(address) ?? address.domain
  }
}

/** Writes down what a host of the domain has told mail from here, as a probe would that it had told the same. */
function noteHeard(
  findings: Findings,
  { mailbox, smtpCode }: SharedEvidence,
  catchAll: boolean | undefined,
): void {
  findings.mailbox = mailbox
  if (smtpCode !== undefined) findings.smtpCode = smtpCode
  if (mailbox === 'exists' && catchAll !== undefined) findings.catchAll = catchAll
}

/** The result of `work`, or undefined when the deadline came first. */
const inTime = async <T>(work: Promise<T>, deadline: LimitedTime | undefined): Promise<T | undefined> =>
  deadline === undefined ? work : ((await Promise.race([work, deadline.passed()])) ?? undefined)

/** True if own mail was taken by a host that is none of the domain's: a relay, or one that served it once. */
const isOutdated = (own: AccountEvidence | undefined, route: Route | undefined): boolean =>
  own?.finding === 'accepted' && route?.kind === 'hosts' && !route.names.includes(own.mx ?? '')

/** Hosts of which none has an address that may be asked are none. */
const DOMAIN_FINDINGS: Readonly<Record<Extract<Route, { kind: 'no_route' }>['cause'], DomainFinding>> = {
  null_mx: 'null_mx',
  domain_not_found: 'domain_not_found',
  no_mail_host: 'no_mail_server',
  no_address: 'no_mail_server',
  special_use: 'no_mail_server',
  own_host: 'own_host',
  dns_error: 'dns_error',
}

/** The fields in the order of the spec, those that are known, and a suggestion. */
function answer(
  email: string,
  evidence: Evidence,
  { mxServer, mxServerIp, esp, ...told }: Partial<Verification>,
  isFree: (domain: string) => boolean,
  latencyMs: number,
): Verification {
  const internalResult = internalResultOf(evidence)
  const suggestion = didYouMean(email, internalResult, isFree)
  const host = { ...(mxServer && { mxServer }), ...(mxServerIp && { mxServerIp }), ...(esp && { esp }) }
  const { smtpCode, catchAll, ...account } = told
  const dialog = { ...(smtpCode && { smtpCode }), ...(catchAll === undefined ? {} : { catchAll }) }
  const meant = suggestion === undefined ? {} : { didYouMean: suggestion }
  const result = RESULTS[internalResult]
  return { email, result, internalResult, ...host, ...account, ...dialog, ...meant, latencyMs }
}
