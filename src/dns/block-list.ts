// Looks up addresses and domains in DNS block lists (RFC 5782), and proves by test entries that a list works.

import { isIPv6 } from 'node:net'
import { getDomain } from 'tldts'
import type { IncidentWords } from '../model/incident.ts'
import type { Look } from '../model/list-look.ts'
import type { DnsAnswer, Resolver } from './resolver.ts'
import { reversedAddress } from './reverse-name.ts'

/** A block list: its zone, and whether its entries are addresses or domains. */
export interface BlockList {
  readonly lists: 'ip' | 'domain'
  readonly zone: string
}

/** Facts about a list that its zone does not tell. */
interface KnownList {
  /** Page on which the owner of an address or a domain requests its removal. */
  readonly removal: string
  /** Receivers that refuse mail because of a listing. */
  readonly stops?: 'large' | 'small'
  /** False if the list has no IPv6 addresses. */
  readonly hasIPv6?: boolean
  /** Domain that is always listed, in addition to `TEST` (RFC 5782 §5). */
  readonly testDomain?: string
  /** Returns the name of the part of the list for a return code; null for a code that is no listing. */
  readonly partOf?: (code: readonly number[]) => string | null
  /** True for a return code by which the list refuses the resolver. */
  readonly refuses?: (code: readonly number[]) => boolean
}

const SPAMHAUS_PARTS: Readonly<Record<number, string>> = {
  ...{
    2: 'SBL',
    3: 'CSS',
    4: 'XBL',
    5: 'XBL',
    6: 'XBL',
    7: 'XBL',
    9: 'DROP',
    10: 'PBL',
    11: 'PBL',
    30: 'BCL',
  },
}

const KNOWN: Readonly<Record<string, KnownList>> = {
  'zen.spamhaus.org': {
    removal: 'https://check.spamhaus.org/',
    ...{ stops: 'large', hasIPv6: true },
    partOf: ([, , third, last = 0]) => (third === 0 ? (SPAMHAUS_PARTS[last] ?? '') : ''),
  },
  'dbl.spamhaus.org': {
    ...{ removal: 'https://check.spamhaus.org/', stops: 'large' },
    testDomain: 'dbltest.com',
    partOf: ([, , third, last = 0]) => (third === 1 && last >= 102 ? 'abused, though legitimate' : ''),
    // The list answers 127.0.1.255 to a query for an address.
    refuses: ([, , third, last]) => third === 1 && last === 255,
  },
  'b.barracudacentral.org': {
    removal: 'https://www.barracudacentral.org/rbl/removal-request',
    ...{ stops: 'small', hasIPv6: false },
  },
  'bl.spamcop.net': {
    ...{ removal: 'https://www.spamcop.net/bl.shtml', stops: 'small', hasIPv6: false },
  },
  'psbl.surriel.com': { removal: 'https://psbl.org/', hasIPv6: false },
  'bl.mailspike.net': { removal: 'https://www.mailspike.io/ip_verify', hasIPv6: false },
  'multi.surbl.org': {
    removal: 'https://surbl.org/surbl-analysis',
    testDomain: 'test.surbl.org',
    partOf: ([, , , last = 0]) => (last & 0b1111_1100 ? '' : null),
  },
  'multi.uribl.com': {
    removal: 'https://admin.uribl.com/',
    testDomain: 'test.uribl.com',
    // Bit 2 is the black list, and bit 8 the red list; the grey list (bit 4) is no reason for alarm.
    partOf: ([, , , last = 0]) => (last & 0b1010 ? '' : null),
    refuses: ([, , , last = 0]) => (last & 1) === 1,
  },
}

/** Returns the page for the removal from a list; null for a list that is not known. */
export const removalPageOf = (zone: string): string | null => KNOWN[zone]?.removal ?? null

/** Returns the name and values of the sentences about a listing. */
export function wordsOf(zone: string, subject: string, answer: string | null): IncidentWords {
  const values = { zone, subject, page: removalPageOf(zone) ?? zone }
  // The owner of an address can remove it from a list of addresses that send no mail within minutes.
  if (answer?.includes('PBL')) return { wording: 'listing_policy', values }
  return { wording: `listing_${KNOWN[zone]?.stops ?? 'other'}`, values }
}

/** True if a list may have entries of this form: a domain, an IPv4 address or an IPv6 address. */
export function mayList({ lists, zone }: BlockList, subject: string): boolean {
  const isAddress = reversedAddress(subject) !== undefined
  if (isAddress !== (lists === 'ip')) return false
  return !isIPv6(subject) || KNOWN[zone]?.hasIPv6 !== false
}

/** Queries block lists by a resolver, which must not cache. */
export class BlockListQueries {
  readonly #resolver: Pick<Resolver, 'a'>
  readonly #spamhausKey: string | undefined

