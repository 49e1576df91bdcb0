// Reads the mail to addresses for reports: claims each mail, reads and authenticates it in a thread, and keeps the report.

import { getDomain } from 'tldts'
import type { Resolver } from '../dns/resolver.ts'
import { readReturnedMail } from '../dsn/returned-mail.ts'
import type { Clock } from '../lib/clock.ts'
import type { Figure } from '../lib/figures.ts'
import { LeasedRuns, type Run } from '../lib/leased-runs.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { parseSoleMailbox } from '../mime/read-mailboxes.ts'
import type { Authentication } from '../model/inbound-message.ts'
import type { ReadReport } from '../model/report.ts'
import type { Store } from '../store/database/store.ts'
import type { Owner } from '../store/messages/owner.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { addressesToLookUp, findReportedDomain, keepHost } from '../store/reports/authentication.ts'
import {
  type ClaimedReport,
  claimReports,
  findReportContent,
  keepReport,
  renewReports,
} from '../store/reports/reports.ts'
import { copyForThreads } from '../threads/shared-bytes.ts'
import { type ReadInThread, selectorsOf } from './intake.ts'
import { type StoredPart, storedReport, unreadableReport } from './stored-report.ts'

export interface ReportProcessorOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly node: NodeName
  readonly resolver: Resolver
  readonly readInThread: ReadInThread
  /** Checks DKIM and SPF of a mail. */
  readonly authenticate: (mail: {
    readonly accountId: string
    readonly raw: Uint8Array
    readonly ip: string
    readonly helo: string
    readonly sender: string
  }) => Promise<Authentication>
  /** Called after a report of a domain was kept; never rejects. */
  readonly kept: (owner: Owner) => Promise<void>
}

/** Maximum number of reports that are read at once. */
const MAX_AT_ONCE = 4
const EVERY_MS = 5_000
/** Number of tries after which a mail whose reading ended the process is kept as unreadable. */
const MAX_TRIES = 3
/** Pause before the next try for a report that could not be read or written, in milliseconds. */
const RETRY_MS = 5 * 60_000
/** Number of addresses that are looked up at once. */
const MAX_LOOKUPS = 50
/** Number of bytes of a mail in which its header section is sought. */
const MAX_HEAD = 256 * 1024

type End = 'done' | 'later' | 'stopped' | 'lost'

class ReportRun implements Run<End> {
  readonly #end = Promise.withResolvers<End>()
  readonly #work: () => Promise<End>

  constructor(work: () => Promise<End>) {
    this.#work = work
  }

  run(): Promise<End> {
    void this.#work().then(this.#end.resolve)
    return this.#end.promise
  }

  stop(why: End): void {
    this.#end.resolve(why)
  }
}

/** Reads reports on this node; several nodes share the reports. */
export class ReportProcessor implements Part {
  readonly name = 'reports'
  readonly #options: ReportProcessorOptions
  readonly #runs: LeasedRuns<ClaimedReport, End, ReportRun>
  readonly #counts: Record<string, number> = {}
  #isStopped = false
  #lookingUp: Promise<void> | undefined

