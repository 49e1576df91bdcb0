// The sentences about incidents: a catalogue by provider and code, by cause for all other codes, and by name for incidents
// that other sources than replies report. Values stand in place of `{name}`.

import type {
  EvidenceWording,
  IncidentCause,
  IncidentEvidence,
  IncidentValues,
  IncidentWords,
  ReportedCause,
} from './incident.ts'

/** Meaning and advice of an incident, in sentences for people. */
interface CatalogueEntry {
  readonly meaning: string
  readonly whatToDo: string
  /** The check that proves the cause. */
  readonly check?: EvidenceWording & `check_${string}`
}

const SPF = 'check_spf'
const DKIM = 'check_dkim'
const DMARC = 'check_dmarc'
const ADDRESS = 'check_address'

const REMOVE =
  'Find and fix the cause first, such as a compromised account or an old list of recipients; then request the removal: {page}'
const ALIGN_KNOWN =
  'Set up DKIM with your own domain at {source}, so that its signature is aligned with the From address.'

/** Sentences about causes that the replies of one provider name. */
const OF_PROVIDERS = {
  gmail_ptr: {
    meaning:
      'Gmail finds no reverse DNS entry of the sending address, or the entry does not lead back to the address.',
    whatToDo:
      'Let the operator publish a PTR record for the address, and an A or AAAA record that leads back to it.',
    check: ADDRESS,
  },
  gmail_spf: {
    meaning: 'Gmail could not authenticate the mail by SPF.',
    whatToDo:
      'Check that the return path of the domain points to this installation, and that the SPF record of the installation contains the sending address.',
    check: SPF,
  },
  gmail_tls: {
    meaning: 'Gmail demands an encrypted connection, and the mail came without TLS.',
    whatToDo:
      'Ask the operator why connections to Gmail are not encrypted; a firewall that removes STARTTLS is a frequent cause.',
  },
  gmail_dkim: {
    meaning: 'Gmail could not verify the DKIM signature of the mail.',
    whatToDo:
      'Check that the DKIM records of the domain are published as shown, and that no relay changes the mail after signing.',
    check: DKIM,
  },
  gmail_dmarc: {
    meaning: 'Gmail finds no DMARC record, or no policy in the record.',
    whatToDo: 'Publish the DMARC record of the domain page; the policy none is enough.',
    check: DMARC,
  },
  gmail_alignment: {
    meaning: 'The domain of the From field agrees neither with the signature nor with the return path.',
    whatToDo:
      'Send with a From address of the domain of the key or credential, and check its DKIM and return path records.',
    check: DKIM,
  },
  gmail_unauthenticated: {
    meaning: 'Gmail could authenticate the mail neither by SPF nor by DKIM.',
    whatToDo: 'Check the DKIM records and the return path record of the domain.',
    check: DKIM,
  },
  gmail_rate: {
    meaning:
      'Gmail has noticed an unusual rate of mail from the address, network or domain, and accepts less for a while.',
    whatToDo:
      'Send the mail over a longer time, and look for a stream that sends more than usual. The deferred mail is sent again by itself.',
  },
  microsoft_block: {
    meaning: 'Microsoft blocks the network of the sending address.',
    whatToDo:
      'Let the operator look up the address at sendersupport.olc.protection.outlook.com, and ask there for the removal of the block.',
    check: ADDRESS,
  },
  microsoft_rate: {
    meaning: 'Microsoft accepts less mail of the sending address, because of the reputation of the address.',
    whatToDo:
      'Send less for some days, only to recipients who opted in and read your mail, and remove addresses that bounce.',
  },
  microsoft_policy: {
    meaning:
      'A policy of Microsoft refuses the mail, because of the content, the kind of address or a block list.',
    whatToDo:
      'Let the operator check the sending address on block lists and in Smart Network Data Services of Microsoft.',
    check: ADDRESS,
  },
  microsoft_authentication: {
    meaning:
      'Microsoft demands SPF, DKIM and DMARC of senders of much mail, and the mail does not have all of them.',
    whatToDo: 'Check the DKIM, return path and DMARC records of the domain.',
    check: DMARC,
  },
  yahoo_block: {
    meaning:
      'Yahoo refuses the mail for good, because of its content, or because a block list names the sending address.',
    whatToDo:
      'Let the operator check the address on block lists. Compare the mail with the mail of the days before, and change links and content that are new.',
    check: ADDRESS,
  },
  yahoo_deferral: {
    meaning:
      'Yahoo defers mail of the sending address for some hours, because of unusual traffic or complaints of recipients.',
    whatToDo:
      'Send less to Yahoo until the deferrals end. Look for a stream that has begun to send more, or to people who did not ask for the mail; make unsubscribing easy. The deferred mail is sent again by itself.',
  },
  apple_policy: {
    meaning: 'A local policy of Apple refuses the mail.',
    whatToDo:
      'Check authentication and content of the mail. Let the operator write to icloudadmin@apple.com with the reply if the refusals last.',
    check: DKIM,
  },
} as const satisfies Record<string, CatalogueEntry>

