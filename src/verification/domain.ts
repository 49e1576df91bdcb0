// What the DNS says of a domain: whether it takes mail, by which hosts, and at which addresses these may be asked.

import { findMailHosts, type HostResolver } from '../dns/mail-hosts.ts'
import { type AllowedNetworks, isSpecialUse } from '../dns/special-use.ts'
import { boundedResolver } from './bounded-resolver.ts'
import { type Esp, espOf } from './esp.ts'
import type { DomainFinding } from './verdict.ts'

/** One address of one mail host. */
export interface Target {
  readonly hostName: string
  readonly address: string
}

/** What looking up needs. */
export interface DnsOptions {
  readonly resolver: HostResolver
  /** Special-use networks that may be spoken to all the same. */
  readonly allowed: AllowedNetworks
}

/**
 * Questions for one verification. Each may be repeated once, or once more over TCP, so that ten queries leave us at
 * most: one for the mail hosts, four for their addresses.
 */
const MOST_QUESTIONS = 5
const MOST_HOSTS = 3
const MOST_TARGETS = 4
const MOST_ADDRESSES_OF_A_HOST = 2

/** A domain as far as it has been looked up; addresses follow on demand. */
export class LookedUpDomain {
  /** The names of its mail hosts, the best first, those of equal preference in random order (RFC 5321 §5.1). */
  readonly hosts: readonly string[]
  /** Who runs the best of them, if that is known. */
  readonly esp: Esp | undefined
  /** With those beyond the ones that are asked. */
  readonly #all: ReadonlySet<string>
  readonly #options: DnsOptions
  #finding: DomainFinding
  #asked = 0
  readonly #targets: Target[] = []
  #failed = false

  private constructor(finding: DomainFinding, hosts: readonly string[], options: DnsOptions) {
    this.#finding = finding
    this.hosts = hosts.slice(0, MOST_HOSTS)
    this.esp = hosts[0] === undefined ? undefined : espOf(hosts[0])
    this.#all = new Set(hosts)
    this.#options = options
  }

  /** Asks for the mail hosts of a domain. Does not reject. */
  static async lookUp(domain: string, { resolver, allowed }: DnsOptions): Promise<LookedUpDomain> {
    const options = { resolver: boundedResolver(resolver, MOST_QUESTIONS), allowed }
    const found = await findMailHosts(options.resolver, domain)
    switch (found.kind) {
      case 'hosts':
        return new LookedUpDomain('hosts', shuffleEquals(found.hosts), options)
      case 'nxdomain':
        return new LookedUpDomain('domain_not_found', [], options)
      case 'no_mail_host':
        return new LookedUpDomain('no_mail_server', [], options)
      case 'null_mx':
        return new LookedUpDomain('null_mx', [], options)
      case 'failure':
        return new LookedUpDomain('dns_error', [], options)
    }
  }

  /** Whether this is the name of one of its mail hosts. */
  isHost(name: string): boolean {
    return this.#all.has(name)
  }

  /** What is known by now: hosts of which none has an address that may be asked are none. */
  get finding(): DomainFinding {
    return this.#finding
  }

  /** The target with this number, from 0; undefined when there are not so many. */
  async target(index: number): Promise<Target | undefined> {
    while (this.#targets.length <= index && this.#asked < this.hosts.length) {
      await this.#addAddresses(this.hosts[this.#asked++] as string)
    }
    if (this.#targets.length === 0 && this.#finding === 'hosts') {
      this.#finding = this.#failed ? 'dns_error' : 'no_mail_server'
    }
    return index < MOST_TARGETS ? this.#targets[index] : undefined
  }

  async #addAddresses(hostName: string): Promise<void> {
    const { resolver, allowed } = this.#options
    for (const ask of [resolver.a, resolver.aaaa]) {
      const answer = await ask(hostName)
      if (answer.kind === 'failure') this.#failed = true
      if (answer.kind !== 'found') continue
      // What is of special use is left out without a try, so that its ports stay nobody's business.
      const usable = answer.records.filter((address) => !isSpecialUse(address, allowed))
      for (const address of usable.slice(0, MOST_ADDRESSES_OF_A_HOST))
        this.#targets.push({ hostName, address })
      return
    }
  }
}

function shuffleEquals(hosts: readonly { readonly name: string; readonly preference: number }[]): string[] {
  return hosts
    .map((host) => ({ ...host, lot: Math.random() }))
    .sort((a, b) => a.preference - b.preference || a.lot - b.lot)
    .map((host) => host.name)
}
