// Queries the DNS; the result is a value: records, no records, or a failure.

import { Resolver as SystemResolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type Clock, systemClock } from '../lib/clock.ts'
import { AnswerCache, type Kept } from './answer-cache.ts'
import { normalizeHostName } from './host-name.ts'
import { arpaName } from './reverse-name.ts'

/** `nodata`: the name exists without such records; `failure`: the lookup failed (`ESERVFAIL`, `ETIMEOUT`, …). */
export type DnsAnswer<T> =
  | { readonly kind: 'found'; readonly records: T }
  | { readonly kind: 'nodata' }
  | { readonly kind: 'nxdomain' }
  | { readonly kind: 'failure'; readonly code: string }

/** One MX record; `exchange` is in lower case, and empty in a null MX (RFC 7505). */
export interface MxRecord {
  readonly preference: number
  readonly exchange: string
}

/** A DNS resolver whose methods never reject. Names are case-insensitive; an invalid name is the failure `EBADNAME`. */
export interface Resolver {
  /** Returns at most 10 records, by preference. */
  mx(name: string): Promise<DnsAnswer<readonly MxRecord[]>>
  a(name: string): Promise<DnsAnswer<readonly string[]>>
  aaaa(name: string): Promise<DnsAnswer<readonly string[]>>
  /** Returns one string per TXT record, with the parts of the record joined (RFC 7208 §3.3). */
  txt(name: string): Promise<DnsAnswer<readonly string[]>>
  cname(name: string): Promise<DnsAnswer<readonly string[]>>
  /** Returns the name servers of a zone. */
  ns(zone: string): Promise<DnsAnswer<readonly string[]>>
  /** Returns the host names of an IP address. */
  ptr(ip: string): Promise<DnsAnswer<readonly string[]>>
}

/** Returns the TXT records of a name, an empty list without records; undefined if the lookup failed. */
export async function textRecords(
  resolver: Pick<Resolver, 'txt'>,
  name: string,
): Promise<readonly string[] | undefined> {
  const answer = await resolver.txt(name)
  if (answer.kind === 'failure') return undefined
  return answer.kind === 'found' ? answer.records : []
}

export interface ResolverOptions {
  /** Name servers as `address` or `address:port`; the servers of the operating system if absent or empty. */
  readonly servers?: readonly string[] | undefined
  /** Timeout of the first attempt, in milliseconds; a later attempt may take twice as long. */
  readonly timeoutMs?: number | undefined
  readonly tries?: number | undefined
  /** False to query the DNS for each lookup without a cache, as the verification of a domain requires. */
  readonly cache?: false | undefined
  readonly clock?: Clock | undefined
}

const MAX_MX = 10
const MAX_RECORDS = 100
/** Maximum length, in characters, of a TXT answer that is cached. */
const MAX_KEPT_TEXT = 2_048

const SECOND = 1000
/** Cache lifetime, in milliseconds, of records whose TTL Node does not report (all records except A and AAAA). */
const KEEP_FOUND = 300 * SECOND
const KEEP_AT_MOST = 3600 * SECOND
const KEEP_NOTHING = 60 * SECOND
const KEEP_FAILURE = 5 * SECOND

/** The records, with their TTL in seconds if known. */
interface Found<T> {
  readonly records: T
  readonly ttl?: number
}