type ProviderCause = keyof typeof OF_PROVIDERS

/** Sentences about every cause, for codes without an entry, and about causes that other sources report. */
const OF_CAUSES: Readonly<Record<IncidentCause | ReportedCause, CatalogueEntry>> = {
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
  alignment_ours_dkim: {
    meaning: 'Receivers report that DKIM of mail of this service is no longer aligned with the From address.',
    whatToDo:
      'Compare the DKIM records in the DNS with the records that the domain page shows, and verify the domain.',
    check: DKIM,
  },
  alignment_ours_spf: {
    meaning: 'Receivers report that SPF of mail of this service is no longer aligned with the From address.',
    whatToDo:
      'Check that the return-path record of the domain points to this service, and that the SPF record of the return-path host names the address.',
    check: SPF,
  },
  alignment_ours_dmarc: {
    meaning:
      'Receivers report that neither DKIM nor SPF of mail of this service is aligned with the From address.',
    whatToDo: 'Check the DKIM and return-path records of the domain; receivers can refuse the mail.',
    check: DKIM,
  },
  alignment_known_dkim: {
    meaning: 'Receivers report that DKIM of mail from {source} is no longer aligned with the From address.',
    whatToDo: ALIGN_KNOWN,
    check: DKIM,
  },
  alignment_known_spf: {
    meaning: 'Receivers report that SPF of mail from {source} is no longer aligned with the From address.',
    whatToDo: ALIGN_KNOWN,
    check: SPF,
  },
  alignment_known_dmarc: {
    meaning:
      'Receivers report that neither DKIM nor SPF of mail from {source} is aligned with the From address.',
    whatToDo: ALIGN_KNOWN,
    check: DKIM,
  },
  listing: {
    meaning:
      'A block list names an address or a domain of yours, and receivers that ask the list refuse the mail.',
    whatToDo:
      'Find the cause of the entry first, then ask the list for removal on the page that the list names.',
    check: ADDRESS,
  },
  listing_other: {
    meaning: '{zone} names {subject}. Receivers that ask the list may refuse the mail.',
    whatToDo: REMOVE,
    check: ADDRESS,
  },
  listing_large: {
    meaning: '{zone} names {subject}. Large receivers refuse the mail.',
    whatToDo: REMOVE,
    check: ADDRESS,
  },
  listing_small: {
    meaning: '{zone} names {subject}. Many small receivers refuse the mail.',
    whatToDo: REMOVE,
    check: ADDRESS,
  },
  listing_policy: {
    meaning:
      '{zone} names {subject}, because the provider of the address declares that the address sends no mail. Many receivers refuse mail from such addresses.',
    whatToDo: 'The owner of the address can remove the address within minutes: {page}',
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
  network: {
    meaning: 'The mail hosts cannot be reached, or end the dialog without a reply.',
    whatToDo:
      'Ask the operator to check the network of the sending address. The mail is sent again by itself.',
    check: ADDRESS,
  },
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

/** All sentences about incidents by name. */
export const CATALOGUE: Readonly<Record<ProviderCause | IncidentCause | ReportedCause, CatalogueEntry>> = {
  ...OF_PROVIDERS,
  ...OF_CAUSES,
}

/** Sentences about the facts that support an incident, by name. */
export const EVIDENCE: Readonly<Record<EvidenceWording, string>> = {
  replies: '{failed} of {attempts} attempts failed: {codes}',
  report: 'Since {since}, {failed} of {messages} messages from {addresses}, as reported by {receivers}.',
  listing: '{subject} in {zone}: {answer}',
  check_spf: 'SPF of the return path, on the page of DNS records',
  check_dkim: 'DKIM records, on the page of DNS records',
  check_dmarc: 'DMARC record, on the page of DNS records',
  check_address: 'forward and reverse DNS of the sending addresses, in the health check of the operator',
}

/** Codes of Gmail by their last two parts: the class is 4 for a deferral and 5 for a refusal. */
const GMAIL: Readonly<Record<string, ProviderCause>> = {
  '7.23': 'gmail_ptr',
  '7.25': 'gmail_ptr',
  '7.26': 'gmail_unauthenticated',
  '7.27': 'gmail_spf',
  '7.28': 'gmail_rate',
  '7.29': 'gmail_tls',
  '7.30': 'gmail_dkim',
  '7.31': 'gmail_dmarc',
  '7.32': 'gmail_alignment',
  '7.40': 'gmail_dmarc',
}

const MICROSOFT: Readonly<Record<string, ProviderCause>> = {
  '5.7.515': 'microsoft_authentication',
  S3140: 'microsoft_block',
  S3150: 'microsoft_block',
  S775: 'microsoft_rate',
  'RP-001': 'microsoft_rate',
  'RP-002': 'microsoft_rate',
  'RP-003': 'microsoft_rate',
  'SC-001': 'microsoft_policy',
  'DY-001': 'microsoft_policy',
  'OU-001': 'microsoft_policy',
}

const YAHOO: Readonly<Record<string, ProviderCause>> = {
  TSS04: 'yahoo_deferral',
  TSS05: 'yahoo_block',
  TS03: 'yahoo_block',
  PH01: 'yahoo_block',
  BL23: 'yahoo_block',
}

const APPLE: Readonly<Record<string, ProviderCause>> = { CS01: 'apple_policy', HM08: 'apple_policy' }

/** Codes by the name of the provider. */
const BY_PROVIDER: Readonly<Record<string, Readonly<Record<string, ProviderCause>>>> = {
  Gmail: GMAIL,
  'Google Workspace': GMAIL,
  'Outlook.com': MICROSOFT,
  'Microsoft 365': MICROSOFT,
  Yahoo: YAHOO,
  AOL: YAHOO,
  iCloud: APPLE,
}

/** The facts that choose the sentences about an incident. */
interface Described {
  readonly cause: IncidentCause
  readonly provider: string | null
  readonly code: string | null
  /** Sentences of the part that opened the incident; null for those of its provider, code and cause. */
  readonly words: IncidentWords | null
}

/** Meaning and advice of an incident, with the name of the sentences and the values in them. */
interface IncidentSentences {
  readonly wording: keyof typeof CATALOGUE
  readonly values: IncidentValues
  readonly meaning: string
  readonly whatToDo: string
}

/** Returns the sentences about an incident: those it names, or those of its provider and code, or of its cause. */
export function sentencesOf({ cause, provider, code, words }: Described): IncidentSentences {
  const { wording, values } = words ?? { wording: wordingOf(cause, provider, code), values: {} }
  const { meaning, whatToDo } = CATALOGUE[wording]
  return { wording, values, meaning: filled(meaning, values), whatToDo: filled(whatToDo, values) }
}

/** Returns the name of the sentences about a cause that replies name. */
export function wordingOf(
  cause: IncidentCause,
  provider: string | null,
  code: string | null,
): ProviderCause | IncidentCause {
  const codes = BY_PROVIDER[provider ?? '']
  const found = code === null ? undefined : (codes?.[code] ?? codes?.[code.replace(/^[45]\./, '')])
  return found ?? cause
}

/** Returns the sentence about a fact. */
export const evidenceText = ({ wording, values }: Omit<IncidentEvidence, 'link'>): string =>
  filled(EVIDENCE[wording], values)

const filled = (text: string, values: IncidentValues): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
