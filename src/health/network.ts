// Checks the network: the names of this installation in the DNS, and connections to other mail hosts.

import { connect, isIP } from 'node:net'
import { findAddresses, findMailHosts } from '../dns/mail-hosts.ts'
import type { DnsAnswer, Resolver } from '../dns/resolver.ts'
import { isSpecialUse } from '../dns/special-use.ts'
import { cannotUse } from '../lib/own-address.ts'
import type { SourcePool } from '../lib/route-settings.ts'
import { type Check, fail, ok, skipped, warn } from './check.ts'

const CONNECT_MS = 5_000
const MAX_TRIED = 4

/** Settings that the network checks use. */
export interface NetworkOptions {
  readonly hostname: string
  readonly returnPathHost: string
  /** URL of the smarthost that sends all mail; undefined if mail is sent directly. */
  readonly relayUrl: string | undefined
  readonly sourceAddresses: readonly SourcePool[]
  readonly mxPort: number
  /** Address at which this node accepts bounces; undefined if this node accepts no bounces. */
  readonly inbound: { readonly host: string; readonly port: number } | undefined
  /** Mail host, or domain with mail hosts, that reliably accepts connections. */
  readonly port25Host: string
  readonly resolver: Resolver
}

/**
 * Results of the network checks in the playground, where the checks do not apply because no mail leaves the machine.
 */
export const SKIPPED_IN_PLAYGROUND: Check[] = [
  'hostname',
  'reverse DNS',
  'return-path MX',
  'return-path SPF',
  'return-path reports',
  'inbound port',
  'port 25',
].map((name) => skipped(name, 'playground'))

/**
 * Remedy if the DNS does not answer. Publishing records is not recommended, because the published records are unknown.
 */
const DNS_REMEDY =
  'Let this machine look up names (POSTRIDER_DNS_SERVERS, port 53); if lookups of other names succeed, check the name servers of this name.'

type Failure = Extract<DnsAnswer<never>, { readonly kind: 'failure' }>

const unanswered = (as: typeof fail, name: string, { code }: Failure, about = ''): Check =>
  as(name, `${about}the DNS does not answer (${code})`, DNS_REMEDY)

/** Runs all network checks concurrently. */
export async function networkChecks(options: NetworkOptions): Promise<Check[]> {
  const { hostname, resolver } = options
  const answer = await findAddresses(resolver, hostname)
  const addresses = answer.kind === 'found' ? answer.records : []
  const sending = [...new Set([...addresses, ...sourcesOf(options)])]
  const [reverse, mx, spf, reports, inbound, out] = await Promise.all([
    checkReverse(options, answer),
    checkReturnPathMx(options),
    checkReturnPathSpf(options, sending),
    checkReports(options),
    checkInbound(options),
    options.relayUrl === undefined ? checkPort25(options) : checkRelay(options, new URL(options.relayUrl)),
  ])
  const sources = await Promise.all(options.sourceAddresses.flatMap((pool) => checkSources(options, pool)))
  return [checkHostname(hostname, answer), ...reverse, mx, spf, reports, inbound, out, ...sources]
}

const sourcesOf = ({ sourceAddresses }: NetworkOptions): string[] =>
  sourceAddresses.flatMap((pool) => pool.addresses.map((one) => one.address))

/** Checks that each address of a source pool belongs to this machine and has a PTR record with its HELO name. */
function checkSources({ resolver, hostname }: NetworkOptions, pool: SourcePool): Promise<Check>[] {
  return pool.addresses.map(async ({ address, heloName = hostname }) => {
    const name = `source address ${address}`
    const code = await cannotUse(address)
    if (code !== undefined) {
      const remedy = `Assign ${address} to this machine, or remove it from POSTRIDER_SOURCE_ADDRESSES.`
      return fail(name, `not an address of this machine (${code})`, remedy)
    }
    const answer = await resolver.ptr(address)
    if (answer.kind === 'failure') return unanswered(warn, name, answer)
    const names = answer.kind === 'found' ? answer.records : []
    if (names.includes(heloName)) return ok(name, `in the pool ${pool.name}, PTR record ${heloName}`)
    const remedy = `Ask the provider of ${address} to set its PTR record to ${heloName}.`
    return warn(
      name,
      names.length === 0 ? 'no PTR record' : `has a PTR record with the name ${names.join(', ')}`,
      remedy,
    )
  })
}

