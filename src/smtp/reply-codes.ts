// Meaning of the codes of a reply, for replies whose text contains no known phrase, and of the codes of providers.

import { type BounceCategory, isAboutAddress } from '../model/bounce-category.ts'
import type { ReplyRule } from './recipient-phrases.ts'
import { BEFORE_RCPT, type Stage } from './stage.ts'

/** A reply whose text contains no known phrase. */
interface CodedReply {
  readonly stage: Stage
  readonly code: number
  readonly words: string
  /** The enhanced code without its class, such as `1.1`, if there is one. */
  readonly detail: string | undefined
}

/** True for permanent and temporary categories that are about the recipient. */
export const isAboutRecipient = (category: BounceCategory): boolean =>
  isAboutAddress(category) || category === 'mailbox_full'

/**
 * Returns the meaning of the enhanced code (RFC 3463, the IANA registry, and Microsoft's private codes from 5.7.500
 * on), otherwise the meaning of the reply code.
 */
export function byCodes(read: CodedReply): BounceCategory {
  const { stage, code, detail } = read
  if (detail !== undefined) {
    const found = BY_ENHANCED[detail] ?? BY_ENHANCED[detail.slice(0, detail.indexOf('.'))]
    if (found !== undefined && !(BEFORE_RCPT.has(stage) && isAboutRecipient(found))) {
      if (code >= 500) return found
      // A 4xx reply does not refuse the address, and 4.7.x asks the sender to send more slowly or later.
      if (isAboutAddress(found)) return 'other'
      return found === 'policy' ? 'rate_limited' : found
    }
  }
  return byCode(read)
}

const BY_ENHANCED: Readonly<Record<string, BounceCategory>> = {
  '1.0': 'mailbox_not_found',
  '1.1': 'mailbox_not_found',
  '1.2': 'domain_invalid',
  '1.3': 'mailbox_not_found',
  '1.4': 'mailbox_not_found',
  '1.6': 'mailbox_disabled',
  '1.7': 'policy',
  '1.8': 'policy',
  '1.10': 'domain_invalid', // null MX, RFC 7505
  '2.1': 'mailbox_disabled',
  '2.2': 'mailbox_full',
  '2.3': 'size',
  '3.4': 'size',
  '4': 'network',
  '4.0': 'other',
  '4.3': 'other',
  '4.4': 'dns',
  '4.5': 'rate_limited',
  '4.6': 'other',
  '4.7': 'expired',
  '5': 'protocol',
  '5.0': 'other',
  '5.3': 'rate_limited',
  '6': 'content',
  '7': 'policy',
  '7.4': 'tls',
  '7.5': 'tls',
  '7.8': 'auth',
  '7.9': 'auth',
  '7.10': 'tls',
  '7.11': 'tls',
  '7.12': 'auth',
  '7.13': 'mailbox_disabled',
  '7.17': 'mailbox_disabled', // RFC 7293
  '7.20': 'auth', // RFC 7372 to 7.26
  '7.21': 'auth',
  '7.22': 'auth',
  '7.23': 'auth',
  '7.24': 'auth',
  '7.26': 'auth',
  '7.28': 'rate_limited',
  '7.29': 'auth',
  '7.30': 'tls', // RFC 8689
  '7.500': 'rate_limited',
  '7.501': 'blocked',
  '7.502': 'blocked',
  '7.503': 'blocked',
  '7.509': 'auth',
  '7.511': 'blocked',
  '7.515': 'auth',
  '7.606': 'blocked',
  '7.705': 'rate_limited',
  '7.708': 'blocked',
}

/** Returns the meaning of a reply code at a stage of the dialog, without an enhanced code (RFC 5321 §4.2.3). */
function byCode({ stage, code, words }: CodedReply): BounceCategory {
  if (stage === 'starttls') return 'tls'
  if (stage === 'auth' || code === 530 || code === 535) return 'auth'
  if (code === 555 || (code >= 500 && code <= 504)) return 'protocol'
  if (code < 500) return 'other'
  if (stage === 'mail') return code === 552 ? 'size' : 'policy'
  // A 554 reply in place of the greeting refuses the client (RFC 5321 §3.1).
  if (BEFORE_RCPT.has(stage)) return 'blocked'
  if (code === 521 || code === 556) return 'domain_invalid' // RFC 7504
  if (code === 552) return stage === 'rcpt' ? 'mailbox_full' : 'size'
  if (code === 551 && words.trim() === '') return 'mailbox_not_found'
  return 'other'
}

/**
 * Codes and words of certain providers that the general phrases would misread or miss; these rules are tried before the
 * general phrases.
 */
