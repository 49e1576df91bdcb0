// Checks the source addresses of mail against the block lists that large receivers use (RFC 5782).

import { isIPv4 } from 'node:net'
import type { Resolver } from '../dns/resolver.ts'
import { isSpecialUse } from '../dns/special-use.ts'
import { type Check, fail, ok, skipped, warn } from './check.ts'

interface BlockList {
  readonly zone: string
  /** Page for requesting the removal of an address from the list. */
  readonly removal: string
}

const LISTS: readonly BlockList[] = [
  { zone: 'zen.spamhaus.org', removal: 'https://check.spamhaus.org/' },
  { zone: 'bl.spamcop.net', removal: 'https://www.spamcop.net/bl.shtml' },
  { zone: 'b.barracudacentral.org', removal: 'https://www.barracudacentral.org/rbl/removal-request' },
]
/** Maximum number of addresses to check, because a block list stops answering after too many queries. */
const MAX_ADDRESSES = 8

/** Returns one check for each address. */
export async function checkBlockLists(resolver: Resolver, addresses: readonly string[]): Promise<Check[]> {
  const asked = addresses
    .filter((address) => isIPv4(address) && !isSpecialUse(address))
    .slice(0, MAX_ADDRESSES)
  if (asked.length === 0) return [skipped('block lists', 'there is no public IPv4 address to look up')]
  return Promise.all(asked.map((address) => checkAddress(resolver, address)))
}

async function checkAddress(resolver: Resolver, address: string): Promise<Check> {
  const name = `block lists ${address}`
  const answers = await Promise.all(
    LISTS.map(async (list) => ({ list, state: await lookUp(resolver, list, address) })),
  )
  const on = answers.filter(({ state }) => state === 'listed').map(({ list }) => list)
  if (on.length > 0) {
    const [first] = on as [BlockList]
    return fail(
      name,
      `is on ${on.map(({ zone }) => zone).join(', ')}`,
      `Find the cause, fix the cause, then request the removal of the address: ${first.removal}`,
    )
  }
  const silent = answers.filter(({ state }) => state === 'unknown').map(({ list }) => list.zone)
  if (silent.length === LISTS.length) {
    return warn(
      name,
      'no list answered',
      'Lists do not answer public resolvers; set your own with POSTRIDER_DNS_SERVERS.',
    )
  }
  const clean = LISTS.filter(({ zone }) => !silent.includes(zone)).map(({ zone }) => zone)
  const rest = silent.length === 0 ? '' : ` (${silent.join(', ')} did not answer)`
  return ok(name, `is not on ${clean.join(', ')}${rest}`)
}

/**
 * Looks up an address in a block list. An answer in 127.0.0.0/8 means that the address is listed (RFC 5782 §2.1); an
 * answer in 127.255.255.0/24 means that the list refuses queries of this resolver.
 */
async function lookUp(
  resolver: Resolver,
  { zone }: BlockList,
  address: string,
): Promise<'listed' | 'clean' | 'unknown'> {
  const answer = await resolver.a(`${address.split('.').reverse().join('.')}.${zone}`)
  if (answer.kind === 'failure') return 'unknown'
  if (answer.kind !== 'found') return 'clean'
  const codes = answer.records.filter(
    (record) => record.startsWith('127.') && !record.startsWith('127.255.255.'),
  )
  return codes.length > 0 ? 'listed' : 'unknown'
}
