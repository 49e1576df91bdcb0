// Evaluates whether an SPF record permits an address (RFC 7208), for records without macros.

import { BlockList, isIPv4 } from 'node:net'
import { findAddresses } from './mail-hosts.ts'
import type { Resolver } from './resolver.ts'

/** `not_known`: a lookup failed, or the record has a term that depends on the message. */
export type SpfResult = 'pass' | 'fail' | 'not_known'

/** Maximum number of terms that cause lookups (RFC 7208 §4.6.4). */
const MAX_LOOKUPS = 10

type SpfResolver = Pick<Resolver, 'txt' | 'a' | 'aaaa' | 'mx'>

/** Returns the result for mail from this address with this domain in the envelope sender. */
export async function evaluateSpf(resolver: SpfResolver, ip: string, domain: string): Promise<SpfResult> {
  const result = await new Evaluation(resolver, ip).check(domain)
  return result === 'none' ? 'fail' : result
}

class Evaluation {
  readonly #resolver: SpfResolver
  readonly #ip: string
  #lookups = 0

  constructor(resolver: SpfResolver, ip: string) {
    this.#resolver = resolver
    this.#ip = ip
  }

  async check(domain: string): Promise<SpfResult | 'none'> {
    const answer = await this.#resolver.txt(domain)
    if (answer.kind === 'failure') return 'not_known'
    const records = (answer.kind === 'found' ? answer.records : []).filter((text) =>
      /^v=spf1( |$)/i.test(text),
    )
    const [record, another] = records
    // Several records are a permanent error (RFC 7208 §4.5).
    if (record === undefined || another !== undefined) return record === undefined ? 'none' : 'fail'
    let redirect: string | undefined
    for (const term of record.split(/ +/).slice(1)) {
      const [, modifier, target] = /^(\w+)=(.*)$/.exec(term) ?? []
      if (modifier !== undefined) {
        if (modifier.toLowerCase() === 'redirect') redirect = target
        continue
      }
      const [, sign = '', mechanism = ''] = /^([+?~-]?)(.*)$/.exec(term) ?? []
      const matches = await this.#matches(mechanism, domain)
      if (matches === 'not_known') return 'not_known'
      if (matches) return sign === '' || sign === '+' ? 'pass' : 'fail'
    }
    if (redirect === undefined) return 'fail'
    return this.#takesLookup() && !redirect.includes('%') ? this.check(redirect) : 'not_known'
  }

  #takesLookup(): boolean {
    return ++this.#lookups <= MAX_LOOKUPS
  }

  async #matches(mechanism: string, domain: string): Promise<boolean | 'not_known'> {
    const [, name = '', value = ''] = /^([a-z0-9]+)(?::([^/]*))?/i.exec(mechanism) ?? []
    const [, bits4, bits6] = /^[^/]*(?:\/(\d{1,3}))?(?:\/\/(\d{1,3}))?$/.exec(mechanism) ?? []
    const kind = name.toLowerCase()
    if (kind === 'all') return true
    if (kind === 'ip4' || kind === 'ip6') return this.#isIn(mechanism.slice(4))
    if (!this.#takesLookup() || value.includes('%')) return 'not_known'
    const target = value === '' ? domain : value
    if (kind === 'include') {
      const result = await this.check(target)
      return result === 'not_known' ? result : result === 'pass'
    }
    if (kind === 'a') return this.#isAddressOf([target], bits4, bits6)
    if (kind !== 'mx') return 'not_known'
    const answer = await this.#resolver.mx(target)
    if (answer.kind === 'failure') return 'not_known'
    const hosts = answer.kind === 'found' ? answer.records.map(({ exchange }) => exchange) : []
    return this.#isAddressOf(hosts, bits4, bits6)
  }

  async #isAddressOf(hosts: readonly string[], bits4 = '32', bits6 = '128'): Promise<boolean | 'not_known'> {
    for (const host of hosts) {
      const answer = await findAddresses(this.#resolver, host)
      if (answer.kind === 'failure') return 'not_known'
      const records = answer.kind === 'found' ? answer.records : []
      if (records.some((address) => this.#isIn(`${address}/${isIPv4(address) ? bits4 : bits6}`))) return true
    }
    return false
  }

  /** True if the address is in a network; false for a text that is no network. */
  #isIn(network: string): boolean {
    const [address = '', bits] = network.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    if ((family === 'ipv4') !== isIPv4(this.#ip)) return false
    try {
      const list = new BlockList()
      list.addSubnet(address, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family)
      return list.check(this.#ip, family)
    } catch {
      return false
    }
  }
}
