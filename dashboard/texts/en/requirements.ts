// Texts of the page with the requirements of large receivers.

import type { Texts } from '../texts.ts'

export const requirements = {
  title: 'Requirements of receivers',
  intro: 'What Gmail, Yahoo and Outlook.com require of bulk senders. DNS checks are repeated every hour.',
  back: 'DNS records',
  noMail: 'No mail delivered yet.',
  highest: 'Most messages in a day: {count}, on {day}.',
  threshold: 'From {count} a day, the requirements of bulk senders apply.',
  bulkSince: 'Bulk sender since {day}.',
  since: 'since {time}',
  ofLimit: '{measured} (limit {limit})',
  met: {
    one_click: 'Every broadcast message has the List-Unsubscribe-Post field',
    list_unsubscribe_honoured: 'Nobody got mail later than two days after unsubscribing',
    message_format: 'The service composes or mends every message',
  },
  noSource: 'No source yet',
  statuses: { met: 'Met', not_met: 'Not met', not_known: 'Not known' },
  sources: {
    own: 'From your own mail',
    dns: 'From the DNS',
    report: 'From reports of the receiver',
    postmaster: 'From Google Postmaster Tools',
  },
  of: {
    spf: {
      name: 'SPF',
      remedy:
        'Publish the Return-Path record of the domain. The operator publishes the SPF record with all addresses.',
    },
    dkim: {
      name: 'DKIM',
      remedy:
        'Publish the DKIM record that the page DNS records shows. If the record is found there, the page of authentication and reports names the sources whose signatures fail.',
    },
    dmarc: {
      name: 'DMARC',
      remedy: 'Publish the DMARC record that the page DNS records shows; p=none is enough.',
    },
    alignment: {
      name: 'From address aligned with SPF or DKIM',
      remedy: 'Publish the DKIM record, so that the signature belongs to the From domain.',
    },
    ptr: {
      name: 'Reverse DNS of the sending addresses',
      remedy:
        'The provider of the address has to set a PTR record that resolves to the address; ask the operator.',
    },
    tls: {
      name: 'Encrypted connections',
      remedy: 'Read the SMTP dialogs of messages that were sent without TLS.',
    },
    complaint_share: {
      name: 'Share of complaints',
      remedy:
        'Send only to recipients who opted in, and make unsubscribing easy. Google Postmaster Tools and complaint loops tell the share.',
    },
    one_click: {
      name: 'One-click unsubscribing of broadcast mail',
      remedy: 'Let the service add the List-Unsubscribe fields, or add List-Unsubscribe-Post yourself.',
    },
    list_unsubscribe_honoured: {
      name: 'Unsubscribing takes effect within two days',
      remedy: 'Do not remove suppressions of recipients who have unsubscribed.',
    },
    message_format: {
      name: 'Messages in the standard format',
      remedy: 'Send messages with one From, Date and Message-ID field (RFC 5322).',
    },
    from_header: {
      name: 'From address that accepts replies',
      remedy: 'Give the From domain a mail host (MX) that accepts replies.',
    },
  },
} as const satisfies Texts
