// Meaning and advice of incidents by the name of the sentences in the catalogue, src/model/incident-catalogue.ts.

import type { Texts } from '../texts.ts'

export const incidentCauses = {
  gmail_ptr: {
    meaning:
      'Gmail finds no reverse DNS entry of the sending address, or the entry does not lead back to the address.',
    whatToDo:
      'Let the operator publish a PTR record for the address, and an A or AAAA record that leads back to it.',
  },
  gmail_spf: {
    meaning: 'Gmail could not authenticate the mail by SPF.',
    whatToDo:
      'Check that the return path of the domain points to this installation, and that the SPF record of the installation contains the sending address.',
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
  },
  gmail_dmarc: {
    meaning: 'Gmail finds no DMARC record, or no policy in the record.',
    whatToDo: 'Publish the DMARC record of the domain page; the policy none is enough.',
  },
  gmail_alignment: {
    meaning: 'The domain of the From field agrees neither with the signature nor with the return path.',
    whatToDo:
      'Send with a From address of the domain of the key or credential, and check its DKIM and return path records.',
  },
  gmail_unauthenticated: {
    meaning: 'Gmail could authenticate the mail neither by SPF nor by DKIM.',
    whatToDo: 'Check the DKIM records and the return path record of the domain.',
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
  },
  microsoft_authentication: {
    meaning:
      'Microsoft demands SPF, DKIM and DMARC of senders of much mail, and the mail does not have all of them.',
    whatToDo: 'Check the DKIM, return path and DMARC records of the domain.',
  },
  yahoo_block: {
    meaning:
      'Yahoo refuses the mail for good, because of its content, or because a block list names the sending address.',
    whatToDo:
      'Let the operator check the address on block lists. Compare the mail with the mail of the days before, and change links and content that are new.',
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
  },
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
  },
  alignment_ours_dkim: {
    meaning: 'Receivers report that DKIM of mail of this service is no longer aligned with the From address.',
    whatToDo:
      'Compare the DKIM records in the DNS with the records that the domain page shows, and verify the domain.',
  },
  alignment_ours_spf: {
    meaning: 'Receivers report that SPF of mail of this service is no longer aligned with the From address.',
    whatToDo:
      'Check that the return-path record of the domain points to this service, and that the SPF record of the return-path host names the address.',
  },
  alignment_ours_dmarc: {
    meaning:
      'Receivers report that neither DKIM nor SPF of mail of this service is aligned with the From address.',
    whatToDo: 'Check the DKIM and return-path records of the domain; receivers can refuse the mail.',
  },
  alignment_known_dkim: {
    meaning: 'Receivers report that DKIM of mail from {source} is no longer aligned with the From address.',
    whatToDo:
      'Set up DKIM with your own domain at {source}, so that its signature is aligned with the From address.',
  },
  alignment_known_spf: {
    meaning: 'Receivers report that SPF of mail from {source} is no longer aligned with the From address.',
    whatToDo:
      'Set up DKIM with your own domain at {source}, so that its signature is aligned with the From address.',
  },
  alignment_known_dmarc: {
    meaning:
      'Receivers report that neither DKIM nor SPF of mail from {source} is aligned with the From address.',
    whatToDo:
      'Set up DKIM with your own domain at {source}, so that its signature is aligned with the From address.',
  },
  listing: {
    meaning:
      'A block list names an address or a domain of yours, and receivers that ask the list refuse the mail.',
    whatToDo:
      'Find the cause of the entry first, then ask the list for removal on the page that the list names.',
  },
  listing_other: {
    meaning: '{zone} names {subject}. Receivers that ask the list may refuse the mail.',
    whatToDo:
      'Find and fix the cause first, such as a compromised account or an old list of recipients; then request the removal: {page}',
  },
  listing_large: {
    meaning: '{zone} names {subject}. Large receivers refuse the mail.',
    whatToDo:
      'Find and fix the cause first, such as a compromised account or an old list of recipients; then request the removal: {page}',
  },
  listing_small: {
    meaning: '{zone} names {subject}. Many small receivers refuse the mail.',
    whatToDo:
      'Find and fix the cause first, such as a compromised account or an old list of recipients; then request the removal: {page}',
  },
  listing_policy: {
    meaning:
      '{zone} names {subject}, because the provider of the address declares that the address sends no mail. Many receivers refuse mail from such addresses.',
    whatToDo: 'The owner of the address can remove the address within minutes: {page}',
  },
  requirement: {
    meaning: 'A requirement of the receiver for senders of mail is not met.',
    whatToDo: 'Meet the requirement that the evidence names; receivers refuse more mail with time.',
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
  },
  policy: {
    meaning: 'A rule of the receiver refuses the mail.',
    whatToDo:
      'Read the reply of the example: the reply names the rule. Check the authentication of the domain.',
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
  },
  network: {
    meaning: 'The mail hosts cannot be reached, or end the dialog without a reply.',
    whatToDo:
      'Ask the operator to check the network of the sending address. The mail is sent again by itself.',
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
} as const satisfies Texts
