// Reads the figures of Google Postmaster Tools (API v2): the spam rate, and the requirements that a domain meets.

import { createSign } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import type { Requirement, RequirementStatus } from '../model/requirement.ts'
import type { HttpAnswer, HttpProblem, OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { MAX_COMPLAINT_SHARE } from './requirements.ts'

/** Credentials of a Google account that sees the domains: a service account, or a refresh token. */
export type PostmasterKey = {
  readonly tokenUrl: string
  /** Base URL of the API. */
  readonly baseUrl: string
} & (
  | { readonly kind: 'service_account'; readonly email: string; readonly privateKey: string }
  | {
      readonly kind: 'authorized_user'
      readonly clientId: string
      readonly clientSecret: string
      readonly refreshToken: string
    }
)

/** Read-only access to figures and to the list of domains. */
const SCOPES =
  'https://www.googleapis.com/auth/postmaster.traffic.readonly https://www.googleapis.com/auth/postmaster.domain'
const TOKEN_URL = 'https://oauth2.googleapis.com/token'
const TIMEOUT_MS = 15_000
const MAX_BYTES = 1024 * 1024
const DAY_MS = 86_400_000
/** Days for which figures are requested: they come a day or two late, and only for days with enough mail. */
const DAYS = 10
const MAX_PAGES = 20

/**
 * Reads a key file: the JSON of a service account, or of an authorized user with a refresh token. Throws an Error whose
 * message is the end of a sentence.
 */
export function readPostmasterKey(text: string): PostmasterKey {
  let given: Readonly<Record<string, unknown>>
  try {
    given = JSON.parse(text) as typeof given
  } catch {
    throw new Error('is not JSON; download the key of the service account again')
  }
  const field = (name: string, fallback?: string): string => {
    const value = given?.[name] ?? fallback
    if (typeof value === 'string' && value !== '') return value
    throw new Error(`has no field ${name}; give the JSON of a service account or of an authorized user`)
  }
  const base = {
    tokenUrl: field('token_uri', TOKEN_URL),
    baseUrl: `https://gmailpostmastertools.${field('universe_domain', 'googleapis.com')}`,
  }
  if (!URL.canParse(base.tokenUrl) || !URL.canParse(base.baseUrl)) {
    throw new Error('has a token_uri or a universe_domain that is not valid')
  }
  const type = field('type')
  if (type === 'service_account') {
    return { ...base, kind: type, email: field('client_email'), privateKey: field('private_key') }
  }
  if (type !== 'authorized_user')
    throw new Error(`has the type ${type}; give a service account or an authorized user`)
  return {
    ...{ ...base, kind: type, clientId: field('client_id'), clientSecret: field('client_secret') },
    refreshToken: field('refresh_token'),
  }
}

/** A figure about a requirement, or the reason why there is none. */
export interface PostmasterFigure {
  readonly requirement: Requirement
  readonly status: RequirementStatus
  readonly measured: number | string
}

/** Reason why Google does not answer; `retryMs` is the time to wait before any other request. */
export interface PostmasterRefusal {
  readonly reason: string
  readonly retryMs?: number
}

const isRefusal = (value: object): value is PostmasterRefusal => 'reason' in value

const OF_GOOGLE: Readonly<Record<string, Requirement>> = {
  SPF: 'spf',
  DKIM: 'dkim',
  DMARC_POLICY: 'dmarc',
  DMARC_ALIGNMENT: 'alignment',
  MESSAGE_FORMATTING: 'message_format',
  DNS_RECORDS: 'ptr',
  ENCRYPTION: 'tls',
  ONE_CLICK_UNSUBSCRIBE: 'one_click',
  HONOR_UNSUBSCRIBE: 'list_unsubscribe_honoured',
}
const STATUSES: Readonly<Record<string, RequirementStatus>> = { COMPLIANT: 'met', NEEDS_WORK: 'not_met' }

/** The API of Google Postmaster Tools with one key. */
export class PostmasterTools {
  readonly #key: PostmasterKey
  readonly #http: Pick<OutgoingHttp, 'request'>
  readonly #clock: Clock
  #token: { readonly value: string; readonly until: number } | undefined

  constructor(key: PostmasterKey, http: Pick<OutgoingHttp, 'request'>, clock: Clock) {
    this.#key = key
    this.#http = http
    this.#clock = clock
  }

  /** Returns the names of the domains whose figures the account may read. */
  async domains(): Promise<ReadonlySet<string> | PostmasterRefusal> {
    const names = new Set<string>()
    let pageToken = ''
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = new URLSearchParams({ pageSize: '200', ...(pageToken === '' ? {} : { pageToken }) })
      const answer = await this.#call('GET', `/v2/domains?${query}`)
      if (isRefusal(answer)) return answer
      for (const one of listIn(answer, 'domains')) {
        const name = textIn(one, 'name').replace(/^domains\//, '')
        if (name !== '' && textIn(one, 'permission') !== 'NONE') names.add(name)
      }
      pageToken = textIn(answer, 'nextPageToken')
      if (pageToken === '') break
    }
    return names
  }

  /** Returns the latest figures about a domain. */
  async figures(domain: string): Promise<readonly PostmasterFigure[] | PostmasterRefusal> {
    const [stats, compliance] = [
      await this.#call('POST', `/v2/domains/${domain}/domainStats:query`, spamRateQuery(this.#clock.now())),
      await this.#call('GET', `/v2/domains/${domain}/complianceStatus`),
    ]
    const rate = isRefusal(stats) ? stats : spamRateOf(stats)
    // A refused call of the one kind says nothing about the other.
    const ofRate: PostmasterFigure = isRefusal(rate)
      ? { requirement: 'complaint_share', status: 'not_known', measured: rate.reason }
      : rate
    if (isRefusal(stats) && stats.retryMs !== undefined) return stats
    if (isRefusal(compliance)) return isRefusal(stats) ? stats : [ofRate]
    return [ofRate, ...complianceOf(compliance)]
  }

  async #call(method: 'GET' | 'POST', path: string, body?: object): Promise<object> {
    const token = await this.#accessToken()
    if (isRefusal(token)) return token
    const answer = await this.#http.request(new URL(this.#key.baseUrl + path), {
      method,
      headers: { authorization: `Bearer ${token.value}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...{ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES },
    })
    return documentOf(answer)
  }

  async #accessToken(): Promise<{ readonly value: string } | PostmasterRefusal> {
    const now = this.#clock.now()
    if (this.#token !== undefined && now < this.#token.until) return this.#token
    const grant = this.#grant(now)
    if (isRefusal(grant)) return grant
    const answer = await this.#http.request(new URL(this.#key.tokenUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(grant as Record<string, string>).toString(),
      ...{ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES },
    })
    const document = documentOf(answer)
    if (isRefusal(document)) return { ...document, reason: `no access token: ${document.reason}` }
    const value = textIn(document, 'access_token')
    if (!/^[\x21-\x7e]+$/.test(value)) return { reason: 'no access token: the answer has none' }
    const seconds = numberIn(document, 'expires_in') ?? 0
    this.#token = { value, until: now + Math.max(0, seconds - 60) * 1_000 }
    return this.#token
  }

  /** Returns the fields of a token request: a signed assertion (RFC 7523 §2.1), or a refresh token (RFC 6749 §6). */
  #grant(now: number): Readonly<Record<string, string>> | PostmasterRefusal {
    const key = this.#key
    if (key.kind === 'authorized_user') {
      const { clientId: client_id, clientSecret: client_secret, refreshToken: refresh_token } = key
      return { grant_type: 'refresh_token', client_id, client_secret, refresh_token }
    }
    const iat = Math.floor(now / 1_000)
    const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
    const claims = { iss: key.email, scope: SCOPES, aud: key.tokenUrl, iat, exp: iat + 3_600 }
    const signed = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`
    try {
      const signature = createSign('RSA-SHA256').update(signed).sign(key.privateKey, 'base64url')
      return {
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: `${signed}.${signature}`,
      }
    } catch {
      return { reason: 'the private key of POSTRIDER_POSTMASTER_KEY_FILE cannot sign' }
    }
  }
}

/** Returns the JSON object of a response, or the reason why there is none. */
function documentOf(answer: HttpAnswer | HttpProblem): object {
  if ('problem' in answer) return { reason: answer.detail }
  const { status, headers, body } = answer
  if (status === 429 || status === 503) {
    const seconds = Number(headers['retry-after'])
    const retryMs = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1_000, DAY_MS) : 3_600_000
    return { reason: `Google limits the requests (${status})`, retryMs }
  }
  if (status === 403) return { reason: 'Google refuses the account the access to the domain (403)' }
  if (status !== 200) return { reason: `Google answered ${status}` }
  try {
    const document: unknown = JSON.parse(body.toString('utf8'))
    if (typeof document === 'object' && document !== null && !Array.isArray(document)) {
      // An answer cannot pass for a refusal of this module.
      const { reason: _, ...rest } = document as Record<string, unknown>
      return rest
    }
  } catch {}
  return { reason: 'the answer of Google is not a JSON object' }
}