export const PROVIDER_RULES: readonly ReplyRule[] = [
  // Microsoft 365 refuses with 5.4.1 and these words only for an unknown user (directory-based edge blocking).
  {
    category: 'mailbox_not_found',
    evidence: 'provider',
    subject: ['4.1', '1'],
    phrases: 'rejected access denied',
  },
  {
    category: 'mailbox_not_found',
    evidence: 'provider',
    phrases: 'resolver adr (recipnotfound|recipientnotfound|exrecipnotfound)*',
  },
  // Microsoft 365 and Exchange report a recipient that accepts only certain senders or sizes, and therefore exists.
  { category: 'size', phrases: 'resolver rst sendsize*, resolver rst recip*' },
  { category: 'policy', about: 'mailbox', phrases: 'resolver rst*, recipientnotauthorized' },
  { category: 'policy', about: 'destination', phrases: 'tenantattribution, tenant attribution' },
  { category: 'domain_invalid', evidence: 'provider', phrases: 'nonexistentdomain, dns nonexistentdomain' },
  { category: 'mailbox_full', phrases: 'quotaexceededexception, storagequotaexceeded, mailboxfull' },
  { category: 'mailbox_disabled', evidence: 'provider', phrases: 'mailboxdisabled*, accountdisabled*' },
  // Outlook.com identifies its reasons by two letters, or by "S" and four digits for its own blocklist.
  {
    category: 'blocked',
    phrases: 'sc 00*, dy 00*, ou 00*, s3140, s3150, banned sending ip',
  },
  {
    category: 'rate_limited',
    phrases: 'rp 00*, s775, s77719, temporarily rate limited due to ip reputation',
  },
  // A recipient at Google or Rackspace that receives too much mail exists.
  {
    category: 'rate_limited',
    about: 'mailbox',
    phrases:
      'receiving mail at a rate, receiving mail too quickly, receiving mail at too*, mailbox received too much',
  },
  {
    category: 'mailbox_full',
    phrases: 'p overquota*, over quota and inactive, storage space and inactive',
  },
  { category: 'content', phrases: 'content presents a potential security issue' },
  { category: 'auth', phrases: 'rate limited because ... (spf|dkim|dmarc)' },
  { category: 'tls', phrases: 'rate limited because ... tls' },
  { category: 'mailbox_not_found', evidence: 'provider', phrases: 'p nosuchuser' },
  { category: 'mailbox_disabled', evidence: 'provider', phrases: 'p disableduser' },
  { category: 'auth', phrases: 'p unauthenticated*' },
  // Yahoo also sends this reply after DATA, about the only recipient of the transaction.
  {
    category: 'mailbox_not_found',
    evidence: 'provider',
    phrases: 'delivery error dd ... doesn t have ... account',
  },
  { category: 'mailbox_disabled', evidence: 'provider', phrases: 'delivery error dd is no longer valid' },
  // Yahoo and AOL identify the reason of a refusal by a code with a number.
  { category: 'blocked', phrases: 'permanently deferred, retrying will not succeed' },
  { category: 'rate_limited', phrases: 'tss*, ts0*, ts1*' },
  { category: 'blocked', phrases: 'bl2*, bl0*, bl1*, hvu b*, rly b*, dyn t*, con b*, rtr bl' },
  // iCloud and other providers refuse hosts that are on the blocklist of Proofpoint.
  {
    category: 'blocked',
    phrases: 'support proofpoint com, ipcheck proofpoint com, proofpoint dynamic reputation',
  },
  // Mimecast defers a sending host at the first contact, or while the reputation of the host is unknown.
  {
    category: 'rate_limited',
    greylisted: true,
    class: 4,
    phrases: `
      internal resources are temporarily unavailable, internal resource ... temporarily unavailable`,
  },
  { category: 'policy', phrases: 'envelope blocked, header blocked' },
  { category: 'content', phrases: 'mcspam*' },
  // Amazon SES.
  { category: 'content', phrases: 'duplicate header' },
  // The providers 163, 126 and QQ identify a reason by two letters for the stage and three letters for the rule.
  { category: 'content', phrases: 'dt spm, dt sum, dt vir*' },
  { category: 'auth', phrases: 'mi spf, mi dma' },
  {
    category: 'rate_limited',
    phrases: 'hl icc, hl ifc, hl mep, rp cel, rp drc, mi cel, mi dmc',
  },
  { category: 'blocked', phrases: 'hl rep, hl ipb, hl ihu, mi stc, mi spb, dt rbl' },
  // Web.de limits the number of messages in a mailbox instead of their size; docomo calls the messages mail data.
  {
    category: 'mailbox_full',
    phrases: 'too many messages on the server, too many mails on the server, too much mail data',
  },
  // Orange and La Poste send codes such as `ofr_403`; their 4xx replies with such a code limit the rate.
  { category: 'rate_limited', class: 4, phrases: 'ofr*, ofr004*, lpn*' },
  {
    category: 'mailbox_not_found',
    evidence: 'provider',
    phrases: 'not listed in domino directory, not listed in public name*',
  },
  // Outlook.com reports that the recipient's domain is not reachable.
  {
    category: 'domain_invalid',
    evidence: 'provider',
    phrases: 'to the recipient because the domain is not reachable',
  },
  // The DNS query of qmail, Sendmail or Postfix found no such domain.
  {
    category: 'domain_invalid',
    evidence: 'provider',
    phrases: `
      find a mail exchanger or ip address, find any host named, host unknown .. authoritative answer,
      host or domain name not found ... host not found, no mx record found for domain,
      mx or srv record indicated no smtp service`,
  },
  // The link in a reply of GMX or 1&1 names the rule if the words of the reply do not.
  { category: 'policy', phrases: 'action not taken dns failure, error messages c (rdns|dns|helo|poli|spf)' },
  // Postfix could not parse a DNS response.
  { category: 'dns', phrases: 'malformed or unexpected name server reply' },
  // Diagnostics of X.400.
  {
    category: 'mailbox_not_found',
    evidence: 'provider',
    phrases: 'unrecognised or name, unrecognized or name',
  },
  // Google Groups does not reveal whether the group is missing or closed to the sender.
  { category: 'policy', about: 'mailbox', phrases: 'groups google com, google groups, google group' },
  // IronPort rejects a recipient that is in none of its tables.
  { category: 'mailbox_not_found', evidence: 'address', subject: ['1.0'], phrases: 'address rejected.' },
  // Blocklists of IronPort and Sophos are recognised by their names.
  { category: 'blocked', phrases: 'sophos, senderbase, talosintelligence' },
]
