// Delivery reports as RFC 3464 has them, in the manner of many mail systems; written for these tests. Long because each
// is a whole mail.

import type { BounceCategory } from '../model/bounce-category.ts'
import type { Action } from './report.ts'
import { ORIGINAL, plainMail, reportMail } from './sample-mail.test-data.ts'

/** A mail, and what is to be read from it. */
export interface DeliverySample {
  readonly name: string
  readonly mail: Buffer
  readonly form: string
  readonly action: Action
  /** The address that is named first; absent when none is. */
  readonly to?: string
  readonly status?: string
  /** Expected meaning for the recipient when it failed. */
  readonly category?: BounceCategory
  readonly hard?: boolean
  /** The reply code that was quoted. */
  readonly code?: number
}

const rfc = (sample: Omit<DeliverySample, 'form'>): DeliverySample => ({ form: 'rfc3464', ...sample })

export const RFC3464_SAMPLES: readonly DeliverySample[] = [
  rfc({
    name: 'Postfix: unknown user at RCPT',
    mail: reportMail({
      from: 'MAILER-DAEMON@mx.receiver.example (Mail Delivery System)',
      subject: 'Undelivered Mail Returned to Sender',
      fields: 'Auto-Submitted: auto-replied',
      text: `This is the mail system at host mx.receiver.example.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients. It's attached below.

<jo@receiver.example>: host inner.receiver.example[192.0.2.1] said: 550 5.1.1
    <jo@receiver.example>: Recipient address rejected: User unknown in virtual
    mailbox table (in reply to RCPT TO command)`,
      report: `Reporting-MTA: dns; mx.receiver.example
X-Postfix-Queue-ID: 4ABCDEF
X-Postfix-Sender: rfc822; bounces+token@bounces.shop.example
Arrival-Date: Thu,  1 Jan 2026 00:00:01 +0000 (UTC)

Final-Recipient: rfc822; jo@receiver.example
Original-Recipient: rfc822;jo@receiver.example
Action: failed
Status: 5.1.1
Remote-MTA: dns; inner.receiver.example
Diagnostic-Code: smtp; 550 5.1.1 <jo@receiver.example>: Recipient address
    rejected: User unknown in virtual mailbox table
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  }),
  rfc({
    name: 'Postfix: given up after five days',
    mail: reportMail({
      from: 'Mail Delivery System <MAILER-DAEMON@relay.receiver.example>',
      subject: 'Undelivered Mail Returned to Sender',
      text: '<jo@receiver.example>: connect to inner.receiver.example[192.0.2.1]:25: Connection timed out',
      report: `Reporting-MTA: dns; relay.receiver.example

Final-Recipient: rfc822; jo@receiver.example
Action: failed
Status: 4.4.1
Diagnostic-Code: X-Postfix; connect to inner.receiver.example[192.0.2.1]:25:
    Connection timed out
`,
      headersOnly: true,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '4.4.1',
    category: 'network',
    hard: false,
  }),
  rfc({
    name: 'Postfix: a warning',
    mail: reportMail({
      from: 'MAILER-DAEMON@mx.receiver.example (Mail Delivery System)',
      subject: 'Delayed Mail (still being retried)',
      text: `####################################################################
# THIS IS A WARNING ONLY.  YOU DO NOT NEED TO RESEND YOUR MESSAGE. #
####################################################################`,
      report: `Reporting-MTA: dns; mx.receiver.example

Final-Recipient: rfc822; jo@receiver.example
Action: delayed
Status: 4.2.2
Diagnostic-Code: smtp; 452 4.2.2 mailbox full
Will-Retry-Until: Tue,  6 Jan 2026 00:00:01 +0000 (UTC)
`,
    }),
    action: 'delayed',
    to: 'jo@receiver.example',
    status: '4.2.2',
  }),
  rfc({
    name: 'Gmail: no such user',
    mail: reportMail({
      from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
      subject: 'Delivery Status Notification (Failure)',
      fields: 'Auto-Submitted: auto-replied\nX-Failed-Recipients: jo@receiver.example',
      text: `
** Address not found **

Your message wasn't delivered to jo@receiver.example because the address couldn't be found, or is unable to receive mail.

The response was:

550 5.1.1 The email account that you tried to reach does not exist.`,
      report: `Reporting-MTA: dns; googlemail.com
Arrival-Date: Thu, 01 Jan 2026 00:00:01 -0800 (PST)
X-Original-Message-ID: <01KABCDEFGHJKMNPQRSTVWXYZ0@shop.example>

Final-Recipient: rfc822; jo@receiver.example
Action: failed
Status: 5.1.1
Remote-MTA: dns; gmail-smtp-in.l.google.com. (192.0.2.5, the server for the domain receiver.example.)
Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist. Please try
 550-5.1.1 double-checking the recipient's email address for typos or
 550 5.1.1 unnecessary spaces. - gsmtp
Last-Attempt-Date: Thu, 01 Jan 2026 00:00:02 -0800 (PST)
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  }),
  rfc({
    name: 'Gmail: forwarding to a host that cannot be reached',
    mail: reportMail({
      from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
      subject: 'Delivery Status Notification (Failure)',
      text: '** Message not delivered **',
      report: `Reporting-MTA: dns; googlemail.com

Final-Recipient: rfc822; jo@elsewhere.example
Action: failed
Status: 4.4.1
Diagnostic-Code: smtp; The recipient server did not accept our requests to connect. [elsewhere.example 192.0.2.9: timed out]
`,
    }),
    action: 'failed',
    to: 'jo@elsewhere.example',
    status: '4.4.1',
    category: 'network',
    hard: false,
  }),
  rfc({
    name: 'Exchange Online: no such recipient',
    mail: reportMail({
      from: 'Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@receiver.example>',
      subject: 'Undeliverable: Your order',
      fields: 'Auto-Submitted: auto-replied\nX-MS-Exchange-Message-Is-Ndr:',
      textType: 'text/html; charset="utf-8"',
      text: "<html><body><p>Your message to <b>jo@receiver.example</b> couldn't be delivered.</p></body></html>",
      report: `Reporting-MTA: dns;AM0PR01MB0001.eurprd01.prod.exchangelabs.com
Received-From-MTA: dns;mail.shop.example
Arrival-Date: Thu, 1 Jan 2026 00:00:01 +0000

Final-Recipient: rfc822;jo@receiver.example
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient jo@receiver.example not found by SMTP address lookup
X-Display-Name: jo@receiver.example
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.10',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  }),
  rfc({
    name: 'Exchange Online: mailbox full',
    mail: reportMail({
      from: 'Microsoft Outlook <postmaster@receiver.example>',
      subject: 'Unzustellbar: Your order',
      text: 'Fehler bei der Nachrichtenzustellung an folgende Empfänger oder Gruppen: Jo',
      report: `Reporting-MTA: dns;DB0PR01MB0002.eurprd01.prod.exchangelabs.com

Final-Recipient: rfc822;jo@receiver.example
Action: failed
Status: 5.2.2
Diagnostic-Code: smtp;554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException.MapiExceptionShutoffQuotaExceeded; Failed to process message due to a permanent exception
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.2.2',
    category: 'mailbox_full',
    hard: false,
    code: 554,
  }),
  rfc({
    name: 'Exchange: only members may write to the group',
    mail: reportMail({
      from: 'postmaster@receiver.example',
      subject: 'Undeliverable: Your order',
      text: 'Delivery has failed to these recipients or groups:\n\nteam@receiver.example',
      report: `Reporting-MTA: dns;exchange.receiver.example

Final-Recipient: rfc822;team@receiver.example
Action: failed
Status: 5.7.1
Diagnostic-Code: smtp;550 5.7.1 RESOLVER.RST.AuthRequired; authentication required
`,
    }),
    action: 'failed',
    to: 'team@receiver.example',
    status: '5.7.1',
    category: 'policy',
    hard: false,
    code: 550,
  }),
  rfc({
    name: 'Exchange Online: the queue expired',
    mail: reportMail({
      from: 'Microsoft Outlook <postmaster@receiver.example>',
      subject: 'Undeliverable: Your order',
      text: 'Office 365 tried to send your message but could not deliver it.',
      report: `Reporting-MTA: dns;DB0PR01MB0003.eurprd01.prod.exchangelabs.com

Final-Recipient: rfc822;jo@receiver.example
Action: failed
Status: 5.4.300
Diagnostic-Code: smtp;550 5.4.300 Message expired -> 451 4.7.500 Server busy. Please try again later
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.4.300',
    category: 'rate_limited',
    hard: false,
    code: 550,
  }),
  rfc({
    name: 'Exchange 2003: a status and no diagnostic',
    mail: reportMail({
      from: 'System Administrator <postmaster@receiver.example>',
      subject: 'Delivery Status Notification (Failure)',
      text: 'This is an automatically generated Delivery Status Notification.\n\nDelivery to the following recipients failed.\n\n       jo@receiver.example\n',
      report: `Reporting-MTA: dns;old.receiver.example
Received-From-MTA: dns;mail.shop.example

Final-Recipient: rfc822;jo@receiver.example
Action: failed
Status: 5.1.1
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
  }),
  rfc({
    name: 'Sendmail 8: user unknown, with a comment in the status',
    mail: reportMail({
      from: 'Mail Delivery Subsystem <MAILER-DAEMON@unix.receiver.example>',
      subject: 'Returned mail: see transcript for details',
      fields: 'Auto-Submitted: auto-generated (failure)',
      text: `The original message was received at Thu, 1 Jan 2026 00:00:01 GMT
from mail.shop.example [203.0.113.7]

   ----- The following addresses had permanent fatal errors -----
<jo@receiver.example>
    (reason: 550 5.1.1 <jo@receiver.example>... User unknown)`,
      report: `Reporting-MTA: dns; unix.receiver.example
Received-From-MTA: DNS; mail.shop.example
Arrival-Date: Thu, 1 Jan 2026 00:00:01 GMT

Final-Recipient: RFC822; jo@receiver.example
Action: failed
Status: 5.1.1 (bad destination mailbox address)
Remote-MTA: DNS; local.receiver.example
Diagnostic-Code: SMTP; 550 5.1.1 <jo@receiver.example>... User unknown
Last-Attempt-Date: Thu, 1 Jan 2026 00:00:02 GMT
`,
      headersOnly: true,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  }),
  rfc({
    name: 'Exim with a report: a block, which is about us',
    mail: reportMail({
      from: 'Mail Delivery System <Mailer-Daemon@host.receiver.example>',
      subject: 'Mail delivery failed: returning message to sender',
      fields: 'Auto-Submitted: auto-replied\nX-Failed-Recipients: jo@receiver.example',
      text: 'This message was created automatically by mail delivery software.',
      report: `Reporting-MTA: dns; host.receiver.example

Action: failed
Final-Recipient: rfc822;jo@receiver.example
Status: 5.0.0
Remote-MTA: dns; inner.receiver.example
Diagnostic-Code: smtp; 554 5.7.1 Service unavailable; Client host [203.0.113.7] blocked using zen.spamhaus.org
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.0.0',
    category: 'blocked',
    hard: false,
    code: 554,
  }),
  rfc({
    name: 'Yahoo: a disabled mailbox',
    mail: reportMail({
      from: 'MAILER-DAEMON@yahoo.com',
      subject: 'Failure Notice',
      text: 'Sorry, we were unable to deliver your message to the following address.',
      report: `Reporting-MTA: dns; mta1.mail.yahoo.example

Original-Recipient: <jo@receiver.example>
Final-Recipient: <jo@receiver.example>
Action: failed
Status: 5.2.1
Diagnostic-Code: smtp; 554 30 Sorry, your message to jo@receiver.example cannot be delivered. This mailbox is disabled (554.30).
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.2.1',
    category: 'mailbox_disabled',
    hard: true,
    code: 554,
  }),
  rfc({
    name: 'iCloud: over quota, for good',
    mail: reportMail({
      from: 'MAILER-DAEMON@icloud.example',
      subject: 'Undelivered Mail Returned to Sender',
      text: 'This is the mail system at host mx1.icloud.example.',
      report: `Reporting-MTA: dns; mx1.icloud.example

Final-Recipient: rfc822; jo@receiver.example
Action: failed
Status: 5.2.2
Diagnostic-Code: smtp; 552 5.2.2 <jo@receiver.example>: user is over quota
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.2.2',
    category: 'mailbox_full',
    hard: false,
    code: 552,
  }),
  rfc({
    name: 'Domino: not in the directory',
    mail: reportMail({
      from: 'MAILER-DAEMON@domino.receiver.example',
      subject: 'DELIVERY FAILURE: User jo (jo@receiver.example) not listed in Domino Directory',
      text: 'Your message\n\n  Subject: Your order\n\nwas not delivered to:\n\n  jo@receiver.example\n\nbecause:\n\n  User jo (jo@receiver.example) not listed in Domino Directory',
      report: `Reporting-MTA: dns;domino.receiver.example

Final-Recipient: rfc822;jo@receiver.example
Action: failed
Status: 5.1.1
Diagnostic-Code: X-Notes; User jo (jo@receiver.example) not listed in Domino Directory
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
  }),
  rfc({
    name: 'Courier: the mailbox has gone',
    mail: reportMail({
      from: '"Courier mail server at courier.receiver.example" <@>',
      subject: 'NOTICE: mail delivery status.',
      text: 'This is a delivery status notification from courier.receiver.example,\nrunning the Courier mail server.\n\nUNDELIVERABLE MAIL',
      report: `Reporting-MTA: dns; courier.receiver.example
Arrival-Date: Thu, 01 Jan 2026 00:00:01 +0000

Final-Recipient: rfc822; jo@receiver.example
Action: failed
Status: 5.0.0
Diagnostic-Code: smtp; 550 User unknown.
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.0.0',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  }),
  rfc({
    name: 'Amazon: content that was not liked',
    mail: reportMail({
      from: 'MAILER-DAEMON@amazonses.example',
      subject: 'Delivery Status Notification (Failure)',
      text: 'An error occurred while trying to deliver the mail to the following recipients:\njo@receiver.example',
      report: `Reporting-MTA: dns; a1.smtp-out.amazonses.example

Action: failed
Final-Recipient: rfc822; jo@receiver.example
Diagnostic-Code: smtp; 552 5.7.0 This message was blocked because its content presents a potential security issue
Status: 5.7.0
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.7.0',
    category: 'content',
    hard: false,
    code: 552,
  }),
  rfc({
    name: 'Mimecast: rejected by a policy, at the end of the message',
    mail: reportMail({
      from: 'postmaster@receiver.example',
      subject: '[Postmaster] Email Delivery Failure',
      text: 'The message you sent to receiver.example was rejected.',
      report: `Reporting-MTA: dns; eu-smtp-1.mimecast.example

Final-Recipient: rfc822; jo@receiver.example
Action: failed
Status: 5.7.54
Diagnostic-Code: smtp; 550 Administrative prohibition - envelope blocked
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.7.54',
    category: 'policy',
    hard: false,
    code: 550,
  }),
  rfc({
    name: 'RFC 6533: an address in UTF-8',
    mail: reportMail({
      from: 'MAILER-DAEMON@mx.receiver.example',
      subject: 'Undelivered Mail Returned to Sender',
      text: 'This is the mail system at host mx.receiver.example.',
      type: 'global-delivery-status',
      report: `Reporting-MTA: dns; mx.receiver.example

Final-Recipient: utf-8; jürgen@receiver.example
Original-Recipient: utf-8; j\\x{FC}rgen@receiver.example
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 no such user
`,
    }),
    action: 'failed',
    to: 'jürgen@receiver.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  }),
  rfc({
    name: 'two recipients, of whom one is there',
    mail: reportMail({
      from: 'MAILER-DAEMON@list.receiver.example',
      subject: 'Delivery Status Notification',
      text: 'Some recipients of the alias could not be reached.',
      report: `Reporting-MTA: dns; list.receiver.example

Final-Recipient: rfc822; ann@receiver.example
Action: delivered
Status: 2.1.5

Final-Recipient: rfc822; bob@receiver.example
Action: failed
Status: 5.1.6
Diagnostic-Code: smtp; 550 5.1.6 mailbox has moved
`,
    }),
    action: 'delivered',
    to: 'ann@receiver.example',
    status: '2.1.5',
    category: 'mailbox_disabled',
    hard: true,
    code: 550,
  }),
  rfc({
    name: 'no empty line before the recipient, no action, and one empty line too many',
    mail: reportMail({
      from: 'postmaster@odd.receiver.example',
      subject: 'Nondeliverable mail',
      text: 'Your mail could not be delivered.',
      report: `Reporting-MTA: dns; odd.receiver.example
Final-Recipient: rfc822; <jo@receiver.example>

Status: 5.1.1
Diagnostic-Code: smtp;550 unknown mailbox
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  }),
  rfc({
    name: 'a report that was relayed to a host without DSN',
    mail: reportMail({
      from: 'MAILER-DAEMON@mx.receiver.example',
      subject: 'Successful Mail Delivery Report',
      text: 'Your message was successfully relayed.',
      report: `Reporting-MTA: dns; mx.receiver.example

Final-Recipient: rfc822; jo@receiver.example
Action: relayed (to non-DSN-aware mailer)
Status: 2.0.0
`,
    }),
    action: 'relayed',
    to: 'jo@receiver.example',
    status: '2.0.0',
  }),
  rfc({
    name: 'the report in base64, within multipart/mixed, lines in LF',
    mail: Buffer.from(`From: MAILER-DAEMON@gateway.receiver.example
Subject: Undeliverable mail
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

See the attachment.
--b
Content-Type: message/delivery-status
Content-Transfer-Encoding: base64

${Buffer.from('Reporting-MTA: dns; g\r\n\r\nFinal-Recipient: rfc822; jo@receiver.example\r\nAction: failed\r\nStatus: 5.1.2\r\nDiagnostic-Code: smtp; 550 Host unknown\r\n').toString('base64')}
--b--
`),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.2',
    category: 'domain_invalid',
    hard: true,
    code: 550,
  }),
  {
    name: 'a report without a recipient is understood by its words',
    form: 'postfix',
    mail: reportMail({
      from: 'MAILER-DAEMON@mx.receiver.example',
      subject: 'Undelivered Mail Returned to Sender',
      text: 'This is the mail system at host mx.receiver.example.\n\n<jo@receiver.example>: unknown user: "jo"',
      report: 'Reporting-MTA: dns; mx.receiver.example\n',
      original: ORIGINAL,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    category: 'mailbox_not_found',
    hard: true,
  },
  {
    name: 'a daemon that says no more than that it failed',
    form: 'general',
    mail: plainMail({
      from: 'Mail Delivery Subsystem <MAILER-DAEMON@x.example>',
      subject: 'Undeliverable mail',
      text: 'Your message to jo@receiver.example could not be delivered.',
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    category: 'other',
    hard: false,
  },
]