const dateOf = (at: number): object => {
  const date = new Date(at)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

const spamRateQuery = (now: number): object => ({
  metricDefinitions: [{ name: 'spam_rate', baseMetric: { standardMetric: 'SPAM_RATE' } }],
  timeQuery: { dateRanges: { dateRanges: [{ start: dateOf(now - DAYS * DAY_MS), end: dateOf(now) }] } },
  aggregationGranularity: 'DAILY',
})

/** Returns the spam rate of the latest day with a figure. A missing day has no figure, and is not 0. */
function spamRateOf(document: object): PostmasterFigure | PostmasterRefusal {
  let latest: { readonly day: number; readonly rate: number } | undefined
  for (const stat of listIn(document, 'domainStats')) {
    const { year, month, day } = objectIn(stat, 'date') as Readonly<Record<string, unknown>>
    const at = Date.UTC(Number(year), Number(month) - 1, Number(day))
    const value = objectIn(stat, 'value')
    const rate =
      numberIn(value, 'doubleValue') ?? numberIn(value, 'floatValue') ?? numberIn(value, 'intValue')
    if (!Number.isFinite(at) || rate === undefined || rate < 0 || rate > 1) continue
    if (latest === undefined || at > latest.day) latest = { day: at, rate }
  }
  if (latest === undefined)
    return { reason: `Google has no spam rate of the last ${DAYS} days: too little mail` }
  const status = latest.rate < MAX_COMPLAINT_SHARE ? 'met' : 'not_met'
  return { requirement: 'complaint_share', status, measured: latest.rate }
}

function complianceOf(document: object): PostmasterFigure[] {
  const data = objectIn(document, 'complianceData')
  const verdictOf = (name: string): object => objectIn(data, name)
  const rows = [
    ...listIn(data, 'rowData').map((row) => [textIn(row, 'requirement'), objectIn(row, 'status')] as const),
    ['ONE_CLICK_UNSUBSCRIBE', objectIn(verdictOf('oneClickUnsubscribeVerdict'), 'status')] as const,
    ['HONOR_UNSUBSCRIBE', objectIn(verdictOf('honorUnsubscribeVerdict'), 'status')] as const,
  ]
  return rows.flatMap(([name, state]) => {
    const requirement = Object.hasOwn(OF_GOOGLE, name) ? OF_GOOGLE[name] : undefined
    const word = textIn(state, 'status')
    const status = Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined
    return requirement === undefined || status === undefined
      ? []
      : [{ requirement, status, measured: `Google Postmaster Tools: ${word}` }]
  })
}

const valueIn = (object: object, name: string): unknown => (object as Readonly<Record<string, unknown>>)[name]

const textIn = (object: object, name: string): string => {
  const value = valueIn(object, name)
  return typeof value === 'string' ? value : ''
}

/** Returns a number; int64 values are strings in JSON. */
function numberIn(object: object, name: string): number | undefined {
  const value = valueIn(object, name)
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

const objectIn = (object: object, name: string): object => {
  const value = valueIn(object, name)
  return typeof value === 'object' && value !== null ? value : {}
}

const listIn = (object: object, name: string): readonly object[] => {
  const value = valueIn(object, name)
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : []
}
