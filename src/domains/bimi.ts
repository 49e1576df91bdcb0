// Checks the BIMI record of a domain: its syntax, the DMARC policy that receivers require, and its logo.

import { getDomain } from 'tldts'
import type { BimiCheck, BimiFinding, BimiLogo } from '../model/bimi.ts'
import type { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { checkLogo } from './bimi-logo.ts'
import { type AskTxt, isDmarcRecord, isValidDmarc } from './dmarc.ts'
import { tags } from './tag-list.ts'

/** Time for which the result of a fetch of a logo is used again, in milliseconds. */
const LOGO_KEPT_MS = 3_600_000
const MAX_URL = 500

/** BIMI records at a name; several records count as none. */
interface FoundBimi {
  readonly name: string
  readonly records: readonly string[]
}

interface BimiSurroundings {
  /** Client that fetches the logo; without it, the last result is kept. */
  readonly http: Pick<OutgoingHttp, 'request'> | undefined
  readonly now: number
  /** Found DMARC record of the domain, or the inherited record; undefined without a valid record. */
  readonly dmarc: string | undefined
  /** Result of the last check as JSON; null for none. */
  readonly last: string | null
}

/** Checks the BIMI record of a domain and its logo. */
export async function checkBimi(
  { name, records }: FoundBimi,
  { http, now, dmarc, last }: BimiSurroundings,
): Promise<BimiCheck> {
  const [record = ''] = records
  const read = records.length > 1 ? { ...NOTHING, findings: ['record_several' as const] } : readBimi(record)
  const policy = read.isDeclined ? [] : policyFindings(dmarc)
  const before = last === null ? null : ((JSON.parse(last) as BimiCheck).logo ?? null)
  const logo = read.logoUrl === null ? null : await logoOf(read.logoUrl, before, { http, now })
  return { name, record, ...read, findings: [...read.findings, ...policy], logo }
}

/**
 * Returns the BIMI records with the selector `default` at a domain, or else at its registrable domain; TXT records of
 * another kind do not count. Returns null without a record, and undefined if the DNS did not answer.
 */
export async function findBimi(ask: AskTxt, domain: string): Promise<FoundBimi | null | undefined> {
  const names = new Set([domain, getDomain(domain) ?? domain].map((one) => `default._bimi.${one}`))
  for (const name of names) {
    const values = await ask(name)
    if (values === undefined) return undefined
    const records = values.filter((value) => /^\s*v\s*=\s*BIMI\d/i.test(value))
    if (records.length > 0) return { name, records }
  }
  return null
}

type Read = Pick<BimiCheck, 'isDeclined' | 'logoUrl' | 'certificateUrl' | 'findings'>

const NOTHING = { isDeclined: false, logoUrl: null, certificateUrl: null } as const

/** Reads a BIMI record: `v=BIMI1` first, then the address of the logo (`l`) and of its certificate (`a`). */
export function readBimi(record: string): Read {
  const invalid: Read = { ...NOTHING, findings: ['record_invalid'] }
  const pairs = record
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
  const given = new Map<string, string>()
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, Math.max(at, 0)).trim().toLowerCase()
    if (!/^[a-z][a-z0-9_]{0,30}$/.test(name) || given.has(name)) return invalid
    given.set(name, pair.slice(at + 1).trim())
  }
  const logo = given.get('l')
  if (!/^v\s*=\s*BIMI1$/.test(pairs[0] ?? '') || logo === undefined) return invalid
  // Some early records name the owner of the domain in place of a certificate.
  const certificate = (given.get('a') ?? '').replace(/^self$/i, '')
  if (logo === '') {
    return certificate === '' ? { ...NOTHING, isDeclined: true, findings: [] } : invalid
  }
  const [logoUrl, certificateUrl] = [httpsUrl(logo), httpsUrl(certificate)]
  const findings: BimiFinding[] = []
  if (logoUrl === null) findings.push('logo_url')
  if (certificate === '') findings.push('certificate_missing')
  else if (certificateUrl === null) findings.push('certificate_url')
  return { isDeclined: false, logoUrl, certificateUrl, findings }
}

/** Returns an https URL in its normal form; null for any other text, such as a list of URLs. */
function httpsUrl(text: string): string | null {
  if (text.length > MAX_URL || /[\s,!]/.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  return url.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : null
}

/** Returns the findings about a DMARC record: BIMI requires an enforced policy, also for subdomains. */
function policyFindings(dmarc: string | undefined): BimiFinding[] {
  if (dmarc === undefined || !isDmarcRecord(dmarc) || !isValidDmarc(dmarc)) return ['dmarc_missing']
  const given = tags(dmarc)
  const isEnforced = (policy: string): boolean => /^(quarantine|reject)$/i.test(policy)
  const isWhole =
    given.get('t')?.toLowerCase() !== 'y' && (!given.has('pct') || Number(given.get('pct')) === 100)
  const policies = [given.get('p') ?? 'none', given.get('sp') ?? given.get('p') ?? 'none']
  return policies.every(isEnforced) && isWhole ? [] : ['dmarc_policy']
}

/** Returns the last result for this URL if it is recent, or if no client can fetch the logo again. */
async function logoOf(
  url: string,
  last: BimiLogo | null,
  { http, now }: Pick<BimiSurroundings, 'http' | 'now'>,
): Promise<BimiLogo | null> {
  const same = last?.url === url ? last : null
  // The absolute difference is used, so that a result from the future does not stay.
  if (http === undefined || (same !== null && Math.abs(now - same.at) < LOGO_KEPT_MS)) return same
  return { url, at: now, findings: await checkLogo(http, new URL(url)) }
}
