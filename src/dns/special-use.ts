// Recognises addresses outside the public internet, so that no client can make this service contact its own network.

import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

/** Special-use networks that may be contacted nevertheless. */
export interface AllowedNetworks {
  includes(ip: string): boolean
}

/** IANA IPv4 Special-Purpose Address Registry (RFC 6890), multicast (RFC 5771) and the former class E. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8', // Addresses of the local network.
  '10.0.0.0/8', // Private networks (RFC 1918).
  '100.64.0.0/10', // Address space shared by carriers (RFC 6598).
  '127.0.0.0/8', // Loopback addresses.
  '169.254.0.0/16', // Link-local addresses, and metadata services of clouds.
  '172.16.0.0/12', // Private networks.
  '192.0.0.0/24', // Protocol assignments.
  '192.0.2.0/24', // Documentation (RFC 5737).
  '192.31.196.0/24', // AS112 name servers (RFC 7535).
  '192.52.193.0/24', // Automatic Multicast Tunneling (RFC 7450).
  '192.88.99.0/24', // 6to4 relays (RFC 7526).
  '192.168.0.0/16', // Private networks.
  '192.175.48.0/24', // AS112 name servers (RFC 7534).
  '198.18.0.0/15', // Benchmarks (RFC 2544).
  '198.51.100.0/24', // Documentation (RFC 5737).
  '203.0.113.0/24', // Documentation (RFC 5737).
  '224.0.0.0/4', // Multicast addresses.
  '240.0.0.0/4', // Reserved addresses, and the broadcast address.
]
const specialIPv4 = networks(SPECIAL_IPV4)

/**
 * Global unicast addresses of IPv6 (RFC 4291 §2.4); addresses outside of this network, or in `specialIPv6`, are
 * special.
 */
const globalIPv6 = networks(['2000::/3'])

const specialIPv6 = networks([
  '2001::/23', // Protocol assignments: Teredo, benchmarks, ORCHID and others.
  '2001:db8::/32', // Documentation (RFC 3849).
  '2002::/16', // 6to4 addresses (retired by RFC 7526), which contain an IPv4 address.
  '2620:4f:8000::/48', // AS112 name servers.
  '3fff::/20', // Documentation (RFC 9637).
])

/** IPv4-mapped IPv6 addresses (RFC 4291 §2.5.5.2); a BlockList reads such an address as an IPv4 address. */
const mapped = networks(['::ffff:0:0/96'])

/**
 * NAT64 addresses, which lead to IPv4 addresses (RFC 6052); the addresses in `specialNat64` lead to special IPv4
 * addresses.
 */
const nat64 = networks(['64:ff9b::/96'])
const specialNat64 = networks(
  SPECIAL_IPV4.map((network) => {
    const [address, bits] = network.split('/')
    return `64:ff9b::${address}/${96 + Number(bits)}`
  }),
)

/**
 * True if `ip` must not be contacted at the request of an untrusted party: a special-use address, an IPv6 address that
 * leads to a special-use IPv4 address, or a text that is no address. `allowed` makes exceptions.
 */
export function isSpecialUse(ip: string, allowed?: AllowedNetworks): boolean {
  if (isIP(ip) === 0) return true
  if (allowed?.includes(ip)) return false
  if (isIPv4(ip)) return specialIPv4.check(ip, 'ipv4')
  // Only link-local addresses have a zone (fe80::1%eth0).
  if (ip.includes('%')) return true
  if (mapped.check(ip, 'ipv6')) return specialIPv4.check(ip, 'ipv6')
  if (nat64.check(ip, 'ipv6')) return specialNat64.check(ip, 'ipv6')
  return !globalIPv6.check(ip, 'ipv6') || specialIPv6.check(ip, 'ipv6')
}

/**
 * Parses a list such as `127.0.0.0/8, ::1`: addresses and networks, separated by commas or spaces. Throws an Error
 * that names the first invalid item.
 */
export function parseNetworks(cidrList: string): AllowedNetworks {
  const list = networks(cidrList.split(/[\s,]+/).filter((item) => item !== ''))
  return {
    includes(ip) {
      if (isIPv4(ip)) return list.check(ip, 'ipv4')
      return isIPv6(ip) && !ip.includes('%') && list.check(ip, 'ipv6')
    },
  }
}

function networks(items: readonly string[]): BlockList {
  const list = new BlockList()
  for (const item of items) {
    const [address = '', bits, more] = item.split('/')
    const width = isIPv4(address) ? 32 : 128
    const prefix = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
    if (isIP(address) === 0 || address.includes('%') || more !== undefined || prefix < 0 || prefix > width) {
      throw new Error(`"${item}" is not an address or a network such as 10.0.0.0/8 or fd00::/8`)
    }
    list.addSubnet(address, prefix, width === 32 ? 'ipv4' : 'ipv6')
  }
  return list
}
