// Names the sources of mail in DMARC reports, and says whether a source is this service, a forwarder, known or unknown,
// and what to do about the source.

import { createHash } from 'node:crypto'
import { getDomain } from 'tldts'
import { clientNetwork } from '../lib/client-network.ts'
import type { DmarcSum, NamedSource } from '../store/reports/authentication.ts'
import type { Failing, Mechanism } from './failing.ts'
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

/** Figures of a source that decide about the advice. */
export interface AdvisedFigures {
  readonly messages: number
  readonly pass: number
  readonly failing: Failing | undefined
}

/** Minimum share of messages that pass DMARC for a source that needs no action. */
const GOOD = 0.98

const ADVICE = {
  ours_dkim:
    'Compare the DKIM records in the DNS with the records that the domain page shows, and verify the domain.',
  ours_spf:
    'Check that the return-path record of the domain points to this service, and that the SPF record of the return-path host names the address.',
  ours_dmarc: 'Check the DKIM and return-path records of the domain; receivers can refuse the mail.',
  ours: 'Some mail of this service is not aligned. Check the DKIM and return-path records of the domain; receivers can refuse the mail.',
  known:
    'Set up DKIM with your own domain at {name}, so that its signature is aligned with the From address.',
  unknown_pass:
    'The mail passes DMARC, so a record of your domain permits this source. If the source is yours, mark it as known; otherwise remove its record.',
  unknown_fail:
    'If this source sends your mail, mark it as known and set up DKIM there. Otherwise somebody uses your domain: a DMARC policy of quarantine or reject lets receivers refuse such mail.',
} as const
const WORDS: Readonly<Record<Mechanism, string>> = { dkim: 'DKIM', spf: 'SPF', dmarc: 'DMARC' }

export type AdviceName = keyof typeof ADVICE

/** Returns the name of the advice about a source; undefined if nothing has to be done. */
export function adviceOn({ kind }: Pick<Source, 'kind'>, figures: AdvisedFigures): AdviceName | undefined {
  const { failing, messages, pass } = figures
  const isGood = messages === 0 || pass / messages >= GOOD
  switch (kind) {
    case 'forwarded':
      return undefined
    case 'ours':
      if (failing !== undefined) return `ours_${failing.mechanism}`
      return isGood ? undefined : 'ours'
    case 'known':
      return failing === undefined && isGood ? undefined : 'known'
    case 'unknown':
      return isGood ? 'unknown_pass' : 'unknown_fail'
  }
}

/** Returns an advice about a source in words, after the sentence about its failure. */
export function adviceInWords(
  advice: AdviceName,
  { name, failing }: { readonly name: string; readonly failing: Failing | undefined },
): string {
  const text = ADVICE[advice].replace('{name}', name)
  return failing === undefined || advice.startsWith('unknown') ? text : `${since(failing)} ${text}`
}

const since = ({ mechanism, since: day, addresses, receivers }: Failing): string =>
  `${WORDS[mechanism]} has failed since ${day} for mail from ${few(addresses)}, as reported by ${few(receivers)}.`

/** Returns the first names of a list, with the number of the others. */
function few(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ')
  return names.length > 3 ? `${shown} and ${names.length - 3} others` : shown
}
