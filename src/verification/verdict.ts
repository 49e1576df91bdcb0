// Derives the verdict from the evidence about an address, as a pure function that is tested with a table of all cases.

import type { MailboxFinding } from './mailbox-reply.ts'

/** Public result of each internal result. */
export const RESULTS = {
  mailbox_exists: 'deliverable',
  invalid_syntax: 'undeliverable',
  domain_not_found: 'undeliverable',
  no_mail_server: 'undeliverable',
  null_mx: 'undeliverable',
  mailbox_not_found: 'undeliverable',
  mailbox_disabled: 'undeliverable',
  catch_all: 'risky',
  catch_all_unknown: 'risky',
  disposable: 'risky',
  mailbox_full: 'risky',
  suppressed: 'risky',
  dns_error: 'unknown',
  connect_failed: 'unknown',
  timeout: 'unknown',
  greylisted: 'unknown',
  blocked: 'unknown',
  smtp_error: 'unknown',
} as const

export type InternalResult = keyof typeof RESULTS
export type Result = (typeof RESULTS)[InternalResult]

/**
 * Finding of the DNS lookup about the domain. `hosts`: the domain has hosts that can be probed; `own_host`: the host is
 * this installation itself.
 */
export type DomainFinding =
  | 'hosts'
  | 'domain_not_found'
  | 'no_mail_server'
  | 'null_mx'
  | 'dns_error'
  | 'own_host'

/** Finding from the account's own mail to the address. */
export type OwnFinding = 'accepted' | 'mailbox_not_found' | 'mailbox_disabled' | 'suppressed'

/**
 * Evidence about an address; a field is absent if it was not examined, for lack of time or because other evidence
 * decided the result.
 */
export interface Evidence {
  /** False if the text is no address; no further evidence is then examined. */
  readonly isAddress: boolean
  readonly disposable?: boolean | undefined
  readonly domain?: DomainFinding | undefined
  readonly own?: OwnFinding | undefined
  readonly mailbox?: MailboxFinding | undefined
  readonly catchAll?: boolean | undefined
  /** True if the provider is known to refuse unknown mailboxes, so that no random mailbox was tried. */
  readonly neverCatchAll?: boolean | undefined
}

/**
 * Returns the result of the first decisive evidence. Reasons that make mail impossible come first, then risks, then
 * unknown results.
 */
export function internalResultOf(found: Evidence): InternalResult {
  const { domain, own, mailbox } = found
  if (!found.isAddress) return 'invalid_syntax'
  if (domain === 'domain_not_found' || domain === 'no_mail_server' || domain === 'null_mx') return domain
  if (own === 'mailbox_not_found' || own === 'mailbox_disabled') return own
  if (mailbox === 'not_found') return 'mailbox_not_found'
  if (mailbox === 'disabled') return 'mailbox_disabled'
  if (mailbox === 'not_served') return 'no_mail_server'
  if (own === 'suppressed') return 'suppressed'
  if (found.disposable) return 'disposable'
  if (own === 'accepted') return 'mailbox_exists'
  if (domain === 'dns_error') return 'dns_error'
  // No host is asked, because a reply of this installation to itself would say nothing about mail from other hosts.
  if (domain === 'own_host') return 'connect_failed'
  switch (mailbox) {
    case 'exists':
      if (found.catchAll) return 'catch_all'
      return found.catchAll === false || found.neverCatchAll ? 'mailbox_exists' : 'catch_all_unknown'
    case 'full':
      return 'mailbox_full'
    case 'temporary':
      return 'smtp_error'
    default:
      return mailbox ?? 'timeout'
  }
}
