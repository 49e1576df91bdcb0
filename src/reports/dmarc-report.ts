// Reads a DMARC aggregate report (RFC 9990, RFC 7489 appendix C) as a stream, leniently; oddities become warnings.

import { Parser } from 'htmlparser2'
import { decodeBytes } from '../mime/charset.ts'
import type { DkimOutcome, DmarcReport, DmarcRow, ReportPeriod } from '../model/report.ts'
import {
  canonicalAddress,
  cleanDomain,
  cleanText,
  countOf,
  Deadline,
  ReportFault,
  Warnings,
} from './bounded.ts'

const MAX_DEPTH = 64
const MAX_RECORDS = 200_000
const MAX_DKIM = 100
/** Number of DKIM results of a row that are kept: receivers list the aligned and passing results first. */
const KEPT_DKIM = 10
/** Maximum number of different rows that are kept of a report; the messages of the smaller rows are kept together. */
const MAX_ROWS = 5_000
/** Maximum number of characters of the text of one element. */
const MAX_ELEMENT = 4_096
const PIECE = 64 * 1024
const NAMESPACE = 'urn:ietf:params:xml:ns:dmarc-2.0'
const DAY_MS = 86_400_000

/** Reads a report. Throws `ReportFault`; `now` is the time to which the period is compared. */
export function readDmarcReport(bytes: Buffer, now: number): DmarcReport {
  const deadline = new Deadline()
  const reading = new FeedbackReading()
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reading.open(name, attributes),
      ontext: (text) => reading.text(text),
      onclosetag: () => reading.close(),
      onprocessinginstruction(name) {
        // A document type may define entities, which this reader never expands.
        if (/^!(?:doctype|entity)/i.test(name)) {
          throw new ReportFault(
            'The report has a document type (DTD), which may define entities.',
            name.slice(0, 20),
          )
        }
      },
    },
    { xmlMode: true },
  )
  for (const piece of piecesOf(bytes, reading.warnings)) {
    deadline.check(reading.where)
    parser.write(piece)
  }
  parser.end()
  return reading.report(now)
}

/** Yields the text of a document: UTF-16 with a byte order mark, or the declared encoding, usually UTF-8. */
function* piecesOf(bytes: Buffer, warnings: Warnings): Generator<string> {
  const declared = /^[^>]{0,100}\bencoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(
    bytes.toString('latin1', 0, 200),
  )?.[1]
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0)
  if (
    mark !== 0xfeff &&
    mark !== 0xfffe &&
    declared !== undefined &&
    !/^(?:utf-?8|utf-?16\w*|us-ascii|ascii)$/i.test(declared)
  ) {
    const text = decodeBytes(bytes, declared)
    for (let at = 0; at < text.length; at += PIECE) yield text.slice(at, at + PIECE)
    return
  }
  const decoder = new TextDecoder(mark === 0xfeff ? 'utf-16be' : mark === 0xfffe ? 'utf-16le' : 'utf-8')
  let isBroken = false
  for (let at = 0; at < bytes.length; at += PIECE) {
    const text = decoder.decode(bytes.subarray(at, at + PIECE), { stream: at + PIECE < bytes.length })
    isBroken ||= text.includes('\ufffd')
    yield text
  }
  if (isBroken) warnings.add('The report has bytes that are not in its encoding.')
}

type Texts = Record<string, string>

/** A record that is being read, as texts by the names of the elements. */
interface OpenRecord {
  readonly texts: Texts
  readonly dkim: Texts[]
  readonly spf: Texts[]
  readonly reasons: string[]
}

/** Places of single texts, by the names of the parent and the element. */
const TEXTS: ReadonlySet<string> = new Set([
  'report_metadata/org_name',
  'report_metadata/email',
  'report_metadata/report_id',
  'report_metadata/error',
  'date_range/begin',
  'date_range/end',
  ...['domain', 'p', 'sp', 'np', 'adkim', 'aspf', 'fo', 'pct', 'testing', 'discovery_method'].map(
    (name) => `policy_published/${name}`,
  ),
])
const RECORD_TEXTS: ReadonlySet<string> = new Set([
  'row/source_ip',
  'row/count',
  'policy_evaluated/disposition',
  'policy_evaluated/dkim',
  'policy_evaluated/spf',
  'identifiers/header_from',
  'identifiers/envelope_from',
  'identifiers/envelope_to',
])
/** Elements that only the schema of RFC 9990 has. */
const ONLY_NEW: ReadonlySet<string> = new Set([
  'report_metadata/generator',
  'policy_published/np',
  'policy_published/testing',
  'policy_published/discovery_method',
  'feedback/extension',
])

