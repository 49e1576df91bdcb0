// Finds the host name of an IP address, confirmed by a lookup of the name.

import type { Resolver } from '../dns/resolver.ts'

/** Number of names of one address that are tried. */
const MAX_NAMES = 3

/** Returns the first PTR name of an address that leads back to the address, in lower case. */
export async function confirmedHost(resolver: Resolver, address: string): Promise<string | undefined> {
  const names = await resolver.ptr(address)
  if (names.kind !== 'found') return undefined
  for (const name of names.records.slice(0, MAX_NAMES)) {
    const answer = await (address.includes(':') ? resolver.aaaa(name) : resolver.a(name))
    if (answer.kind === 'found' && answer.records.includes(address)) {
      return name.toLowerCase().replace(/\.$/, '').slice(0, 255)
    }
  }
  return undefined
}
