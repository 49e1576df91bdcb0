// Where a recipient's mail goes: the hosts to try, in order, each with the addresses that may be dialled.

import { isIP } from 'node:net'
import { findAddresses, findMailHosts, type MailHostName } from '../dns/mail-hosts.ts'
import type { Resolver } from '../dns/resolver.ts'
import { type AllowedNetworks, isSpecialUse } from '../dns/special-use.ts'
import type { Relay } from '../lib/relay.ts'
import type { BounceCategory } from '../model/bounce-category.ts'
import type { Sources } from '../smtp/dial.ts'
import type { StageFailure } from '../smtp/stage.ts'
import { siteOf, siteOfRelay } from './site.ts'
import type { SourcePools } from './sources.ts'
import { OPPORTUNISTIC, type TlsPolicy, type TlsPolicySources, tlsPolicyOf } from './tls-policy.ts'

/** One host, and all that decides whether an open connection to it will do. */
export interface Hop {
  readonly hostName: string
  /** All of them checked; at least one. */
  readonly addresses: readonly string[]
  readonly port: number
  readonly tls: TlsPolicy
  /** The addresses of ours to connect from; undefined leaves it to the system. */
  readonly sources?: Sources | undefined
  /** The relay that the host is. */
  readonly relay?: Relay | undefined
}

/** A host that is not spoken to, and why. */
export interface NotTried {
  readonly hostName: string
  readonly failure: StageFailure
}

export type Route =
  | {
      readonly kind: 'hops'
      readonly hops: AsyncIterable<Hop | NotTried>
      /** What shares limits with other destinations. */
      readonly site: string
    }
  | NoRoute

export interface NoRoute {
  readonly kind: 'no_route'
  readonly permanent: boolean
  readonly reason: string
  /** `domain_invalid` if permanent, else `dns`, unless told. */
  readonly category?: BounceCategory
}

/** Whose mail it is, and where it goes. */
export interface RouteRequest {
  /** The recipient's domain. */
  readonly destination: string
  /** The sending domain. */
  readonly domainName: string
  readonly stream: string
  readonly requireTls: boolean
  /** The sending domain's own relay; goes before the installation's. */
  readonly relay: Relay | undefined
}

/** What finding a route needs. */
export interface RouteOptions {
  readonly resolver: Resolver
  readonly mxPort: number
  readonly allowed: AllowedNetworks
  /** The installation's relay. */
  readonly relay: Relay | undefined
  readonly sources: SourcePools
  readonly tls: TlsPolicySources
  /** What this installation is known by, so that mail does not go round in circles. */
  readonly ownNames: ReadonlySet<string>
  /** Addresses at which it takes mail on the MX port itself. */
  readonly ownAddresses: ReadonlySet<string>
}

/** Hosts beyond these are not tried within one attempt; nor more than two addresses of each family. */
const MOST_HOSTS = 5
const MOST_ADDRESSES = 2

/** The way to a destination. Addresses are looked up only when their host's turn comes. */
export async function findRoute(request: RouteRequest, options: RouteOptions): Promise<Route> {
  const relay = request.relay ?? options.relay
  if (relay !== undefined) {
    const hops = relayHops(relay, request.requireTls, options.resolver)
    return { kind: 'hops', hops, site: siteOfRelay(relay) }
  }
  const found = await findMailHosts(options.resolver, request.destination)
  switch (found.kind) {
    case 'hosts':
      return routeTo(found.hosts, request, options)
    case 'null_mx':
      return noRoute('The domain says that it takes no mail (null MX).')
    case 'nxdomain':
      return noRoute('The domain does not exist.')
    case 'no_mail_host':
      return noRoute('The domain has no mail host.')
    case 'failure':
      return notNow(`The domain could not be looked up (${found.code}).`)
  }
}

const noRoute = (reason: string): NoRoute => ({ kind: 'no_route', permanent: true, reason })
const notNow = (reason: string): NoRoute => ({ kind: 'no_route', permanent: false, reason })

const LOOP: NoRoute = {
  kind: 'no_route',
  permanent: true,
  reason: 'The mail hosts of the domain are this installation itself, so that mail would loop (5.4.6).',
  category: 'dns',
}

/** A setting may allow them tomorrow: that says nothing against the address. */
const SPECIAL_USE: NoRoute = {
  kind: 'no_route',
  permanent: true,
  reason: 'Its mail hosts have only addresses of private or special use, which are not contacted.',
  category: 'dns',
}

