// Addresses of an inbound stream: one mailbox with all of its tags, or every mailbox of a host.

import { type Address, isAddress, parseAddress } from './address.ts'
import { returnPathHost } from './return-path.ts'

/** An address whose mail an inbound stream accepts. */
export interface InboundAddress {
  /** The domain itself or a name below it, in A-labels and lower case. */
  readonly host: string
  /** Local part in lower case; `*` for every local part of the host. */
  readonly local: string
}

/** Maximum number of addresses of one stream. */
export const MAX_INBOUND_ADDRESSES = 100
/** Maximum length of an address with the @ (RFC 5321 §4.5.3.1.1 and §4.5.3.1.2). */
export const MAX_INBOUND_ADDRESS_LENGTH = 320

export const inboundAddressText = ({ host, local }: InboundAddress): string => `${local}@${host}`

/**
 * Parses an inbound address of a domain, such as `support@example.com` or `*@in.example.com`; returns a sentence with
 * the remedy for an invalid text.
 */
export function parseInboundAddress(text: string, domain: string): InboundAddress | string {
  const any = text.startsWith('*@')
  const address = parseAddress(any ? `postmaster${text.slice(1)}` : text)
  if (!isAddress(address)) {
    return `Give an address such as support@${domain}, or *@in.${domain} for all of a host: this one ${address.problem}.`
  }
  const { domain: host, local } = address
  if (host !== domain && !host.endsWith(`.${domain}`)) {
    return `Give an address at ${domain} or at a name below it.`
  }
  if (host === returnPathHost(domain)) {
    return `Give an address at another host: mail to ${host} is for bounces.`
  }
  return { host, local: any ? '*' : local.toLowerCase() }
}

/** Returns the local parts under which an address may be listed, most specific first. A tag begins at the first `+`. */
export function inboundLocals({ local }: Pick<Address, 'local'>): readonly string[] {
  const whole = local.toLowerCase()
  const tagAt = whole.indexOf('+')
  return [...(tagAt > 0 ? [whole, whole.slice(0, tagAt)] : [whole]), '*']
}

/**
 * Returns a host name and its parent names, the host name first: the domains to which an address at the host may
 * belong.
 */
export function domainsAbove(host: string): readonly string[] {
  const labels = host.split('.')
  return labels.slice(0, -1).map((_, first) => labels.slice(first).join('.'))
}
