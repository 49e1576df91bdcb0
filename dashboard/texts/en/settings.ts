// Texts of the settings of a domain.

import type { Texts } from '../texts.ts'

export const settings = {
  title: 'Settings',
  status: 'Status',
  records: 'DNS records',
  domainId: 'Domain ID',
  added: 'Added',
  verified: 'Verified',
  apiUrl: 'API base URL',
  credentials: 'Credentials',
  keys: 'API keys',
  smtp: 'SMTP credentials',
  tracking: 'Tracking',
  trackingHint:
    'Opens and clicks of HTML messages are recorded as events. Streams and messages can override this.',
  opens: 'Track opens',
  opensHint:
    'An invisible image shows that a message was opened. Many programs load it automatically, or never.',
  clicks: 'Track clicks',
  clicksHint: 'Links go to their targets through a host name of your domain.',
  record: 'DNS record',
  trackingHost: 'the tracking host',
  recordMissing: 'Nothing is tracked at the moment: the {record} of {host} is missing.',
  recordNeeded: 'Tracking needs the {record} of {host} first.',
  complaints: 'Complaints',
  complaintAddress: 'Address for complaints',
  complaintAddressHint:
    'A message that is signed for one recipient has the field CFBL-Address, so that a complaint that returns only the header finds its recipient.',
  inboundTls: 'TLS of inbound mail',
  inboundTlsHint:
    'A policy (MTA-STS) tells senders to deliver mail for your inbound streams only over verified TLS. Start with testing, and enforce after two weeks without failures in the TLS reports.',
  inboundTlsMode: 'Mode',
  modes: { off: 'Off', testing: 'Testing', enforce: 'Enforce', none: 'Withdraw' },
  modesMean: {
    off: 'No policy. Mail arrives with or without TLS.',
    testing: 'Senders deliver in any case, and report failures.',
    enforce: 'Senders deliver only over verified TLS.',
    none: 'Senders forget the policy. Turn it off after a week, or before mail goes elsewhere.',
  },
  modeSince: 'Since {time}.',
  policyRecords: 'Senders do not find the present policy yet: check the {records}.',
  retention: 'Retention',
  retentionHint:
    'How long messages of this domain are kept, counted from their submission. Streams can set a shorter time.',
  kept: {
    content_retention_days: {
      name: 'Contents, in days',
      about: 'HTML, text and attachments. Without them a message cannot be resent.',
    },
    transcript_retention_days: {
      name: 'SMTP dialogs, in days',
      about: 'The commands and replies of each attempt.',
    },
    record_retention_days: {
      name: 'Messages, in days',
      about: 'Recipients, attempts and events. Contents and dialogs are removed with them.',
    },
  },
  asInstallation: '{days} (default)',
  emptyHint: 'Empty for the default of the installation. A shorter retention removes older data permanently.',
  daysOrEmpty: '1 to {most} days, or empty.',
  saveRetention: 'Save retention',
  saved: 'Retention saved. Older data is removed within the next hours.',
} as const satisfies Texts
