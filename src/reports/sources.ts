// Names the sources of mail in DMARC reports, and says whether a source is this service, a forwarder, known or unknown.

import { createHash } from 'node:crypto'
import { getDomain } from 'tldts'
import { clientNetwork } from '../lib/client-network.ts'
import type { DmarcSum, NamedSource } from '../store/reports/authentication.ts'
import { mailServiceOf } from './mail-services.ts'

export const SOURCE_KINDS = ['ours', 'forwarded', 'known', 'unknown'] as const
export type SourceKind = (typeof SOURCE_KINDS)[number]

export interface Source {
  readonly sourceId: string
  readonly kind: SourceKind
  readonly name: string
}

/** The part of a sum that decides about its source. */
export type SourceOf = Pick<DmarcSum, 'address' | 'own_key' | 'own_path' | 'service' | 'reason'>

/** Facts about all sums of a domain. */
export interface SourceFacts {
  readonly domainId: string
  /** Addresses from which this installation sends. */
  readonly ownAddresses: ReadonlySet<string>
  /** Addresses that have forwarded messages with a valid signature of this installation. */
  readonly forwarders: ReadonlySet<string>
  /** Confirmed host names by address. */
  readonly hosts: ReadonlyMap<string, string>
  /** Sources that the customer has named, by ID. */
  readonly named: ReadonlyMap<string, NamedSource>
}

/** Reasons by which a receiver says that the messages were forwarded (RFC 7489 appendix C, RFC 9990). */
const FORWARDED = /\b(?:forwarded|trusted_forwarder|mailing_list)\b/

/**
 * Returns the addresses of this installation: the given ones, and those from which SPF passes for the return path of
 * the domain, whose record lists only own addresses.
 */
export function ownAddressesIn(sums: readonly SourceOf[], given: readonly string[]): ReadonlySet<string> {
  return new Set([...given, ...sums.filter(({ own_path }) => own_path === 1).map(({ address }) => address)])
}

/** Returns the addresses outside of this installation from which a signature of this installation passes. */
export const forwardersIn = (sums: readonly SourceOf[], own: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(
    sums
      .filter(({ own_key, address }) => own_key === 'pass' && address !== '' && !own.has(address))
      .map(({ address }) => address),
  )

/** Returns the source of messages. */
export function sourceOf(sum: SourceOf, facts: SourceFacts): Source {
  const { domainId, ownAddresses, forwarders, hosts, named } = facts
  if (ownAddresses.has(sum.address)) {
    return { sourceId: idOf(domainId, 'ours', ''), kind: 'ours', name: 'This service' }
  }
  const host = hosts.get(sum.address)
  const network = sum.address === '' ? 'other addresses' : clientNetwork(sum.address)
  const owner = (host && (mailServiceOf(host) ?? getDomain(host) ?? host)) ?? network
  const isForwarded =
    sum.own_key === 'pass' ||
    (sum.own_key === 'fail' && (forwarders.has(sum.address) || FORWARDED.test(sum.reason)))
  if (isForwarded) return { sourceId: idOf(domainId, 'forwarded', owner), kind: 'forwarded', name: owner }
  const service = sum.service || (host && mailServiceOf(host)) || undefined
  const name = service ?? owner
  const sourceId = idOf(domainId, 'other', name)
  const given = named.get(sourceId)
  if (given !== undefined) return { sourceId, kind: given.kind, name: given.name || name }
  return { sourceId, kind: service === undefined ? 'unknown' : 'known', name }
}

/** Returns the ID of a source, the same for each report. */
const idOf = (domainId: string, kind: string, name: string): string =>
  `src_${createHash('sha256').update(`${domainId} ${kind} ${name}`).digest('hex').slice(0, 26)}`

/** True for a text that may be the ID of a source. */
export const isSourceId = (text: string): boolean => /^src_[0-9a-f]{26}$/.test(text)
