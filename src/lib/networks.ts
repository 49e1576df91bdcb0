// A list of IP networks in CIDR notation.

import { BlockList, isIP } from 'node:net'

export class Networks {
  readonly #list = new BlockList()

  /** @param networks valid networks in CIDR notation */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', bits] = network.split('/')
      this.#list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
    }
  }

  /**
   * True for an address in one of the networks; an IPv4 address may be written as an IPv4-mapped IPv6 address (RFC 4291
   * §2.5.5.2).
   */
  includes(address: string): boolean {
    const plain = address.replace(/%.*$/, '')
    const version = isIP(plain)
    return version > 0 && this.#list.check(plain, version === 6 ? 'ipv6' : 'ipv4')
  }
}
