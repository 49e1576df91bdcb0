// Replies of certain providers that the general phrases would misread or miss.

import type { ReplyRule } from './recipient-phrases.ts'

/** Rules that are tried before the general phrases. */
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
    phrases: 'resolver adr recip*, resolver adr exrecipnotfound',
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
  // A recipient at Google or Rackspace that receives mail too fast exists.
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
  // The link in a reply of GMX or 1&1 names the rule when the words of the reply do not.
  { category: 'policy', phrases: 'action not taken dns failure, error messages c (rdns|dns|helo|poli|spf)' },
  // Postfix could not parse a DNS response.
  { category: 'dns', phrases: 'malformed or unexpected name server reply' },
  // X.400, by its diagnostics.
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