function checkHostname(hostname: string, answer: DnsAnswer<readonly string[]>): Check {
  if (!hostname.includes('.')) {
    const remedy = 'Set POSTRIDER_HOSTNAME to a name such as mail.example.com that resolves to this machine.'
    return fail('hostname', `${hostname} is not a full domain name`, remedy)
  }
  if (answer.kind === 'failure') return unanswered(fail, 'hostname', answer, `${hostname}: `)
  const addresses = answer.kind === 'found' ? answer.records : []
  if (addresses.length === 0) {
    const remedy = `Publish an A or AAAA record for ${hostname} with the source address of outgoing mail.`
    return fail('hostname', `${hostname}: no address in the DNS`, remedy)
  }
  const detail = `${hostname} resolves to ${addresses.join(', ')}`
  const inside = addresses.filter((address) => isSpecialUse(address))
  if (inside.length === 0) return ok('hostname', detail)
  return warn(
    'hostname',
    detail,
    `Other mail servers cannot reach ${inside.join(', ')}; publish the public address.`,
  )
}

/**
 * Checks the reverse DNS of the hostname, because large receivers refuse mail from addresses without a matching PTR
 * record.
 */
async function checkReverse(options: NetworkOptions, answer: DnsAnswer<readonly string[]>): Promise<Check[]> {
  if (options.relayUrl !== undefined) return [skipped('reverse DNS', 'mail is sent through the relay')]
  if (answer.kind === 'failure') return [skipped('reverse DNS', 'the hostname could not be looked up')]
  if (answer.kind !== 'found') return [skipped('reverse DNS', 'the hostname has no address')]
  return Promise.all(answer.records.map((address) => checkPtr(options, address)))
}

async function checkPtr({ resolver, hostname }: NetworkOptions, address: string): Promise<Check> {
  const name = `reverse DNS ${address}`
  const remedy = `Ask the provider of ${address} to set its PTR record to ${hostname}.`
  const answer = await resolver.ptr(address)
  if (answer.kind === 'failure') return unanswered(warn, name, answer)
  const names = answer.kind === 'found' ? answer.records : []
  if (names.includes(hostname)) return ok(name, hostname)
  if (names.length === 0) return fail(name, 'no PTR record', remedy)
  const confirmed = await Promise.all(
    names.slice(0, MAX_TRIED).map(async (one) => {
      const forward = await findAddresses(resolver, one)
      return forward.kind === 'found' && forward.records.includes(address)
    }),
  )
  const detail = `PTR record ${names.join(', ')} instead of ${hostname}`
  return confirmed.includes(true)
    ? warn(name, `${detail}, which resolves to this address`, remedy)
    : fail(name, detail, remedy)
}

/** Checks the MX record of the return-path host, to which bounces are sent. */
async function checkReturnPathMx({ resolver, returnPathHost, hostname }: NetworkOptions): Promise<Check> {
  const name = 'return-path MX'
  const remedy = `Publish: ${returnPathHost} MX 10 ${hostname}`
  const answer = await resolver.mx(returnPathHost)
  if (answer.kind === 'failure') return unanswered(fail, name, answer)
  const hosts = answer.kind === 'found' ? answer.records.map((record) => record.exchange) : []
  if (hosts.every((host) => host === '')) return fail(name, `${returnPathHost} has no MX record`, remedy)
  return ok(name, `${returnPathHost} has the MX ${hosts.join(', ')}`)
}

async function checkReturnPathSpf(options: NetworkOptions, addresses: readonly string[]): Promise<Check> {
  const { resolver, returnPathHost, relayUrl } = options
  const name = 'return-path SPF'
  const sources = addresses.map((address) => `${address.includes(':') ? 'ip6' : 'ip4'}:${address}`)
  const from = relayUrl !== undefined || sources.length === 0 ? 'ip4:<sending address>' : sources.join(' ')
  const remedy = `Publish: ${returnPathHost} TXT "v=spf1 ${from} -all"`
  const answer = await resolver.txt(returnPathHost)
  if (answer.kind === 'failure') return unanswered(fail, name, answer)
  const texts = answer.kind === 'found' ? answer.records : []
  const [first, ...others] = texts.filter((text) => /^v=spf1( |$)/i.test(text))
  if (first === undefined) return fail(name, `${returnPathHost} has no SPF record`, remedy)
  // More than one SPF record is a permanent error (RFC 7208 §4.5).
  if (others.length > 0)
    return fail(name, `${returnPathHost} has ${others.length + 1} SPF records`, 'Keep one of them.')
  return ok(name, first)
}

