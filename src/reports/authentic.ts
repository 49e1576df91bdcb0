// Checks whether the mail of a report was written by the submitter that the report names.

import { getDomain } from 'tldts'
import type { Authentication } from '../model/inbound-message.ts'
import type { ReadReport } from '../model/report.ts'

const organizationOf = (name: string): string | undefined => {
  const host = name.toLowerCase().replace(/^.*@/, '')
  return getDomain(host, { allowPrivateDomains: false }) ?? undefined
}

/**
 * True if DKIM or SPF passes for the organization of the From address (the relaxed alignment of RFC 9989), and the
 * report names an address or a name of the same organization as its submitter.
 */
export function isAuthenticSubmitter(
  { dkim, spf }: Pick<Authentication, 'dkim' | 'spf'>,
  from: string,
  { submitter, contact }: Pick<ReadReport, 'submitter' | 'contact'>,
): boolean {
  const organization = organizationOf(from)
  if (organization === undefined) return false
  const signed = dkim.some(
    ({ result, domain, partial }) =>
      result === 'pass' && partial === undefined && organizationOf(domain) === organization,
  )
  const sent = spf.result === 'pass' && spf.domain !== null && organizationOf(spf.domain) === organization
  if (!signed && !sent) return false
  return organizationOf(contact) === organization || organizationOf(submitter) === organization
}
