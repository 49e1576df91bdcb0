// The meaning of incidents, what to do, and the evidence: a catalogue by provider and code, and by cause for all other
// codes.

import type { IncidentCause, IncidentEvidence } from '../model/incident.ts'
import type { FailureFigures } from './domain-look.ts'

/** The check that proves a cause, with the page that shows the check. */
interface Check {
  readonly text: string
  link(domainId: string): string
}

/** Meaning and advice of an incident, in sentences for people. */
export interface CatalogueEntry {
  readonly meaning: string
  readonly whatToDo: string
  readonly check?: Check
}

const records = (text: string): Check => ({ text, link: (domainId) => `/domains/${domainId}/dns` })

const SPF = records('SPF of the return path, on the page of DNS records')
const DKIM = records('DKIM records, on the page of DNS records')
const DMARC = records('DMARC record, on the page of DNS records')
const ADDRESS: Check = {
  text: 'forward and reverse DNS of the sending addresses, in the health check of the operator',
  link: () => '/operator/health',
}

const PTR: CatalogueEntry = {
  meaning:
    'Gmail finds no reverse DNS entry of the sending address, or the entry does not lead back to the address.',
  whatToDo:
    'Let the operator publish a PTR record for the address, and an A or AAAA record that leads back to it.',
  check: ADDRESS,
}
const NO_SPF: CatalogueEntry = {
  meaning: 'Gmail could not authenticate the mail by SPF.',
  whatToDo:
    'Check that the return path of the domain points to this installation, and that the SPF record of the installation contains the sending address.',
  check: SPF,
}
const NO_TLS: CatalogueEntry = {
  meaning: 'Gmail demands an encrypted connection, and the mail came without TLS.',
  whatToDo:
    'Ask the operator why connections to Gmail are not encrypted; a firewall that removes STARTTLS is a frequent cause.',
}
const NO_DKIM: CatalogueEntry = {
  meaning: 'Gmail could not verify the DKIM signature of the mail.',
  whatToDo:
    'Check that the DKIM records of the domain are published as shown, and that no relay changes the mail after signing.',
  check: DKIM,
}
const NO_DMARC: CatalogueEntry = {
  meaning: 'Gmail finds no DMARC record, or no policy in the record.',
  whatToDo: 'Publish the DMARC record of the domain page; the policy none is enough.',
  check: DMARC,
}
const NOT_ALIGNED: CatalogueEntry = {
  meaning: 'The domain of the From field agrees neither with the signature nor with the return path.',
  whatToDo:
    'Send with a From address of the domain of the key or credential, and check its DKIM and return path records.',
  check: DKIM,
}
const MICROSOFT_BLOCK: CatalogueEntry = {
  meaning: 'Microsoft blocks the network of the sending address.',
  whatToDo:
    'Let the operator look up the address at sendersupport.olc.protection.outlook.com, and ask there for the removal of the block.',
  check: ADDRESS,
}
const MICROSOFT_RATE: CatalogueEntry = {
  meaning: 'Microsoft accepts less mail of the sending address, because of the reputation of the address.',
  whatToDo:
    'Send less for some days, only to recipients who opted in and read your mail, and remove addresses that bounce.',
}
const MICROSOFT_POLICY: CatalogueEntry = {
  meaning:
    'A policy of Microsoft refuses the mail, because of the content, the kind of address or a block list.',
  whatToDo:
    'Let the operator check the sending address on block lists and in Smart Network Data Services of Microsoft.',
  check: ADDRESS,
}
const YAHOO_BLOCK: CatalogueEntry = {
  meaning:
    'Yahoo refuses the mail for good, because of its content, or because a block list names the sending address.',
  whatToDo:
    'Let the operator check the address on block lists. Compare the mail with the mail of the days before, and change links and content that are new.',
  check: ADDRESS,
}
const APPLE: CatalogueEntry = {
  meaning: 'A local policy of Apple refuses the mail.',
  whatToDo:
    'Check authentication and content of the mail. Let the operator write to icloudadmin@apple.com with the reply if the refusals last.',
  check: DKIM,
}

