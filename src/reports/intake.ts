// Takes reports: files that the customer uploads, and mail to the address for reports of a domain.

import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { Address } from '../model/address.ts'
import { Problem } from '../model/problem.ts'
import type { ReadReport, Unreadable } from '../model/report.ts'
import { readReportAddress } from '../model/report-address.ts'
import { type Read, reading, type Store } from '../store/database/store.ts'
import type { Owner } from '../store/messages/owner.ts'
import { findReportedDomain, type ReportedDomain } from '../store/reports/authentication.ts'
import { keepReport, type StoredReport, takeReport } from '../store/reports/reports.ts'
import { copyForThreads } from '../threads/shared-bytes.ts'
import { readFeedbackReport } from './feedback-report.ts'
import { storedReport } from './stored-report.ts'

export type { ReportedDomain }

/** Reads the file of a report in a thread; `now` is in milliseconds since the epoch. */
export type ReadInThread = (
  accountId: string,
  bytes: Uint8Array,
  now: number,
) => Promise<ReadReport | Unreadable>

export interface ReportIntakeOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Secret that authenticates the addresses for reports. */
  readonly secret: string
  readonly returnPathHost: string
  readonly readInThread: ReadInThread
  /** Called when there are reports to read, or addresses to look up. */
  readonly received: () => void
  /** Called after a report of a domain was kept; never rejects. */
  readonly kept: (owner: Owner) => Promise<void>
}

/** A mail to the addresses for reports of one or more domains. */
export interface ReportMail {
  readonly domains: readonly ReportedDomain[]
  readonly from: string
  readonly clientAddress: string
  readonly helo: string
  readonly content: Buffer
}

/** Maximum size of a mail with a report in bytes: a file of 10 MiB in base64, and its header. */
const MAX_MAIL = 15 * 1024 * 1024
const MAX_ENVELOPE = 320

export class ReportIntake {
  readonly #options: ReportIntakeOptions

  constructor(options: ReportIntakeOptions) {
    this.#options = options
  }

  /**
   * Finds the domain whose address for reports this is. Only a genuine token costs a read of the store. Throws `Problem`
   * `unavailable`.
   */
  async domainOf({ local, domain }: Address): Promise<ReportedDomain | undefined> {
    const { secret, returnPathHost, store } = this.#options
    if (domain !== returnPathHost) return undefined
    const domainId = readReportAddress(secret, local)
    return domainId === undefined ? undefined : reading(findReportedDomain(store.read, domainId))
  }

  /**
   * Stores a mail, which a thread reads afterwards. Returns the reason for a refusal if nothing was stored. Throws
   * `Problem` `unavailable`.
   */
  async receive({
    domains,
    from,
    clientAddress,
    helo,
    content,
  }: ReportMail): Promise<'large' | 'full' | undefined> {
    if (content.length > MAX_MAIL) return 'large'
    const { store, clock, received } = this.#options
    const now = clock.now()
    const taken = await Promise.all(
      domains.map(async (owner) =>
        store.write(takeReport, {
          ...{ id: newId('rpt', now), owner, now, clientAddress },
          ...{ mailFrom: from.slice(0, MAX_ENVELOPE), helo: helo.slice(0, MAX_ENVELOPE) },
          // The content is copied, because sending a view to the writer's thread would send the whole buffer.
          raw: await copyForThreads(content),
        }),
      ),
    )
    received()
    return taken.includes(false) ? 'full' : undefined
  }

  /**
   * Keeps a complaint in the list of reports, after its effect is on stable storage. Resolves in any case, because the list
   * must not make the reporter repeat the complaint.
   */
  async keepComplaint(domainId: string, content: Buffer): Promise<void> {
    const { store, clock, log } = this.#options
    try {
      const owner = await findReportedDomain(store.read, domainId)
      if (owner === undefined) return
      const { kind, submitter, externalId, feedbackType } = readFeedbackReport(content)
      const now = clock.now()
      await store.write(keepReport, {
        ...{ owner, rows: [], raw: await copyForThreads(content) },
        identity: externalId === '' ? undefined : ['feedback', submitter.toLowerCase(), '', externalId],
        report: {
          ...{
            id: newId('rpt', now),
            received_at: now,
            size: content.length,
            state: 'read',
            kind,
            submitter,
          },
          ...{ external_id: externalId, authenticated: 0, messages: 1, failed: 0, warnings: '[]' },
          detail: JSON.stringify({ feedback_type: feedbackType }),
        },
      })
    } catch (error) {
      log.warn({ err: error }, 'a complaint is not in the list of reports')
    }
  }

  /**
   * Reads and keeps an uploaded file. Returns the report, or the first report if the file repeats one. Throws `Problem`
   * `validation_failed` for a file that is no report, or that is about another domain.
   */
  async upload(
    domain: ReportedDomain,
    bytes: Buffer,
    store: Store = this.#options.store,
  ): Promise<{ readonly report: StoredReport; readonly isNew: boolean }> {
    const { clock, readInThread, received } = this.#options
    const raw = await copyForThreads(bytes)
    const now = clock.now()
    const read = await readInThread(domain.accountId, raw, now)
    if (read.kind === 'unreadable')
      throw refused(`${read.problem} Place: ${read.where}.`, 'unreadable_report')
    const stored = storedReport(read, domain, await selectorsOf(store.read, domain))
    if (stored === undefined) {
      const about = read.domains.join(', ').slice(0, 300) || 'no domain'
      throw refused(`The report is about ${about}, and not about ${domain.domainName}.`, 'other_domain')
    }
    const kept = await store.write(keepReport, {
      ...stored,
      ...{ owner: domain, raw: await copyForThreads(bytes) },
      report: { ...stored.report, id: newId('rpt', now), received_at: now, size: bytes.length },
    })
    if (kept === undefined) throw new Error('an uploaded report was not kept')
    if (kept.isNew) {
      received()
      void this.#options.kept(domain)
    }
    return kept
  }
}

const refused = (message: string, code: string): Problem =>
  new Problem('validation_failed', message, { errors: [{ path: '', code, message }] })

/** Returns the DKIM selectors of a domain, also of keys that sign no more. */
export async function selectorsOf(read: Read, { domainId }: ReportedDomain): Promise<ReadonlySet<string>> {
  const rows = await reading(
    read.selectFrom('dkim_keys').select('selector').where('domain_id', '=', domainId).execute(),
  )
  return new Set(rows.map(({ selector }) => selector.toLowerCase()))
}