/** Collects the elements of a report. */
class FeedbackReading {
  readonly warnings = new Warnings()
  readonly #path: string[] = []
  readonly #texts: Texts = {}
  readonly #rows = new Map<string, { row: DmarcRow; messages: number }>()
  #text = ''
  #record: OpenRecord | undefined
  #records = 0
  #counted = 0
  #isFeedback = false
  #isNew = false
  #messages = 0
  #failed = 0

  /** Place in the document, for a fault. */
  get where(): string {
    return this.#records === 0 ? this.#path.slice(-3).join('/') || 'the beginning' : `record ${this.#records}`
  }

  open(fullName: string, attributes: Readonly<Record<string, string>>): void {
    const name = fullName
      .slice(fullName.indexOf(':') + 1)
      .toLowerCase()
      .slice(0, 100)
    const parent = this.#path.at(-1) ?? ''
    if (this.#path.push(name) > MAX_DEPTH)
      throw new ReportFault('The report is nested too deeply.', this.where)
    this.#text = ''
    if (name === 'feedback') {
      this.#isFeedback = true
      if (Object.values(attributes).includes(NAMESPACE)) this.#isNew = true
    }
    if (ONLY_NEW.has(`${parent}/${name}`)) this.#isNew = true
    if (name === 'record') {
      if (++this.#records > MAX_RECORDS) {
        throw new ReportFault(`The report has more than ${MAX_RECORDS} records.`, this.where)
      }
      this.#record = { texts: {}, dkim: [], spf: [], reasons: [] }
    }
    const record = this.#record
    if (record === undefined || parent !== 'auth_results') return
    if (name === 'dkim' && record.dkim.length < MAX_DKIM) record.dkim.push({})
    if (name === 'spf' && record.spf.length < MAX_DKIM) record.spf.push({})
  }

  text(text: string): void {
    if (this.#text.length < MAX_ELEMENT) this.#text += text.slice(0, MAX_ELEMENT)
  }

  close(): void {
    const name = this.#path.pop() ?? ''
    const parent = this.#path.at(-1) ?? ''
    const text = cleanText(this.#text)
    this.#text = ''
    const place = `${parent}/${name}`
    if (TEXTS.has(place) && this.#texts[place] === undefined) this.#texts[place] = text
    const record = this.#record
    if (record === undefined) return
    if (name === 'record') {
      this.#take(record)
      this.#record = undefined
    } else if (RECORD_TEXTS.has(place)) record.texts[place] ??= text
    else if (place === 'reason/type' && record.reasons.length < MAX_DKIM) {
      if (text.toLowerCase() === 'policy_test_mode') this.#isNew = true
      record.reasons.push(text.toLowerCase())
    } else if (this.#path.at(-2) === 'auth_results') {
      const results = parent === 'dkim' ? record.dkim : parent === 'spf' ? record.spf : undefined
      const last = results?.at(-1)
      if (last !== undefined) last[name] ??= text
    }
  }

  /** Adds the messages of a record to the rows. */
  #take({ texts, dkim, spf, reasons }: OpenRecord): void {
    const address = canonicalAddress(texts['row/source_ip'] ?? '')
    const messages = countOf(texts['row/count'])
    if (address === undefined || messages === undefined) {
      this.warnings.add(
        address === undefined
          ? 'A record without an IP address was left out.'
          : 'A record without a count was left out.',
      )
      return
    }
    this.#counted++
    if (messages === 0) {
      this.warnings.add('A record has the count 0.')
      return
    }
    const results = dkim.map(outcomeOf).filter(({ domain, result }) => domain !== '' || result !== '')
    const spfResult = spf.find(({ scope }) => scope !== 'helo') ?? spf[0]
    if (spf.length > 1) this.warnings.add('A record has several SPF results.')
    const row: DmarcRow = {
      address,
      headerFrom: cleanDomain(texts['identifiers/header_from'] ?? ''),
      envelopeFrom: cleanDomain(texts['identifiers/envelope_from'] ?? ''),
      dkim: results.slice(0, KEPT_DKIM),
      spf: { domain: cleanDomain(spfResult?.domain ?? ''), result: wordOf(spfResult?.result) },
      dkimAligned: wordOf(texts['policy_evaluated/dkim']) === 'pass',
      spfAligned: wordOf(texts['policy_evaluated/spf']) === 'pass',
      disposition: wordOf(texts['policy_evaluated/disposition']) || 'none',
      reason: [...new Set(reasons.map((one) => wordOf(one)))].filter(Boolean).sort().join(' '),
      messages,
    }
    this.#warnAbout(row)
    this.#messages += messages
    if (!row.dkimAligned && !row.spfAligned) this.#failed += messages
    const key = JSON.stringify({ ...row, messages: 0 })
    const known = this.#rows.get(key)
    if (known === undefined) this.#rows.set(key, { row, messages })
    else known.messages += messages
  }

  #warnAbout(row: DmarcRow): void {
    if (row.headerFrom === '') this.warnings.add('A record names no From domain.')
    const passes = row.dkim.some(({ result }) => result === 'pass')
    if (row.dkimAligned && row.dkim.length > 0 && !passes) {
      this.warnings.add('A record contradicts itself: DKIM passes, but no signature does.')
    }
    if (row.spfAligned && row.spf.result !== '' && row.spf.result !== 'pass') {
      this.warnings.add('A record contradicts itself: SPF is aligned and passes, but the check did not pass.')
    }
  }

  report(now: number): DmarcReport {
    const texts = this.#texts
    const domain = cleanDomain(texts['policy_published/domain'] ?? '')
    if (!this.#isFeedback)
      throw new ReportFault('The XML has no element feedback, so it is no DMARC report.', 'the root')
    if (domain === '') throw new ReportFault('The report names no domain.', 'policy_published/domain')
    const period = this.#period(now)
    if (this.#counted === 0) {
      throw new ReportFault('The report has no record with an IP address and a count.', 'record')
    }
    const submitter =
      texts['report_metadata/org_name'] || (texts['report_metadata/email'] ?? '').replace(/^.*@/, '')
    if (submitter === '') this.warnings.add('The report does not name its author.')
    const externalId = (texts['report_metadata/report_id'] ?? '').replace(/^<|>$/g, '')
    if (externalId === '') this.warnings.add('The report has no ID.')
    if (texts['report_metadata/error'])
      this.warnings.add(`The author reports an error: ${texts['report_metadata/error'].slice(0, 200)}`)
    return {
      kind: 'dmarc',
      schema: this.#isNew ? 'rfc9990' : 'rfc7489',
      submitter: submitter.slice(0, 255) || 'unknown',
      contact: (texts['report_metadata/email'] ?? '').slice(0, 320),
      externalId: externalId.slice(0, 255),
      period,
      domains: [domain],
      policy: Object.fromEntries(
        Object.entries(texts).flatMap(([place, value]) =>
          place.startsWith('policy_published/') && !place.endsWith('/domain') && value !== ''
            ? [[place.slice('policy_published/'.length), value.slice(0, 100)]]
            : [],
        ),
      ),
      rows: this.#keptRows(),
      messages: this.#messages,
      failed: this.#failed,
      warnings: this.warnings.list(),
    }
  }

  #period(now: number): ReportPeriod {
    const begin = this.#time('date_range/begin')
    const given = this.#time('date_range/end')
    if (begin === undefined) throw new ReportFault('The report has no period.', 'date_range/begin')
    if (begin > now + DAY_MS)
      throw new ReportFault('The period of the report begins in the future.', 'date_range/begin')
    const end = given === undefined || given < begin ? begin : given
    if (end !== given) this.warnings.add('The period has no end, or ends before it begins.')
    if (end > now + DAY_MS) this.warnings.add('The period ends in the future.')
    if (end - begin > 32 * DAY_MS) this.warnings.add('The period is longer than a month.')
    return { begin, end }
  }

  /** Returns a time of the period; some authors write milliseconds. */
  #time(place: string): number | undefined {
    const text = (this.#texts[place] ?? '').trim()
    if (!/^\d{1,13}$/.test(text)) return undefined
    const value = Number(text)
    if (value <= 0) return undefined
    return value > 100_000_000_000 ? value : value * 1_000
  }

  #keptRows(): DmarcRow[] {
    const rows = [...this.#rows.values()].map(({ row, messages }) => ({ ...row, messages }))
    if (rows.length <= MAX_ROWS) return rows
    this.warnings.add(
      `The report has more than ${MAX_ROWS} different rows; the smaller rows are kept without addresses.`,
    )
    rows.sort((one, other) => other.messages - one.messages)
    const rest = new Map<string, DmarcRow>()
    for (const row of rows.slice(MAX_ROWS)) {
      const folded = {
        ...row,
        address: '',
        headerFrom: '',
        envelopeFrom: '',
        dkim: [],
        spf: { domain: '', result: '' },
        reason: '',
      }
      const key = `${row.dkimAligned} ${row.spfAligned} ${row.disposition}`
      rest.set(key, { ...folded, messages: row.messages + (rest.get(key)?.messages ?? 0) })
    }
    return [...rows.slice(0, MAX_ROWS), ...[...rest.values()].slice(0, 100)]
  }
}

const outcomeOf = ({ domain = '', selector = '', result = '' }: Texts): DkimOutcome => ({
  domain: cleanDomain(domain),
  selector: cleanDomain(selector),
  result: wordOf(result),
})

/** Returns a word such as a result in lower case. */
const wordOf = (text = ''): string => /^[a-z_-]{1,30}/i.exec(text.trim())?.[0].toLowerCase() ?? ''