/** Codes of Gmail by their last two parts: the class is 4 for a deferral and 5 for a refusal. */
const GMAIL: Readonly<Record<string, CatalogueEntry>> = {
  '7.23': PTR,
  '7.25': PTR,
  '7.26': {
    meaning: 'Gmail could authenticate the mail neither by SPF nor by DKIM.',
    whatToDo: 'Check the DKIM records and the return path record of the domain.',
    check: DKIM,
  },
  '7.27': NO_SPF,
  '7.28': {
    meaning:
      'Gmail has noticed an unusual rate of mail from the address, network or domain, and accepts less for a while.',
    whatToDo:
      'Send the mail over a longer time, and look for a stream that sends more than usual. The deferred mail is sent again by itself.',
  },
  '7.29': NO_TLS,
  '7.30': NO_DKIM,
  '7.31': NO_DMARC,
  '7.32': NOT_ALIGNED,
  '7.40': NO_DMARC,
}

const MICROSOFT: Readonly<Record<string, CatalogueEntry>> = {
  '5.7.515': {
    meaning:
      'Microsoft demands SPF, DKIM and DMARC of senders of much mail, and the mail does not have all of them.',
    whatToDo: 'Check the DKIM, return path and DMARC records of the domain.',
    check: DMARC,
  },
  S3140: MICROSOFT_BLOCK,
  S3150: MICROSOFT_BLOCK,
  S775: MICROSOFT_RATE,
  'RP-001': MICROSOFT_RATE,
  'RP-002': MICROSOFT_RATE,
  'RP-003': MICROSOFT_RATE,
  'SC-001': MICROSOFT_POLICY,
  'DY-001': MICROSOFT_POLICY,
  'OU-001': MICROSOFT_POLICY,
}

const YAHOO: Readonly<Record<string, CatalogueEntry>> = {
  TSS04: {
    meaning:
      'Yahoo defers mail of the sending address for some hours, because of unusual traffic or complaints of recipients.',
    whatToDo:
      'Send less to Yahoo until the deferrals end. Look for a stream that has begun to send more, or to people who did not ask for the mail; make unsubscribing easy. The deferred mail is sent again by itself.',
  },
  TSS05: YAHOO_BLOCK,
  TS03: YAHOO_BLOCK,
  PH01: YAHOO_BLOCK,
  BL23: YAHOO_BLOCK,
}

const APPLE_CODES: Readonly<Record<string, CatalogueEntry>> = { CS01: APPLE, HM08: APPLE }

/** Codes by the name of the provider. */
const BY_PROVIDER: Readonly<Record<string, Readonly<Record<string, CatalogueEntry>>>> = {
  Gmail: GMAIL,
  'Google Workspace': GMAIL,
  'Outlook.com': MICROSOFT,
  'Microsoft 365': MICROSOFT,
  Yahoo: YAHOO,
  AOL: YAHOO,
  iCloud: APPLE_CODES,
}

const TRANSPORT: CatalogueEntry = {
  meaning: 'The mail hosts cannot be reached, or end the dialog without a reply.',
  whatToDo: 'Ask the operator to check the network of the sending address. The mail is sent again by itself.',
  check: ADDRESS,
}