/** Creates a resolver on c-ares, which needs no thread (unlike dns.lookup). Throws for an invalid server address. */
export function createResolver(options: ResolverOptions = {}): Resolver {
  const timeout = options.timeoutMs ?? 2500
  const system = new SystemResolver({ timeout, tries: options.tries ?? 3, maxTimeout: timeout * 2 })
  if (options.servers !== undefined && options.servers.length > 0) system.setServers([...options.servers])
  const cache =
    options.cache === false
      ? undefined
      : new AnswerCache<DnsAnswer<unknown>>(options.clock ?? systemClock, 'dns_answers')

  function ask<Raw, T>(
    type: string,
    name: string | undefined,
    query: (name: string) => Promise<readonly Raw[]>,
    read: (records: readonly Raw[]) => Found<T>,
  ): Promise<DnsAnswer<T>> {
    if (name === undefined) return Promise.resolve({ kind: 'failure', code: 'EBADNAME' })
    if (cache === undefined) return answerOf(() => query(name), read).then((kept) => kept.answer)
    return cache.get(`${type} ${name}`, () => answerOf(() => query(name), read)) as Promise<DnsAnswer<T>>
  }

  return {
    mx: (name) => ask('MX', normalizeHostName(name), (it) => system.resolveMx(it), bestMx),
    a: (name) => ask('A', normalizeHostName(name), (it) => system.resolve4(it, { ttl: true }), addresses),
    aaaa: (name) =>
      ask('AAAA', normalizeHostName(name), (it) => system.resolve6(it, { ttl: true }), addresses),
    txt: (name) => ask('TXT', normalizeHostName(name), (it) => system.resolveTxt(it), texts),
    cname: (name) => ask('CNAME', normalizeHostName(name), (it) => system.resolveCname(it), names),
    ns: (zone) => ask('NS', normalizeHostName(zone), (it) => system.resolveNs(it), names),
    // `reverse` of Node would prefer /etc/hosts over the DNS.
    ptr: (ip) => ask('PTR', arpaName(ip), (it) => system.resolvePtr(it), names),
  }
}

async function answerOf<Raw, T>(
  query: () => Promise<readonly Raw[]>,
  read: (records: readonly Raw[]) => Found<T>,
): Promise<Kept<DnsAnswer<T>>> {
  try {
    const answered = await query()
    // An alias to a name without such records is no data (RFC 2308 §2.2). The c-ares library returns an empty answer
    // for such an alias, but a non-empty answer if all records are unusable.
    if (answered.length === 0) return { answer: { kind: 'nodata' }, forMs: KEEP_NOTHING }
    const { records, ttl } = read(answered)
    const forMs = ttl === undefined ? KEEP_FOUND : Math.min(ttl * SECOND, KEEP_AT_MOST)
    return { answer: { kind: 'found', records }, forMs }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'EUNKNOWN'
    if (code === 'ENODATA') return { answer: { kind: 'nodata' }, forMs: KEEP_NOTHING }
    if (code === 'ENOTFOUND') return { answer: { kind: 'nxdomain' }, forMs: KEEP_NOTHING }
    return { answer: { kind: 'failure', code }, forMs: KEEP_FAILURE }
  }
}

function bestMx(found: readonly { priority: number; exchange: string }[]): Found<MxRecord[]> {
  const records: MxRecord[] = []
  for (const { priority: preference, exchange } of found) {
    if (exchange === '' || exchange === '.') records.push({ preference, exchange: '' })
    else if (isIP(exchange) !== 0) records.push({ preference, exchange })
    else {
      const name = normalizeHostName(exchange)
      if (name !== undefined) records.push({ preference, exchange: name })
    }
  }
  return { records: records.sort((one, other) => one.preference - other.preference).slice(0, MAX_MX) }
}

function addresses(found: readonly { address: string; ttl: number }[]): Found<string[]> {
  const records = found.slice(0, MAX_RECORDS)
  return {
    // Some servers return duplicate records (RFC 2181 §5: no record counts twice).
    records: [...new Set(records.map((record) => record.address))],
    ttl: Math.min(...records.map((record) => record.ttl)),
  }
}

/** Returns the valid host names, in lower case. */
function names(found: readonly string[]): Found<string[]> {
  return { records: found.slice(0, MAX_RECORDS).flatMap((name) => normalizeHostName(name) ?? []) }
}

function texts(found: readonly (readonly string[])[]): Found<string[]> {
  const records = found.slice(0, MAX_RECORDS).map((parts) => parts.join(''))
  // The owner of a name chooses the length of its records, so long answers are not cached.
  const long = records.reduce((sum, record) => sum + record.length, 0) > MAX_KEPT_TEXT
  return { records, ...(long ? { ttl: 0 } : {}) }
}
