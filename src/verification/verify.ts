// Runs one verification: the steps in order, up to the verdict.

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

/** Result of a verification; absent fields are unknown. */
export interface Verification {
  /** The address as given, trimmed. */
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
  /** Suggested address with another domain, if the given domain looks misspelt. */
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
  /**
   * Returns the domain whose mail hosts are looked up for an address: the domain of the address, unless the playground
   * steers the address.
   */
  readonly destinationOf?: (address: Address) => string
  /** Returns the reply of a host at RCPT to mail of any account of this installation. Does not reject. */
  readonly heard?: (address: Address) => Promise<SharedEvidence | undefined>
}

/** Options of a verification in addition to the address. */
export interface VerifyOptions {
  /** Evidence from the mail of the account that asks. */
  readonly own?: AccountEvidence | undefined
  /** True for a verification in the background, without a deadline and with longer timeouts for slow hosts. */
  readonly unhurried?: boolean
}

/** Findings about an address, the same for every account; added step by step. */
interface Findings extends ProbeFindings {
  domain?: DomainFinding
  esp?: string
  /** True if the mail hosts of the domain belong to a disposable address service. */
  disposableHost?: boolean
  /** True if the mail provider of the domain refuses unknown mailboxes. */
  neverCatchAll?: boolean
}

/** Providers that have assigned local parts with repeated or trailing dots to users. */
const HAVE_STRAY_DOTS: ReadonlySet<string> = new Set(['docomo.ne.jp', 'ezweb.ne.jp', 'au.com'])

/** True for stray dots at a provider whose local parts have no stray dots: the address was mistyped. */
const isSlip = (written: string, address: Address): boolean =>
  hasStrayDots(written, address) && !HAVE_STRAY_DOTS.has(address.domain)

const HOUR_MS = 3_600_000
/** Lifetime of findings by result; unknown results are not kept. */
const KEEP_MS: Partial<Record<InternalResult, number>> = {
  mailbox_exists: 24 * HOUR_MS,
  catch_all: 24 * HOUR_MS,
  mailbox_not_found: HOUR_MS,
  mailbox_disabled: HOUR_MS,
}

const keepMsOf = (findings: Findings): number =>
  KEEP_MS[internalResultOf({ isAddress: true, ...findings })] ?? 0

/** Verifies addresses; requests for the same address share their findings. */
export class Verifier {
  readonly #options: VerifierOptions
  readonly #found: AnswerCache<Findings>
  /** Findings so far of each verification under way. */
  readonly #underWay = new Map<string, Findings>()

  constructor(options: VerifierOptions) {
    this.#options = options
    this.#found = new AnswerCache(options.clock, 'verifications')
  }

  /** True if a free mailbox provider has this domain (A-labels, lower case), and thus controls its DNS. */
  isMailboxProvider(domain: string): boolean {
    return this.#options.lists.isFree(domain)
  }

  /**
   * True if only the catch-all probe of a verification is missing, because greylisting defers the probe for some
   * minutes.
   */
  isCatchAllPutOff({ email, internalResult }: Verification): boolean {
    const address = parseAddress(email)
    if (internalResult !== 'catch_all_unknown' || !isAddress(address)) return false
    return this.#options.prober.isCatchAllPutOff(this.#destinationOf(address))
  }

  /**
   * Verifies an address from the findings that are available at the deadline. Does not reject for failures of the DNS
   * or a host.
   */
  async verify(given: string, options: VerifyOptions = {}): Promise<Verification> {
    const { clock, lists } = this.#options
    // The latency is measured by the monotonic clock, because the system clock may be set meanwhile.
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
    const { domain, mailbox, catchAll, disposableHost, neverCatchAll, ...known } = found
    const disposable = listed || disposableHost === true
    const unread = isNoReply(account)
    return answer(
      email,
      { isAddress: true, disposable, domain, own: own?.finding, mailbox, catchAll, neverCatchAll },
      {
        ...known,
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

  /**
   * Returns the findings that are available at the deadline; skips the probe if the account's own mail or a list has
   * settled the result.
   */
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

  /**
   * Returns the findings about an address: cached findings, the findings of a verification under way, or new findings.
   */
  async #share(address: Address, unhurried: boolean): Promise<Findings> {
    const { email } = address
    let joined = true
    const found = await this.#found.get(email, () => {
      joined = false
      return this.#findOut(address, unhurried)
    })
    // The verification under way may have had less time than this verification.
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
    // Findings cut off by the deadline may be incomplete, for example without the result of the catch-all probe.
    const forMs = done ? keepMsOf(findings) : 0
    return { answer: { ...findings }, forMs }
  }