  /** @param spamhausKey key of the Data Query Service of Spamhaus, which is never shown; undefined for the free zones */
  constructor(resolver: Pick<Resolver, 'a'>, spamhausKey: string | undefined) {
    this.#resolver = resolver
    this.#spamhausKey = spamhausKey
  }

  /**
   * Looks up the test entries of a list (RFC 5782 §5): the entry 127.0.0.2 or `TEST` must be listed, and the entry
   * 127.0.0.1 or `INVALID` must not be listed. Returns undefined if the list works, and otherwise the result for every
   * address and domain.
   */
  async fault(list: BlockList): Promise<Look | undefined> {
    const { lists, zone } = list
    const tests = lists === 'ip' ? ['2.0.0.127'] : ['test', ...[KNOWN[zone]?.testDomain ?? []].flat()]
    const [never, ...found] = await Promise.all([
      this.#ask(list, lists === 'ip' ? '1.0.0.127' : 'invalid'),
      ...tests.map((test) => this.#ask(list, test)),
    ])
    const broken = [never, ...found].find(({ isBroken }) => isBroken)
    if (broken !== undefined) return broken
    if (never.state === 'listed') return notKnown(`the list lists everything: ${never.answer}`)
    if (found.some(({ state }) => state === 'listed')) return undefined
    return (
      found.find(({ state }) => state === 'not_known') ?? notKnown('the list does not list its test entry')
    )
  }

  /**
   * Looks up an address or a domain in a list that works. Some lists name registrable domains only, so the registrable
   * domain of a subdomain is looked up as well.
   */
  async look(list: BlockList, subject: string): Promise<Look> {
    const reversed = reversedAddress(subject)
    const look = await this.#ask(list, reversed ?? subject)
    if (reversed === undefined) {
      const registrable = getDomain(subject)
      return look.state === 'listed' || registrable === null || registrable === subject
        ? look
        : this.#ask(list, registrable)
    }
    if (!isIPv6(subject) || look.state === 'not_known' || KNOWN[list.zone]?.hasIPv6 === true) return look
    // The test entries of a list of IPv6 addresses are the IPv4-mapped forms of 127.0.0.2 and 127.0.0.1 (RFC 5782 §5).
    const [tested, never] = await Promise.all(
      ['::ffff:127.0.0.2', '::ffff:127.0.0.1'].map((test) => this.#ask(list, reversedAddress(test) ?? '')),
    )
    if (never?.state === 'listed') return notKnown(`the list lists every IPv6 address: ${never.answer}`)
    if (look.state === 'listed' || tested?.state === 'listed') return look
    return notKnown('the list has no test entry for IPv6 addresses')
  }

  async #ask(list: BlockList, entry: string): Promise<Look> {
    const answer = await this.#resolver.a(`${entry}.${this.#zoneOf(list)}`)
    return readAnswer(list, answer)
  }

  /** Returns the zone to query; a key selects the zones of the Data Query Service. */
  #zoneOf({ zone }: BlockList): string {
    const [, name] = /^(zen|dbl)\.spamhaus\.org$/.exec(zone) ?? []
    return name === undefined || this.#spamhausKey === undefined
      ? zone
      : `${this.#spamhausKey}.${name}.dq.spamhaus.net`
  }
}

const notKnown = (answer: string): Look => ({ state: 'not_known', answer })

/** Reads the answer of a list; RFC 5782 §2.1 has listings in 127.0.0.0/8. */
function readAnswer({ zone }: BlockList, answer: DnsAnswer<readonly string[]>): Look {
  if (answer.kind === 'failure') return notKnown(`the list did not answer (${answer.code})`)
  if (answer.kind !== 'found') return { state: 'not_listed', answer: null }
  const known = KNOWN[zone]
  const codes = answer.records.map((record) => ({ record, code: record.split('.').map(Number) }))
  const outside = codes.find(({ code }) => code[0] !== 127)
  if (outside !== undefined) {
    return { ...notKnown(`${outside.record} is no answer of a block list`), isBroken: true }
  }
  const refusal = codes.find(({ code }) => isRefusal(code) || known?.refuses?.(code))
  if (refusal !== undefined) return notKnown(`the list refuses the name servers in use (${refusal.record})`)
  const listings = codes.flatMap(({ record, code }) => {
    const part = known?.partOf === undefined ? '' : known.partOf(code)
    return part === null ? [] : [part === '' ? record : `${record} (${part})`]
  })
  return {
    state: listings.length > 0 ? 'listed' : 'not_listed',
    answer: (listings.length > 0 ? listings : answer.records).slice(0, 10).join(', '),
  }
}

/** Lists refuse queries with addresses in 127.255.255.0/24, and RFC 5782 §2.1 reserves 127.0.0.1. */
const isRefusal = ([, second, third, last]: readonly number[]): boolean =>
  (second === 255 && third === 255) || (second === 0 && third === 0 && last === 1)
