// The network that a client's address belongs to: what limits by address count.

/** What one client has for itself: an IPv4 address, or an IPv6 network of 64 bits (RFC 6177 §2). */
export function clientNetwork(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (!plain.includes(':')) return plain
  const [head = '', tail] = plain.split('::')
  const groups = head === '' ? [] : head.split(':')
  const behind = tail ? tail.split(':').length : 0
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - behind)
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...(tail ? tail.split(':') : [])]
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
