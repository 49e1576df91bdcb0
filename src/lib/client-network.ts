// Derives the network of a client address; rate limits identify a client by this network.

/** Returns the network of one client: an IPv4 address, or an IPv6 /64 (RFC 6177 §2). */
export function clientNetwork(address: string): string {
  const plain = plainAddress(address)
  return plain.includes(':') ? `${leadingGroups(plain, 4)}::/64` : plain
}

/** Returns the IPv6 /48 of an address, the largest assignment of one site; undefined for IPv4. */
export function clientBlock(address: string): string | undefined {
  const plain = plainAddress(address)
  return plain.includes(':') ? `${leadingGroups(plain, 3)}::/48` : undefined
}

/**
 * Returns the prefix that often belongs to a single provider: 16 bits of an IPv4 address, 48 bits of an IPv6 address.
 */
export function clientPrefix(address: string): string {
  const plain = plainAddress(address)
  return clientBlock(plain) ?? `${plain.split('.').slice(0, 2).join('.')}.0.0/16`
}

/**
 * Returns the network that is shown for an address, such as the last use of a key: the first 24 bits of an IPv4 address,
 * 48 bits of an IPv6 address.
 */
export function shownNetwork(address: string): string {
  const plain = plainAddress(address)
  return clientBlock(plain) ?? `${plain.split('.').slice(0, 3).join('.')}.0/24`
}

/** Returns an address without a zone ID, and without the prefix `::ffff:` of an IPv4-mapped address. */
const plainAddress = (address: string): string =>
  address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')

function leadingGroups(address: string, count: number): string {
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':').length : 0
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after)
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...(tail ? tail.split(':') : [])]
  return all
    .slice(0, count)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