  async #examine(address: Address, findings: Findings, budget: TimeBudget): Promise<void> {
    // The search for shared evidence starts before the DNS queries, so that both run at the same time.
    const evidence = this.#options.heard?.(address)
    try {
      const { route, esp } = await this.#lookUp(address, findings)
      if (route.kind === 'no_route' || findings.disposableHost || budget.signal?.aborted) return
      const { names, hosts } = route
      const tryMadeUp = !isNeverCatchAll(esp)
      if (!tryMadeUp) findings.neverCatchAll = true
      const destination = this.#destinationOf(address)
      const { prober } = this.#options
      const shared = await evidence
      // An accepted message proves nothing if the domain accepts any name, so a probe must show whether the domain is a
      // catch-all domain, unless this is already known.
      const catchAll = prober.isCatchAll(destination)
      const unclear = shared?.mailbox === 'exists' && tryMadeUp && catchAll === undefined
      if (shared !== undefined && names.includes(shared.mx) && !unclear) {
        noteHeard(findings, shared, catchAll)
      } else if (!budget.signal?.aborted) {
        await prober.probe({ address, destination, hosts, names, tryMadeUp, budget, findings })
      }
    } catch (error) {
      findings.mailbox ??= 'smtp_error'
      this.#options.log.error({ err: error }, 'a verification failed by an internal error')
    }
  }

  /** Looks up the mail hosts of the domain, and an IP address of the most preferred host with an address. */
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

/**
 * Records the reply of a host of the domain to mail of this installation, as if the host had sent the reply to a probe.
 */
function noteHeard(
  findings: Findings,
  { mailbox, smtpCode }: SharedEvidence,
  catchAll: boolean | undefined,
): void {
  findings.mailbox = mailbox
  if (smtpCode !== undefined) findings.smtpCode = smtpCode
  if (mailbox === 'exists' && catchAll !== undefined) findings.catchAll = catchAll
}

/** Returns the result of `work`, or undefined when the deadline came first. */
const inTime = async <T>(work: Promise<T>, deadline: LimitedTime | undefined): Promise<T | undefined> =>
  deadline === undefined ? work : ((await Promise.race([work, deadline.passed()])) ?? undefined)

/**
 * True if the account's own mail was accepted by a host that is no mail host of the domain: a relay or a former host.
 */
const isOutdated = (own: AccountEvidence | undefined, route: Route | undefined): boolean =>
  own?.finding === 'accepted' && route?.kind === 'hosts' && !route.names.includes(own.mx ?? '')

/** Finding for each cause; hosts without an address that may be contacted count as no mail host. */
const DOMAIN_FINDINGS: Readonly<Record<Extract<Route, { kind: 'no_route' }>['cause'], DomainFinding>> = {
  null_mx: 'null_mx',
  domain_not_found: 'domain_not_found',
  no_mail_host: 'no_mail_server',
  no_address: 'no_mail_server',
  special_use: 'no_mail_server',
  own_host: 'own_host',
  dns_error: 'dns_error',
}

/** Returns the known fields in the order of the API reference, and a suggestion. */
function answer(
  email: string,
  evidence: Evidence,
  { mxServer, mxServerIp, esp, ...known }: Partial<Verification>,
  isFree: (domain: string) => boolean,
  latencyMs: number,
): Verification {
  const internalResult = internalResultOf(evidence)
  const suggestion = didYouMean(email, internalResult, isFree)
  const host = { ...(mxServer && { mxServer }), ...(mxServerIp && { mxServerIp }), ...(esp && { esp }) }
  const { smtpCode, catchAll, ...account } = known
  const dialog = { ...(smtpCode && { smtpCode }), ...(catchAll === undefined ? {} : { catchAll }) }
  const meant = suggestion === undefined ? {} : { didYouMean: suggestion }
  const result = RESULTS[internalResult]
  return { email, result, internalResult, ...host, ...account, ...dialog, ...meant, latencyMs }
}
