// Sends the daily TLS reports (RFC 8460) to the recipient domains that ask for reports, on one node at a time.

import { createHash } from 'node:crypto'
import { type Resolver, textRecords } from '../dns/resolver.ts'
import type { Figure } from '../lib/figures.ts'
import { dayOf } from '../lib/rfc3339.ts'
import type { SendReportMail } from '../model/service-mail.ts'
import type { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { reading } from '../store/database/store.ts'
import {
  countReportedDomains,
  domainsWithoutTlsReport,
  dueTlsReports,
  endTlsReports,
  keepTlsReports,
  reportAddressFacts,
  type TlsReportRow,
  tlsResultsOf,
} from '../store/domains/tls-reports.ts'
import { type JobResources, SingletonJob } from '../store/node/singleton-jobs.ts'
import { TLS_REPORT_TYPE, tlsReportFile, tlsReportMail } from './tls-report-file.ts'
import { readReportAddress, readReportRecord, tlsReportRecordName } from './tls-report-record.ts'

export interface TlsReportingOptions extends JobResources {
  readonly resolver: Pick<Resolver, 'txt'>
  /** Client of this part alone, which stops with the part. */
  readonly http: OutgoingHttp
  readonly mail: SendReportMail
  /** Name of the author of reports that are sent by HTTPS while the installation has no domain for mail. */
  readonly hostName: string
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const JOB = {
  name: 'TLS reports',
  lease: 'send TLS reports',
  /** One step of the job takes at most `AT_ONCE` requests in parallel, of `POST_MS` each. */
  leaseMs: 10 * MINUTE_MS,
  everyMs: 5 * MINUTE_MS,
  failure: 'TLS reports could not be sent',
} as const
const AT_ONCE = 4
/** The reports are sent from 00:05 UTC on, each at a fixed moment of the four hours that follow (RFC 8460 §4.1). */
const FIRST_MS = 5 * MINUTE_MS
const SPREAD_MS = 4 * HOUR_MS
/** First pause after a failure; each further pause is four times as long, up to `MAX_RETRY_MS`. */
const RETRY_MS = 15 * MINUTE_MS
const MAX_RETRY_MS = 6 * HOUR_MS
/** Days for which the states of reports are kept. */
const KEPT_DAYS = 35
/** Days for which an address that refused a report for good gets no reports. */
const REST_DAYS = 30
/** Maximum number of domains that get a report about a day. */
const MAX_DOMAINS = 10_000
/** Maximum number of reports about a day to one address, which many domains may name. */
const MAX_OF_ADDRESS = 100
/** Maximum number of results in a report, those with the most sessions. */
const MAX_RESULTS = 500
const PAGE = 500
const POST_MS = 30_000
const MAX_ANSWER = 16 * 1024

/** Result of one try. */
type Tried = Pick<TlsReportRow, 'state'> & { readonly detail?: string }

/**
 * Plans one report for each domain of the previous day that has results, and sends the reports that are due. The rows in
 * the store say which reports were sent, so that another node continues after the end of this one. A report has the same
 * identifier each time it is sent.
 */
export class TlsReporting extends SingletonJob {
  readonly #options: TlsReportingOptions
  readonly #counts = { sent: 0, failed: 0, refused: 0 }

  constructor(options: TlsReportingOptions) {
    super(options, JOB)
    this.#options = options
  }

  override async stop(): Promise<void> {
    const stopped = super.stop()
    // Ends the requests that the current run waits for.
    await this.#options.http.stop()
    await stopped
  }

  figures(): Figure[] {
    return [
      {
        name: 'postrider_tls_reports_total',
        help: 'Tries to send a TLS report to an address for reports, by result',
        kind: 'counter',
        labels: ['result'],
        read: () => Object.entries(this.#counts),
      },
    ]
  }

  /** Sends all reports that are due. */
  protected async round(): Promise<void> {
    const { store, clock } = this.#options
    const now = clock.now()
    const day = dayOf(now - DAY_MS)
    const today = Date.parse(`${dayOf(now)}T00:00:00Z`)
    if (now < today + FIRST_MS) return
    await store.write(endTlsReports, { firstDay: day, oldestDay: dayOf(now - KEPT_DAYS * DAY_MS) })
    await this.#plan(day, today + FIRST_MS)
    const seen = new Set<string>()
    while (await this.goesOn()) {
      const due = await reading(dueTlsReports(store.read, { day, now: clock.now() }, AT_ONCE + seen.size))
      const rows = due.filter((row) => !seen.has(nameOf(row))).slice(0, AT_ONCE)
      if (rows.length === 0) return
      for (const row of rows) seen.add(nameOf(row))
      await Promise.all(rows.map((row) => this.#advance(row)))
    }
  }

  /** Plans a report for each domain without one, at a moment that depends on the day and the domain. */
  async #plan(day: string, first: number): Promise<void> {
    const { store, log } = this.#options
    let left = MAX_DOMAINS - (await reading(countReportedDomains(store.read, day)))
    for (;;) {
      const domains = await reading(domainsWithoutTlsReport(store.read, day, PAGE))
      const rows = domains.slice(0, Math.max(0, left)).map((domain) => ({
        ...{ day, domain, address: '', state: 'due' as const, tries: 0, detail: null },
        next_at: first + momentOf(`${day} ${domain}`),
      }))
      if (rows.length < domains.length)
        log.warn({ day, domains: MAX_DOMAINS }, 'too many domains want TLS reports')
      if (rows.length === 0) return
      await store.write(keepTlsReports, { rows })
      left -= rows.length
    }
  }

  /** Does the next step of a report: looks up the addresses of the domain, or sends the report to one address. */
  async #advance(row: TlsReportRow): Promise<void> {
    const { store, log } = this.#options
    let rows: readonly TlsReportRow[]
    try {
      rows = row.address === '' ? await this.#lookUp(row) : [this.#after(row, await this.#send(row))]
    } catch (error) {
      log.warn({ err: error, domain: row.domain, address: row.address }, 'a TLS report could not be sent')
      rows = [
        this.#after(row, { state: 'due', detail: 'The report could not be sent; the log has the reason.' }),
      ]
    }
    await store.write(keepTlsReports, { rows })
  }

  /** Returns the row of a domain after the lookup of its addresses, with a row for each address. */
  async #lookUp(row: TlsReportRow): Promise<TlsReportRow[]> {
    const texts = await textRecords(this.#options.resolver, tlsReportRecordName(row.domain))
    if (texts === undefined) return [this.#after(row, { state: 'due', detail: 'The DNS gave no answer.' })]
    const rows: TlsReportRow[] = []
    for (const { uri } of readReportRecord(texts)) {
      const detail = await this.#reasonToSkip(uri, row.day)
      const state = detail === undefined ? 'due' : 'skipped'
      rows.push({ ...row, address: uri, state, tries: 0, detail: detail ?? null })
    }
    return [
      { ...row, state: 'done', detail: rows.length === 0 ? 'The domain names no address.' : null },
      ...rows,
    ]
  }

  /** Returns the reason why an address gets no report of this day; undefined if the address gets the report. */
  async #reasonToSkip(uri: string, day: string): Promise<string | undefined> {
    const { store, clock } = this.#options
    const since = dayOf(clock.now() - REST_DAYS * DAY_MS)
    const facts = await reading(reportAddressFacts(store.read, uri, { day, since }))
    if (facts.hasRefused) return `The address has refused a report in the last ${REST_DAYS} days.`
    if (facts.ofDay >= MAX_OF_ADDRESS) return `The address gets ${MAX_OF_ADDRESS} reports about this day.`
    return undefined
  }

  async #send({ day, domain, address: uri }: TlsReportRow): Promise<Tried> {
    const { store, clock, mail, hostName } = this.#options
    const address = readReportAddress(uri)
    if (address === undefined) return { state: 'skipped', detail: 'The address cannot be read.' }
    const sender = await mail.sender()
    if (sender === undefined && address.kind === 'mail')
      return { state: 'due', detail: 'The installation has no verified domain to send mail from.' }
    const results = await reading(tlsResultsOf(store.read, day, domain, MAX_RESULTS))
    const { domain: submitter, email: contact } = sender ?? {
      domain: hostName,
      email: `postmaster@${hostName}`,
    }
    const facts = { day, domain, submitter, contact, results }
    const file = tlsReportFile(facts)
    if (address.kind === 'https') return this.#post(address.url, file.bytes)
    const message = tlsReportMail(facts, file, { to: address.email, now: clock.now() })
    const isSent = await mail.send({ ...message, once: `TLS report ${file.reportId}` })
    return isSent ? { state: 'sent' } : { state: 'refused', detail: 'Mail to the address has bounced.' }
  }

  /** Posts a report (RFC 8460 §5.4). Private addresses are never contacted, and redirects are not followed. */
  async #post(url: URL, body: Buffer): Promise<Tried> {
    const answer = await this.#options.http.request(url, {
      ...{ method: 'POST', body, timeoutMs: POST_MS, maxBytes: MAX_ANSWER, longAnswer: 'cut' },
      headers: { 'content-type': TLS_REPORT_TYPE },
    })
    if ('problem' in answer) {
      return { state: answer.problem === 'forbidden' ? 'refused' : 'due', detail: answer.detail }
    }
    const { status } = answer
    if (status >= 200 && status < 300) return { state: 'sent' }
    const isLater = status >= 500 || status === 408 || status === 425 || status === 429
    return { state: isLater ? 'due' : 'refused', detail: `The web server answered with status ${status}.` }
  }

  /** Returns the row after a try, and counts and logs the result. */
  #after(row: TlsReportRow, { state, detail }: Tried): TlsReportRow {
    const { clock, log } = this.#options
    const { day, domain, address, tries } = row
    const result = state === 'sent' ? 'sent' : state === 'due' ? 'failed' : 'refused'
    this.#counts[result]++
    log.info({ day, domain, address, result, detail }, 'a TLS report was tried')
    const pause = Math.min(MAX_RETRY_MS, RETRY_MS * 4 ** tries)
    return {
      ...row,
      state,
      tries: tries + 1,
      next_at: clock.now() + pause,
      detail: detail?.slice(0, 500) ?? null,
    }
  }
}

const nameOf = ({ domain, address }: TlsReportRow): string => `${domain} ${address}`

/** Returns a duration below `SPREAD_MS` that is fixed for the text, in milliseconds. */
const momentOf = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE(0) % SPREAD_MS
