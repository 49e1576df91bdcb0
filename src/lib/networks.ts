// A list of IP networks in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3).

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

/** A network as a number: the bits of its address, of which the first `prefix` bits count. */
interface NetworkBits {
  readonly width: 32 | 128
  readonly address: bigint
  readonly prefix: number
}

/**
 * Returns what is wrong with a text that has to be a network in CIDR notation, as a sentence with the remedy; undefined
 * for a valid network. The bits after the prefix have to be zero, and an IPv4 network may not be in IPv6 form.
 */
export function networkProblem(text: string): string | undefined {
  const network = bitsOf(text)
  if (network === undefined) return 'Give a network in CIDR notation, such as 192.0.2.0/24 or 2001:db8::/32.'
  const { width, address, prefix } = network
  if (width === 128 && address >> 32n === 0xffffn) return 'Give an IPv4 network in IPv4 form.'
  const free = BigInt(width - prefix)
  if ((address >> free) << free === address) return undefined
  return `The address has bits after the prefix of ${prefix} bits; give the first address of the network.`
}

/** True if each address of the network `inner` is in the network `outer`; both are valid networks. */
export function networkCovers(outer: string, inner: string): boolean {
  const [wide, narrow] = [bitsOf(outer), bitsOf(inner)]
  if (wide === undefined || narrow === undefined) return false
  if (wide.width !== narrow.width || wide.prefix > narrow.prefix) return false
  const free = BigInt(wide.width - wide.prefix)
  return wide.address >> free === narrow.address >> free
}

function bitsOf(text: string): NetworkBits | undefined {
  const [, address = '', bits] = /^([0-9a-f:.]{2,45})\/(\d{1,3})$/i.exec(text) ?? []
  const version = isIP(address)
  const prefix = Number(bits)
  const width = version === 6 ? 128 : 32
  if (version === 0 || prefix > width) return undefined
  return { width, prefix, address: version === 6 ? bitsOfIpv6(address) : bitsOfIpv4(address) }
}

const bitsOfIpv4 = (address: string): bigint =>
  address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)

/** Returns 32 bits as two groups of an IPv6 address. */
const inGroups = (bits: bigint): string => `${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`

function bitsOfIpv6(address: string): bigint {
  // The last 32 bits may be written as an IPv4 address (RFC 4291 §2.2).
  const end = address.slice(address.lastIndexOf(':') + 1)
  const plain = end.includes('.') ? address.slice(0, -end.length) + inGroups(bitsOfIpv4(end)) : address
  const [head = '', tail] = plain.split('::')
  const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')]
  const zeros = Array<string>(tail === undefined ? 0 : 8 - first.length - last.length).fill('0')
  return [...first, ...zeros, ...last].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
}