async function routeTo(
  hosts: readonly MailHostName[],
  request: RouteRequest,
  options: RouteOptions,
): Promise<Route> {
  // RFC 5321 §5.1: when we are among them, only hosts of higher preference than ours come into question.
  const own = hosts.find((host) => options.ownNames.has(host.name))
  const others = own === undefined ? hosts : hosts.filter((host) => host.preference < own.preference)
  const names = shuffleEquals(others).slice(0, MOST_HOSTS)
  const tries: HostAddresses[] = []
  // The first host that has a usable address is enough to begin with; the others follow on demand.
  let index = 0
  for (; index < names.length && !isUsable(tries.at(-1)); index++) {
    const found = await addressesOf(names[index] as string, options)
    if (found.isOwn) return noAddress(tries, true)
    tries.push(found)
  }
  const first = tries.at(-1)
  if (!isUsable(first)) return noAddress(tries, own !== undefined)
  const hops = inTurn(first, names.slice(index), request, options)
  return { kind: 'hops', hops, site: siteOf(hosts.map((host) => host.name)) }
}

function noAddress(tried: readonly HostAddresses[], loops: boolean): NoRoute {
  const failure = tried.find((host) => host.failure !== undefined)?.failure
  if (failure !== undefined) return notNow(`Its mail hosts could not be looked up (${failure}).`)
  if (loops) return LOOP
  return tried.some((host) => host.special) ? SPECIAL_USE : noRoute('Its mail hosts have no addresses.')
}

async function* inTurn(
  first: HostAddresses,
  rest: readonly string[],
  request: RouteRequest,
  options: RouteOptions,
): AsyncIterable<Hop | NotTried> {
  yield hopTo(first, request, options)
  for (const name of rest) {
    const found = await addressesOf(name, options)
    if (found.isOwn) return
    if (isUsable(found)) yield hopTo(found, request, options)
  }
}

async function hopTo(
  { hostName, addresses }: HostAddresses,
  { destination, domainName, stream, requireTls }: RouteRequest,
  { mxPort, sources, tls }: RouteOptions,
): Promise<Hop | NotTried> {
  const policy = await tlsPolicyOf({ destination, hostName, port: mxPort }, requireTls, tls)
  if ('forbidden' in policy) return { hostName, failure: policy.forbidden }
  return { hostName, addresses, port: mxPort, tls: policy, sources: sources.choose(domainName, stream) }
}

/** What the DNS says of a host. */
interface HostAddresses {
  readonly hostName: string
  readonly addresses: readonly string[]
  /** Why it could not be looked up. */
  readonly failure?: string
  /** There are addresses, and none that may be contacted. */
  readonly special?: boolean
  readonly isOwn?: boolean
}

const isUsable = (host: HostAddresses | undefined): host is HostAddresses =>
  host !== undefined && host.addresses.length > 0

async function addressesOf(
  hostName: string,
  { resolver, allowed, ownAddresses }: RouteOptions,
): Promise<HostAddresses> {
  const answer = await findAddresses(resolver, hostName)
  if (answer.kind === 'failure') return { hostName, addresses: [], failure: answer.code }
  if (answer.kind !== 'found') return { hostName, addresses: [] }
  if (answer.records.some((address) => ownAddresses.has(address))) {
    return { hostName, addresses: [], isOwn: true }
  }
  const usable = answer.records.filter((address) => !isSpecialUse(address, allowed))
  const addresses = [4, 6].flatMap((family) =>
    usable.filter((address) => isIP(address) === family).slice(0, MOST_ADDRESSES),
  )
  return { hostName, addresses, special: addresses.length === 0 }
}

/** An operator's relay may stand anywhere, also in a private network. */
async function* relayHops(
  relay: Relay,
  requireTls: boolean,
  resolver: Resolver,
): AsyncIterable<Hop | NotTried> {
  const { host: hostName, port } = relay
  const found = await relayAddresses(hostName, resolver)
  if (typeof found === 'string') {
    const message = `The relay ${hostName} could not be looked up (${found})`
    yield { hostName, failure: { stage: 'connect', error: { code: 'unreachable', message } } }
    return
  }
  yield { hostName, addresses: found, port, relay, tls: relayTls(relay, found, requireTls) }
}

async function relayAddresses(host: string, resolver: Resolver): Promise<readonly string[] | string> {
  if (isIP(host) !== 0) return [host]
  if (host === 'localhost') return ['127.0.0.1']
  const answer = await findAddresses(resolver, host)
  if (answer.kind === 'found') return answer.records.slice(0, MOST_HOSTS)
  return answer.kind === 'failure' ? answer.code : answer.kind
}

/** A password is only for the relay that it belongs to, so its certificate is verified, unless the URL says no. */
function relayTls(relay: Relay, addresses: readonly string[], requireTls: boolean): TlsPolicy {
  if (requireTls) return { required: true, verify: true, demandedBy: 'the message' }
  const stays = addresses.every((address) => address.startsWith('127.') || address === '::1')
  if (relay.auth === undefined || stays) return OPPORTUNISTIC
  return { required: true, verify: relay.verify, demandedBy: 'the password for the relay' }
}

/** Names by preference, those of equal preference in random order (RFC 5321 §5.1). */
function shuffleEquals(hosts: readonly MailHostName[]): string[] {
  return hosts
    .map((host) => ({ ...host, lot: Math.random() }))
    .sort((a, b) => a.preference - b.preference || a.lot - b.lot)
    .map((host) => host.name)
}