  constructor(options: ReportProcessorOptions) {
    const { clock, log, node, store } = options
    this.#options = options
    const lease = node.newToken()
    this.#runs = new LeasedRuns<ClaimedReport, End, ReportRun>({
      ...{ name: this.name, clock, log, everyMs: EVERY_MS },
      claim: async ({ now, until }) => {
        this.#lookUp()
        const limit = MAX_AT_ONCE - this.#runs.size
        if (limit <= 0) return { held: [], hasMore: false }
        const held = await store.write(claimReports, { lease, limit, now, until })
        return { held, hasMore: held.length === limit }
      },
      async renew(held, until) {
        const ids = new Set(await store.write(renewReports, { lease, ids: held.map(({ id }) => id), until }))
        return held.filter(({ id }) => ids.has(id))
      },
      begin: (claimed) => new ReportRun(() => this.#process(claimed)),
      async release({ id }, end) {
        if (end !== 'stopped' && end !== 'later') return
        const until = end === 'later' ? clock.now() + RETRY_MS : null
        await store.write(renewReports, { lease, ids: [id], until })
      },
      ends: { lost: 'lost', stopped: 'stopped' },
    })
  }

  start(): void {
    this.#runs.start()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#runs.stop()
    await this.#lookingUp
  }

  /** Checks now whether there are reports to read. */
  wake(): void {
    this.#runs.wake()
  }

  figures(): Figure[] {
    return [
      {
        name: 'postrider_reports_total',
        help: 'Reports of receivers by mail that were read on this node, by kind',
        kind: 'counter',
        labels: ['kind'],
        read: () => Object.entries(this.#counts),
      },
    ]
  }

  async #process(claimed: ClaimedReport): Promise<End> {
    const { store, log } = this.#options
    try {
      const domain = await findReportedDomain(store.read, claimed.domain_id)
      const raw = await findReportContent(store.read, claimed.id)
      if (domain === undefined || raw === undefined || claimed.tries > MAX_TRIES) {
        await this.#keep(claimed, unreadableReport(GONE), 0)
        return 'done'
      }
      const read = await this.#options.readInThread(
        claimed.account_id,
        await copyForThreads(raw),
        claimed.received_at,
      )
      if (read.kind === 'unreadable') {
        await this.#keep(claimed, unreadableReport(read), 0)
        return 'done'
      }
      const stored = storedReport(read, domain, await selectorsOf(store.read, domain))
      const problem = `The report is about ${read.domains.join(', ').slice(0, 300) || 'no domain'}.`
      const isAuthentic = await this.#isAuthentic(claimed, raw, read)
      await this.#keep(
        claimed,
        stored ?? unreadableReport({ kind: 'unreadable', problem, where: 'the domain of the report' }),
        isAuthentic ? 1 : 0,
      )
      return 'done'
    } catch (error) {
      if (this.#isStopped) return 'stopped'
      log.warn({ err: error, report_id: claimed.id }, 'a report was not read')
      return 'later'
    }
  }

  async #keep(claimed: ClaimedReport, stored: StoredPart, authenticated: number): Promise<void> {
    const { id, account_id: accountId, domain_id: domainId, received_at, size } = claimed
    const kept = await this.#options.store.write(keepReport, {
      ...stored,
      ...{ owner: { accountId, domainId }, raw: undefined },
      report: { ...stored.report, id, received_at, size, authenticated },
    })
    if (kept === undefined) return
    const kind = kept.report.kind ?? 'unreadable'
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1
    this.#lookUp()
    if (kept.isNew) await this.#options.kept({ accountId, domainId })
  }

  /** True if DKIM or SPF proves that the submitter of the report wrote the mail. */
  async #isAuthentic(claimed: ClaimedReport, raw: Uint8Array, read: ReadReport): Promise<boolean> {
    const { account_id: accountId, client_address: ip, helo, mail_from: sender } = claimed
    const head = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.length, MAX_HEAD))
    const from = parseSoleMailbox(readReturnedMail(head).fields.get('from') ?? '')?.email
    if (from === undefined || ip === '') return false
    const authentication = await this.#options.authenticate({
      accountId,
      raw: await copyForThreads(raw),
      ip,
      helo,
      sender,
    })
    return isAuthenticSubmitter(authentication, from, read)
  }

  /** Looks up the host names of new source addresses, one round at a time. */
  #lookUp(): void {
    this.#lookingUp ??= this.#lookUpAll()
      .catch((error: unknown) => {
        if (!this.#isStopped) this.#options.log.warn({ err: error }, 'hosts of reports were not looked up')
      })
      .finally(() => {
        this.#lookingUp = undefined
      })
  }

  async #lookUpAll(): Promise<void> {
    const { store, clock, resolver } = this.#options
    while (!this.#isStopped) {
      const addresses = await addressesToLookUp(store.read, MAX_LOOKUPS)
      if (addresses.length === 0) return
      await Promise.all(
        addresses.map(async (address) => {
          const host = await confirmedHost(resolver, address)
          await store.write(keepHost, { address, host: host ?? '', now: clock.now() })
        }),
      )
    }
  }
}

const GONE = {
  kind: 'unreadable',
  problem: 'The report cannot be read.',
  where: 'the file',
} as const

/** Number of names of one address that are tried. */
const MAX_NAMES = 3

/** Returns the first PTR name of an address that leads back to the address, in lower case. */
async function confirmedHost(resolver: Resolver, address: string): Promise<string | undefined> {
  const names = await resolver.ptr(address)
  if (names.kind !== 'found') return undefined
  for (const name of names.records.slice(0, MAX_NAMES)) {
    const answer = await (address.includes(':') ? resolver.aaaa(name) : resolver.a(name))
    if (answer.kind === 'found' && answer.records.includes(address)) {
      return name.toLowerCase().replace(/\.$/, '').slice(0, 255)
    }
  }
  return undefined
}

const organizationOf = (name: string): string | undefined => {
  const host = name.toLowerCase().replace(/^.*@/, '')
  return getDomain(host, { allowPrivateDomains: false }) ?? undefined
}

/**
 * True if DKIM or SPF passes for the organization of the From address (the relaxed alignment of RFC 9989), and the
 * report names an address or a name of the same organization as its submitter.
 */
function isAuthenticSubmitter(
  { dkim, spf }: Pick<Authentication, 'dkim' | 'spf'>,
  from: string,
  { submitter, contact }: Pick<ReadReport, 'submitter' | 'contact'>,
): boolean {
  const organization = organizationOf(from)
  if (organization === undefined) return false
  const signed = dkim.some(
    ({ result, domain, partial }) =>
      result === 'pass' && partial === undefined && organizationOf(domain) === organization,
  )
  const sent = spf.result === 'pass' && spf.domain !== null && organizationOf(spf.domain) === organization
  if (!signed && !sent) return false
  return organizationOf(contact) === organization || organizationOf(submitter) === organization
}