/**
 * Checks the record by which the return-path host accepts DMARC reports about all domains (RFC 9990): receivers send no
 * reports to a host of another organization without it. The name of a made-up domain finds the wildcard.
 */
async function checkReports({ resolver, returnPathHost }: NetworkOptions): Promise<Check> {
  const name = 'return-path reports'
  const answer = await resolver.txt(`domain.example._report._dmarc.${returnPathHost}`)
  if (answer.kind === 'failure') return unanswered(warn, name, answer)
  const texts = answer.kind === 'found' ? answer.records : []
  if (texts.some((text) => /^v\s*=\s*DMARC1\s*(?:;|$)/.test(text))) {
    return ok(name, `${returnPathHost} accepts reports about all domains`)
  }
  return warn(
    name,
    `${returnPathHost} accepts no reports about other domains`,
    `Publish: *._report._dmarc.${returnPathHost} TXT "v=DMARC1"`,
  )
}

/** Checks that this node accepts bounces at an address that other mail servers can reach. */
async function checkInbound({ inbound, returnPathHost }: NetworkOptions): Promise<Check> {
  const name = 'inbound port'
  if (inbound === undefined) return skipped(name, 'this node does not receive bounces')
  const { host, port } = inbound
  if (/^(?:127\.|::1$|localhost$)/.test(host)) {
    const remedy =
      'Set POSTRIDER_INBOUND_HOST to an address that other mail servers can reach, such as 0.0.0.0.'
    return warn(name, `bounces are received on ${host} only`, remedy)
  }
  const reached = await firstReached([/^(?:0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host], port)
  if (reached !== undefined) return ok(name, `${host}:${port} answers`)
  const remedy = `Start the service, and forward port 25 of ${returnPathHost} to it.`
  return warn(name, `${host}:${port} does not answer`, remedy)
}

async function checkPort25({ resolver, port25Host, mxPort }: NetworkOptions): Promise<Check> {
  const name = 'port 25'
  const hosts = await findMailHosts(resolver, port25Host)
  const host = hosts.kind === 'hosts' ? hosts.hosts[0]?.name : undefined
  const answer = host === undefined ? undefined : await findAddresses(resolver, host)
  const failure = [hosts, answer].find((one) => one?.kind === 'failure')
  if (failure?.kind === 'failure' && failure.code !== 'EBADNAME')
    return unanswered(warn, name, failure, `${port25Host}: `)
  if (host === undefined || answer?.kind !== 'found') {
    return warn(
      name,
      `${port25Host} cannot be found in the DNS`,
      'Test with another mail host: `postrider doctor --port25-host HOST`.',
    )
  }
  const reached = await firstReached(answer.records, mxPort)
  if (reached !== undefined) return ok(name, `${host} [${reached}] answers`)
  const remedy =
    'Ask your provider to open outgoing port 25, or send through a smarthost with POSTRIDER_RELAY_URL.'
  return fail(name, `${host} cannot be reached on port ${mxPort} within ${CONNECT_MS / 1_000} s`, remedy)
}

async function checkRelay({ resolver }: NetworkOptions, relay: URL): Promise<Check> {
  const port = relay.port === '' ? (relay.protocol === 'smtps:' ? 465 : 587) : Number(relay.port)
  const host = relay.hostname.replace(/^\[|\]$/g, '')
  const answer = await findAddresses(resolver, host)
  const reached = await firstReached(answer.kind === 'found' ? answer.records : [host], port)
  if (reached !== undefined) return ok('relay', `${host}:${port} answers`)
  if (answer.kind === 'failure' && isIP(host) === 0) return unanswered(fail, 'relay', answer, `${host}: `)
  return fail('relay', `${host}:${port} cannot be reached`, 'Check POSTRIDER_RELAY_URL.')
}

/** Returns the first address that accepts a connection; undefined if there is none. */
function firstReached(addresses: readonly string[], port: number): Promise<string | undefined> {
  return Promise.any(addresses.slice(0, MAX_TRIED).map((address) => reach(address, port))).catch(
    () => undefined,
  )
}

function reach(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: CONNECT_MS })
    const end = (settle: () => void): void => {
      socket.destroy()
      settle()
    }
    socket.once('connect', () => end(() => resolve(host)))
    socket.once('timeout', () => end(() => reject(new Error('timeout'))))
    socket.once('error', (error) => end(() => reject(error)))
  })
}
