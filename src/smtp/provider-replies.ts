// Replies of certain providers that the general phrases would misread or miss.

import type { ReplyRule } from './reply-rule.ts'

/** Read before the general phrases. */
export const PROVIDER_RULES: readonly ReplyRule[] = [
  // Microsoft 365, directory-based edge blocking: the only refusal with 5.4.1 and these words is an unknown user.
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
  // Microsoft 365 and Exchange: the recipient takes mail of chosen senders or sizes only, so it exists.
  { category: 'size', phrases: 'resolver rst sendsize*, resolver rst recip*' },
  { category: 'policy', about: 'mailbox', phrases: 'resolver rst*, recipientnotauthorized' },
  { category: 'policy', about: 'destination', phrases: 'tenantattribution, tenant attribution' },
  { category: 'domain_invalid', evidence: 'provider', phrases: 'nonexistentdomain, dns nonexistentdomain' },
  { category: 'mailbox_full', phrases: 'quotaexceededexception, storagequotaexceeded, mailboxfull' },
  { category: 'mailbox_disabled', evidence: 'provider', phrases: 'mailboxdisabled*, accountdisabled*' },
  // Outlook.com names its reasons by two letters, "S" and four digits for a list of its own.
  {
    category: 'blocked',
    phrases: 'sc 00*, dy 00*, ou 00*, s3140, s3150, banned sending ip',
  },
  {
    category: 'rate_limited',
    phrases: 'rp 00*, s775, s77719, temporarily rate limited due to ip reputation',
  },
  // Google and Rackspace: who receives mail too fast is there.
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
  // Yahoo says it after DATA as well, of the one recipient of that transaction.
  {
    category: 'mailbox_not_found',
    evidence: 'provider',
    phrases: 'delivery error dd ... doesn t have ... account',
  },
  { category: 'mailbox_disabled', evidence: 'provider', phrases: 'delivery error dd is no longer valid' },
  // Yahoo and AOL number their reasons.
  { category: 'blocked', phrases: 'permanently deferred, retrying will not succeed' },
  { category: 'rate_limited', phrases: 'tss*, ts0*, ts1*' },
  { category: 'blocked', phrases: 'bl2*, bl0*, bl1*, hvu b*, rly b*, dyn t*, con b*, rtr bl' },
  // iCloud and others behind Proofpoint's list of hosts.
  {
    category: 'blocked',
    phrases: 'support proofpoint com, ipcheck proofpoint com, proofpoint dynamic reputation',
  },
  // Mimecast: a first meeting, or an opinion of the sending host that is still being formed.
  {
    category: 'rate_limited',
    greylisted: true,
    class: 4,
    phrases: `
      internal resources are temporarily unavailable, internal resource ... temporarily unavailable`,
  },
  { category: 'policy', phrases: 'envelope blocked, header blocked' },
  { category: 'content', phrases: 'mcspam*' },
  // Amazon SES
  { category: 'content', phrases: 'duplicate header' },
  // 163, 126 and QQ mark a reason by two letters of the stage and three of the rule.
  { category: 'content', phrases: 'dt spm, dt sum, dt vir*' },
  { category: 'auth', phrases: 'mi spf, mi dma' },
  {
    category: 'rate_limited',
    phrases: 'hl icc, hl ifc, hl mep, rp cel, rp drc, mi cel, mi dmc',
  },
  { category: 'blocked', phrases: 'hl rep, hl ipb, hl ihu, mi stc, mi spb, dt rbl' },
  // Web.de counts messages as space, docomo speaks of data.
  {
    category: 'mailbox_full',
    phrases: 'too many messages on the server, too many mails on the server, too much mail data',
  },
  // Orange and La Poste: ofr_403 and the like; a 4xx of theirs is about speed.
  { category: 'rate_limited', class: 4, phrases: 'ofr*, ofr004*, lpn*' },
  {
    category: 'mailbox_not_found',
    evidence: 'provider',
    phrases: 'not listed in domino directory, not listed in public name*',
  },
  // Outlook.com says it of the recipient's domain.
  {
    category: 'domain_invalid',
    evidence: 'provider',
    phrases: 'to the recipient because the domain is not reachable',
  },
  // qmail, Sendmail and Postfix, whose own look at the DNS has found no such domain.
  {
    category: 'domain_invalid',
    evidence: 'provider',
    phrases: `
      find a mail exchanger or ip address, find any host named, host unknown .. authoritative answer,
      host or domain name not found ... host not found, no mx record found for domain,
      mx or srv record indicated no smtp service`,
  },
  // GMX and 1&1, whose link names the rule when the words do not.
  { category: 'policy', phrases: 'action not taken dns failure, error messages c (rdns|dns|helo|poli|spf)' },
  // Postfix, where the DNS answered nothing that it could read.
  { category: 'dns', phrases: 'malformed or unexpected name server reply' },
  // X.400 by the names of its diagnostics.
  {
    category: 'mailbox_not_found',
    evidence: 'provider',
    phrases: 'unrecognised or name, unrecognized or name',
  },
  // Google Groups does not tell whether the group is there or closed to us.
  { category: 'policy', about: 'mailbox', phrases: 'groups google com, google groups, google group' },
  // IronPort, of a recipient that is in no table of its own.
  { category: 'mailbox_not_found', evidence: 'address', subject: ['1.0'], phrases: 'address rejected.' },
  // IronPort writes a block like a kind word.
  { category: 'blocked', phrases: 'sophos, senderbase, talosintelligence' },
]
