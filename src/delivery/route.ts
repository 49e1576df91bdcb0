// Where a recipient's mail goes: the hosts to try, in order, with the addresses that may be dialled.

import { isIP } from 'node:net'
import { findAddresses, findMailHosts } from '../dns/mail-hosts.ts'
import type { Resolver } from '../dns/resolver.ts'
import { type AllowedNetworks, isSpecialUse } from '../dns/special-use.ts'
import { siteOf, siteOfRelay } from './site.ts'

/** One address of one host. */
export interface Hop {
  readonly hostName: string
  readonly address: string
  readonly port: number
}

/** A smarthost that takes everything. */
export interface Relay {
  readonly host: string
  readonly port: number
  readonly implicitTls: boolean
  readonly auth: { readonly user: string; readonly password: string } | undefined
}

export type Route =
  | {
      readonly kind: 'hops'
      readonly hops: AsyncIterable<Hop>
      /** What shares limits with other destinations. */
      readonly site: string
    }
  | { readonly kind: 'no_route'; readonly permanent: boolean; readonly reason: string }

/** What finding a route needs. */
export interface RouteOptions {
  readonly resolver: Resolver
  readonly mxPort: number
  readonly allowed: AllowedNetworks
  readonly relay: Relay | undefined
}

/** Hosts beyond these are not tried within one attempt; nor more than two addresses of each. */
const MOST_HOSTS = 5
const MOST_ADDRESSES = 2

/** The way to a destination. Addresses are looked up only when their host's turn comes. */
export async function findRoute(destination: string, options: RouteOptions): Promise<Route> {
  const { relay } = options
  if (relay !== undefined) {
    return { kind: 'hops', hops: relayHops(relay, options.resolver), site: siteOfRelay(relay) }
  }
  const found = await findMailHosts(options.resolver, destination)
  switch (found.kind) {
    case 'hosts': {
      const names = shuffleEquals(found.hosts).slice(0, MOST_HOSTS)
      const hops: Hop[] = []
      let failure: string | undefined
      let special = false
      // The first host that has a usable address is enough to begin with; the others follow on demand.
      let index = 0
      for (; index < names.length && hops.length === 0; index++) {
        const result = await hopsOf(names[index] as string, options)
        hops.push(...result.hops)
        failure ??= result.failure
        special ||= result.special
      }
      if (hops.length === 0) return noAddress(failure, special)
      const site = siteOf(found.hosts.map((host) => host.name))
      return { kind: 'hops', hops: inTurn(hops, names.slice(index), options), site }
    }
    case 'null_mx':
      return { kind: 'no_route', permanent: true, reason: 'The domain says that it takes no mail (null MX).' }
    case 'nxdomain':
      return { kind: 'no_route', permanent: true, reason: 'The domain does not exist.' }
    case 'no_mail_host':
      return { kind: 'no_route', permanent: true, reason: 'The domain has no mail host.' }
    case 'failure':
      return {
        kind: 'no_route',
        permanent: false,
        reason: `The domain could not be looked up (${found.code}).`,
      }
  }
}

function noAddress(failure: string | undefined, special: boolean): Route {
  if (failure !== undefined) {
    return {
      kind: 'no_route',
      permanent: false,
      reason: `Its mail hosts could not be looked up (${failure}).`,
    }
  }
  const reason = special
    ? 'Its mail hosts have only addresses of private or special use, which are not contacted.'
    : 'Its mail hosts have no addresses.'
  return { kind: 'no_route', permanent: true, reason }
}

async function* inTurn(
  first: readonly Hop[],
  rest: readonly string[],
  options: RouteOptions,
): AsyncIterable<Hop> {
  yield* first
  for (const name of rest) yield* (await hopsOf(name, options)).hops
}

async function hopsOf(
  hostName: string,
  { resolver, allowed, mxPort }: RouteOptions,
): Promise<{ hops: Hop[]; failure?: string; special: boolean }> {
  const answer = await findAddresses(resolver, hostName)
  if (answer.kind === 'failure') return { hops: [], failure: answer.code, special: false }
  if (answer.kind !== 'found') return { hops: [], special: false }
  const usable = answer.records.filter((address) => !isSpecialUse(address, allowed))
  const hops = usable.slice(0, MOST_ADDRESSES).map((address) => ({ hostName, address, port: mxPort }))
  return { hops, special: hops.length === 0 }
}

/** An operator's relay may stand anywhere, also in a private network. */
async function* relayHops(relay: Relay, resolver: Resolver): AsyncIterable<Hop> {
  if (isIP(relay.host) !== 0) {
    yield { hostName: relay.host, address: relay.host, port: relay.port }
    return
  }
  const answer = relay.host === 'localhost' ? undefined : await findAddresses(resolver, relay.host)
  const addresses = answer === undefined ? ['127.0.0.1'] : answer.kind === 'found' ? answer.records : []
  for (const address of addresses.slice(0, MOST_HOSTS))
    yield { hostName: relay.host, address, port: relay.port }
}

/** Names by preference, those of equal preference in random order (RFC 5321 §5.1). */
function shuffleEquals(hosts: readonly { readonly name: string; readonly preference: number }[]): string[] {
  return hosts
    .map((host) => ({ ...host, lot: Math.random() }))
    .sort((a, b) => a.preference - b.preference || a.lot - b.lot)
    .map((host) => host.name)
}
