// Names that are made from IP addresses with their parts in reverse order, for PTR records and block lists.

import { isIPv4, isIPv6 } from 'node:net'

/**
 * Returns the parts of an address in reverse order: the bytes of an IPv4 address (RFC 1035 §3.5), the nibbles of an IPv6
 * address (RFC 3596 §2.5); undefined for a text that is no address, and for an address with a zone.
 */
export function reversedAddress(ip: string): string | undefined {
  if (isIPv4(ip)) return ip.split('.').reverse().join('.')
  if (!isIPv6(ip) || ip.includes('%')) return undefined
  // A URL contains an IPv6 address without a dotted IPv4 part.
  const [head = '', tail = ''] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::')
  const [before, after] = [head, tail].map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - before!.length - after!.length).fill('')
  const digits = [...before!, ...zeros, ...after!].map((group) => group.padStart(4, '0')).join('')
  return [...digits].reverse().join('.')
}

/** Returns the name of an address below `in-addr.arpa` or `ip6.arpa`; undefined for a text that is no address. */
export function arpaName(ip: string): string | undefined {
  const reversed = reversedAddress(ip)
  return reversed && `${reversed}.${isIPv4(ip) ? 'in-addr' : 'ip6'}.arpa`
}