/** Meaning and advice for every cause, for codes without an entry. */
const BY_CAUSE: Readonly<Record<IncidentCause, CatalogueEntry>> = {
  list_quality: {
    meaning:
      'Many recipients do not exist. A list of old, bought or guessed addresses is the usual cause, or a form without a check.',
    whatToDo:
      'Stop the sending that the scope names, verify its addresses, and remove those that bounced. Receivers block senders whose mail goes to addresses that do not exist.',
  },
  alignment: {
    meaning: 'Receivers report that mail of the domain is not authenticated.',
    whatToDo:
      'Check the DKIM and return path records of the domain, and the services that send with its name.',
    check: DKIM,
  },
  listing: {
    meaning:
      'A block list names an address or a domain of yours, and receivers that ask the list refuse the mail.',
    whatToDo:
      'Find the cause of the entry first, then ask the list for removal on the page that the list names.',
    check: ADDRESS,
  },
  requirement: {
    meaning: 'A requirement of the receiver for senders of mail is not met.',
    whatToDo: 'Meet the requirement that the evidence names; receivers refuse more mail with time.',
    check: DMARC,
  },
  rate_limited: {
    meaning: 'The receiver accepts less mail than is sent, and defers the rest.',
    whatToDo:
      'Look for a stream that sends more than usual, and spread its mail over a longer time. The deferred mail is sent again by itself.',
  },
  blocked: {
    meaning: 'The receiver refuses the sending address or the domain because of its reputation.',
    whatToDo:
      'Let the operator check the sending address on block lists. Pause mail that recipients did not ask for, and ask the receiver for the removal of the block as its reply says.',
    check: ADDRESS,
  },
  policy: {
    meaning: 'A rule of the receiver refuses the mail.',
    whatToDo:
      'Read the reply of the example: the reply names the rule. Check the authentication of the domain.',
    check: DKIM,
  },
  content: {
    meaning: 'A filter of the receiver refuses the content of the mail.',
    whatToDo:
      'Compare the mail with the mail before the incident: new links, attachments and templates are the usual cause.',
  },
  size: {
    meaning: 'The mail is larger than the receiver accepts.',
    whatToDo: 'Send links in place of large attachments.',
  },
  auth: {
    meaning: 'The receiver could not authenticate the mail.',
    whatToDo: 'Check the DKIM, return path and DMARC records of the domain.',
    check: DKIM,
  },
  network: TRANSPORT,
  dns: {
    meaning: 'The mail hosts of the recipients cannot be found in DNS.',
    whatToDo:
      'Ask the operator to check the DNS resolver of this installation. The mail is sent again by itself.',
  },
  tls: {
    meaning: 'The encryption that the receiver or the message demands is not possible.',
    whatToDo:
      'Read the dialog of the example. A certificate of the receiver that has ended is the usual cause; the mail is sent again by itself.',
  },
  protocol: {
    meaning: 'The mail hosts break the rules of SMTP, or refuse a command.',
    whatToDo: 'Read the dialog of the example, and tell the receiver or the operator.',
  },
  expired: {
    meaning: 'Deferred mail could not be delivered before its retries ended.',
    whatToDo: 'Read the reply of the example: the reply names the cause of the deferrals.',
  },
  mailbox_not_found: {
    meaning: 'Many recipients do not exist.',
    whatToDo: 'Verify the addresses of the list, and remove those that bounced.',
  },
  mailbox_disabled: {
    meaning: 'Many mailboxes of the recipients are disabled.',
    whatToDo: 'Remove the addresses that bounced.',
  },
  mailbox_full: {
    meaning: 'Many mailboxes of the recipients are full.',
    whatToDo: 'Remove addresses whose mailbox stays full.',
  },
  domain_invalid: {
    meaning: 'Many domains of the recipients accept no mail.',
    whatToDo: 'Verify the addresses of the list, and remove those that bounced.',
  },
  other: {
    meaning: 'The receiver refuses or defers the mail.',
    whatToDo: 'Read the reply and the dialog of the example.',
  },
}

/** Returns the entry about an incident: by provider and code, otherwise by cause. */
export function entryOf({
  cause,
  provider,
  code,
}: {
  readonly cause: IncidentCause
  readonly provider: string | null
  readonly code: string | null
}): CatalogueEntry {
  const codes = BY_PROVIDER[provider ?? '']
  const found = code === null ? undefined : (codes?.[code] ?? codes?.[code.replace(/^[45]\./, '')])
  return found ?? BY_CAUSE[cause]
}

const MAX_CODES = 5

interface Found {
  readonly domainId: string
  readonly cause: IncidentCause
  readonly provider: string | null
  readonly code: string | null
  readonly figures: FailureFigures
}

/** Returns the evidence of an incident, the replies first. */
export function evidenceOf({ domainId, cause, provider, code, figures }: Found): IncidentEvidence[] {
  const { attempts, failed, codes } = figures
  const counted = codes.slice(0, MAX_CODES).map(([name, count]) => `${name} (${count})`)
  const text = `${failed} of ${attempts} attempts failed${counted.length === 0 ? '' : `: ${counted.join(', ')}`}`
  const { check } = entryOf({ cause, provider, code })
  const messages = `/domains/${domainId}/messages`
  return [
    { kind: 'replies', text, link: messages },
    ...(check === undefined ? [] : [{ kind: 'check', text: check.text, link: check.link(domainId) }]),
  ]
}
