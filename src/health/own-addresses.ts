// Finds the addresses that other mail hosts see when this installation sends mail.

import { BlockList, isIPv4 } from 'node:net'
import { findAddresses } from '../dns/mail-hosts.ts'
import type { Resolver } from '../dns/resolver.ts'
import type { AllowedNetworks } from '../dns/special-use.ts'
import type { SourcePool } from '../lib/route-settings.ts'
import { type Read, reading } from '../store/database/store.ts'
import { listNodes, type NodeAddress } from '../store/node/nodes.ts'

/** Settings that decide the source addresses of mail. */
export interface AddressSettings {
  readonly roles: readonly string[]
  readonly hostname: string
  /** URL of the smarthost that sends all mail; undefined if mail is sent directly. */
  readonly relayUrl: string | undefined
  readonly sourceAddresses: readonly SourcePool[]
}

/** Returns the source addresses of a node; empty if the node sends no mail, or sends all mail through a relay. */
export function addressesOf(settings: AddressSettings): readonly NodeAddress[] {
  const { roles, hostname, relayUrl, sourceAddresses } = settings
  if (!roles.includes('delivery') || relayUrl !== undefined) return []
  const pools = sourceAddresses.flatMap(({ addresses }) =>
    addresses.map(({ address, heloName }) => ({ address, helo: heloName ?? hostname })),
  )
  return pools.length > 0 ? pools : [{ address: null, helo: hostname }]
}

/** Returns the source addresses of this node, and of all nodes that the store knows. */
export async function addressesOfNodes(
  read: Read,
  own: readonly NodeAddress[],
): Promise<readonly NodeAddress[]> {
  const nodes = await reading(listNodes(read))
  return [...own, ...nodes.flatMap(({ addresses }) => JSON.parse(addresses) as NodeAddress[])]
}

/** Networks whose addresses other mail hosts never see: mail from them leaves by NAT, or stays on the machine. */
const INSIDE = new BlockList()
for (const [address, bits] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  INSIDE.addSubnet(address, bits, 'ipv4')
}
for (const [address, bits] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  INSIDE.addSubnet(address, bits, 'ipv6')
}

const isInside = (address: string, allowed: AllowedNetworks): boolean =>
  !allowed.includes(address) && INSIDE.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')

/** Public addresses, each with the source addresses that it stands for; null for the choice of the system. */
export interface PublicAddresses {
  readonly sources: ReadonlyMap<string, ReadonlySet<string | null>>
  /** False if a lookup failed, so that addresses may be missing. */
  readonly isComplete: boolean
}

/** Addresses of the test entries of block lists (RFC 5782 §5), which are never looked up as own addresses. */
const TEST_ENTRIES: ReadonlySet<string> = new Set(['127.0.0.1', '127.0.0.2'])

/**
 * Returns the public addresses for source addresses. The A and AAAA records of the HELO name stand for an address behind
 * NAT, and for the address that the system chooses.
 *
 * @param allowed networks that count as public, even if they are private
 */
export async function publicAddresses(
  resolver: Pick<Resolver, 'a' | 'aaaa'>,
  given: readonly NodeAddress[],
  allowed: AllowedNetworks,
): Promise<PublicAddresses> {
  const sources = new Map<string, Set<string | null>>()
  const isPublic = (address: string): boolean => !isInside(address, allowed) && !TEST_ENTRIES.has(address)
  const add = (address: string, source: string | null): void => {
    const known = sources.get(address) ?? new Set()
    sources.set(address, known.add(source))
  }
  const inside = new Map<string, (string | null)[]>()
  for (const { address, helo } of given) {
    if (address !== null && isPublic(address)) add(address, address)
    else inside.set(helo, [...(inside.get(helo) ?? []), address])
  }
  let isComplete = true
  for (const [helo, addresses] of inside) {
    const answer = await findAddresses(resolver, helo)
    if (answer.kind === 'failure') isComplete = false
    if (answer.kind !== 'found') continue
    for (const found of answer.records.filter(isPublic)) for (const source of addresses) add(found, source)
  }
  return { sources, isComplete }
}
