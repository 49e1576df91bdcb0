// SPF (RFC 7208) as far as a pass can be trusted: whether a domain designates the host that brought a mail.

import { isIP } from 'node:net'
import { Networks } from '../lib/networks.ts'
import { normalizeHostName } from './host-name.ts'
import type { DnsAnswer, Resolver } from './resolver.ts'

/** Terms that ask the DNS, and answers without records, in one evaluation (RFC 7208 §4.6.4). */
const MAX_LOOKUPS = 10
const MAX_VOID_LOOKUPS = 2

/** `unknown`: there is no record, it is wrong, the DNS does not answer, or a term is not evaluated here. */
export type SpfResult = 'pass' | 'other' | 'unknown'

type SpfResolver = Pick<Resolver, 'a' | 'aaaa' | 'mx' | 'txt'>

/**
 * Checks whether `domain` designates the host at `address`. Terms with macros, `exists` and `ptr` end the evaluation as
 * `unknown`, so that a pass is always one by the RFC. Never rejects.
 */
export function checkSpf(resolver: SpfResolver, domain: string, address: string): Promise<SpfResult> {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return new Evaluation(resolver, plain).check(domain).catch(() => 'unknown')
}

/** Ends an evaluation without a result to rely on. */
class Unknown extends Error {}

class Evaluation {
  readonly #resolver: SpfResolver
  readonly #address: string
  #lookups = 0
  #voids = 0

  constructor(resolver: SpfResolver, address: string) {
    this.#resolver = resolver
    this.#address = address
  }

  /** RFC 7208 §4. Throws `Unknown`. */
  async check(domain: string): Promise<SpfResult> {
    const terms = await this.#recordOf(domain)
    for (const term of terms) {
      const [, qualifier = '', name = '', value = ''] = MECHANISM.exec(term) ?? []
      if (!(await this.#matches(name.toLowerCase(), value, domain))) continue
      return qualifier === '' || qualifier === '+' ? 'pass' : 'other'
    }
    const redirect = terms.map((term) => /^redirect=(.+)$/i.exec(term)?.[1]).find((one) => one !== undefined)
    if (redirect === undefined) return 'other'
    this.#countLookup()
    return this.check(redirect)
  }

  /** The terms of the one record, without `v=spf1`; all of them are checked first (RFC 7208 §4.6). */
  async #recordOf(domain: string): Promise<readonly string[]> {
    const records = (await this.#ask(this.#resolver.txt(domain))).filter((text) =>
      /^v=spf1(?: |$)/i.test(text),
    )
    if (records.length !== 1) throw new Unknown()
    const terms = records[0]!.split(/ +/).slice(1)
    const written = terms.filter((term) => term !== '')
    // RFC 7208 §6: these two once at most.
    const once = ['redirect=', 'exp='].map((name) =>
      written.filter((term) => term.toLowerCase().startsWith(name)),
    )
    if (once.some(({ length }) => length > 1) || !written.every(isEvaluated)) throw new Unknown()
    return written
  }

  async #matches(mechanism: string, value: string, domain: string): Promise<boolean> {
    switch (mechanism) {
      case 'all':
        return true
      case 'ip4':
      case 'ip6':
        return this.#isWithin([value.slice(1)])
      case 'include':
        return this.#isIncluded(value.slice(1))
      case 'a':
      case 'mx':
        return this.#isHost(mechanism, value, domain)
      default:
        // A modifier.
        return false
    }
  }

  /** RFC 7208 §5.2: only a pass of the other record matches, and without one there is none here either. */
  async #isIncluded(domain: string): Promise<boolean> {
    this.#countLookup()
    const result = await this.check(domain)
    if (result === 'unknown') throw new Unknown()
    return result === 'pass'
  }

  /** RFC 7208 §5.3 and §5.4. */
  async #isHost(mechanism: 'a' | 'mx', value: string, domain: string): Promise<boolean> {
    const [, named, bits4 = '32', bits6 = '128'] = HOST.exec(value) ?? []
    const host = named ?? domain
    this.#countLookup()
    const hosts =
      mechanism === 'a' ? [host] : (await this.#ask(this.#resolver.mx(host))).map(({ exchange }) => exchange)
    for (const one of hosts) {
      const addresses = await this.#addressesOf(one, mechanism === 'a')
      const bits = isIP(this.#address) === 6 ? bits6 : bits4
      if (this.#isWithin(addresses.map((address) => `${address}/${bits}`))) return true
    }
    return false
  }

  #addressesOf(host: string, isCounted: boolean): Promise<readonly string[]> {
    const { a, aaaa } = this.#resolver
    return this.#ask(isIP(this.#address) === 6 ? aaaa(host) : a(host), isCounted)
  }

  #isWithin(networks: readonly string[]): boolean {
    const version = isIP(this.#address)
    const own = networks.filter((network) => isIP(network.split('/')[0]!) === version)
    const whole = own.map((network) =>
      network.includes('/') ? network : `${network}/${version === 6 ? 128 : 32}`,
    )
    return new Networks(whole).includes(this.#address)
  }

  #countLookup(): void {
    if (++this.#lookups > MAX_LOOKUPS) throw new Unknown()
  }

  async #ask<T>(asked: Promise<DnsAnswer<readonly T[]>>, isCounted = true): Promise<readonly T[]> {
    const answer = await asked
    if (answer.kind === 'found') return answer.records
    if (answer.kind === 'failure' || (isCounted && ++this.#voids > MAX_VOID_LOOKUPS)) throw new Unknown()
    return []
  }
}

/** RFC 7208 §12. */
const MECHANISM = /^([+?~-]?)(all|include|a|mx|ip4|ip6)([:/].*)?$/i
const MODIFIER = /^[a-z][a-z0-9._-]*=/i
const HOST = /^(?::([^/]+))?(?:\/(\d{1,2}))?(?:\/\/(\d{1,3}))?$/

/** True for a term that is right and evaluated here. */
function isEvaluated(term: string): boolean {
  const [, redirect] = /^redirect=(.*)$/i.exec(term) ?? []
  if (redirect !== undefined) return isDomain(redirect)
  if (MODIFIER.test(term)) return true
  const [, , name = '', value = ''] = MECHANISM.exec(term) ?? []
  switch (name.toLowerCase()) {
    case 'all':
      return value === ''
    case 'include':
      return value.startsWith(':') && isDomain(value.slice(1))
    case 'a':
    case 'mx': {
      const [isHost, domain, bits4 = '32', bits6 = '128'] = HOST.exec(value) ?? []
      if (isHost === undefined || (domain !== undefined && !isDomain(domain))) return false
      return Number(bits4) <= 32 && Number(bits6) <= 128
    }
    case 'ip4':
    case 'ip6':
      return isNetwork(value, name.toLowerCase() === 'ip4' ? 4 : 6)
    default:
      return false
  }
}

/** RFC 7208 §7.1: at least two labels, and here no macros. */
const isDomain = (text: string): boolean => text.includes('.') && normalizeHostName(text) !== undefined

function isNetwork(value: string, version: 4 | 6): boolean {
  const [, address = '', bits = '0'] = /^:([^/]+)(?:\/(\d{1,3}))?$/.exec(value) ?? []
  return isIP(address) === version && Number(bits) <= (version === 4 ? 32 : 128)
}
