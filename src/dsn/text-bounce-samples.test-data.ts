// Bounces in words alone, in the manner of mail systems old and new; written for these tests. Long because each is a
// whole mail.

import type { DeliverySample } from './delivery-samples.test-data.ts'
import { ORIGINAL, plainMail } from './sample-mail.test-data.ts'

const DAEMON = 'MAILER-DAEMON@mx.receiver.example'

export const TEXT_SAMPLES: readonly DeliverySample[] = [
  {
    name: 'qmail: no such mailbox',
    form: 'qmail',
    mail: plainMail({
      from: DAEMON,
      subject: 'failure notice',
      text: `Hi. This is the qmail-send program at mx.receiver.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<jo@receiver.example>:
Sorry, no mailbox here by that name. (#5.1.1)

--- Below this line is a copy of the message.

${ORIGINAL}
Thank you.`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
  },
  {
    name: 'qmail: the other host said it',
    form: 'qmail',
    mail: plainMail({
      from: DAEMON,
      subject: 'failure notice',
      text: `Hi. This is the qmail-send program at mx.receiver.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<jo@receiver.example>:
192.0.2.1 does not like recipient.
Remote host said: 550 5.2.1 The email account that you tried to reach is disabled.
Giving up on 192.0.2.1.

--- Below this line is a copy of the message.

${ORIGINAL}`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.2.1',
    category: 'mailbox_disabled',
    hard: true,
    code: 550,
  },
  {
    name: 'qmail: too long in the queue',
    form: 'qmail',
    mail: plainMail({
      from: DAEMON,
      subject: 'failure notice',
      text: `Hi. This is the qmail-send program at mx.receiver.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<jo@receiver.example>:
Sorry, I wasn't able to establish an SMTP connection. (#4.4.1)
I'm not going to try again; this message has been in the queue too long.`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '4.4.1',
    category: 'network',
    hard: false,
  },
  {
    name: 'Exim: refused at RCPT',
    form: 'exim',
    mail: plainMail({
      from: 'Mail Delivery System <Mailer-Daemon@host.receiver.example>',
      subject: 'Mail delivery failed: returning message to sender',
      fields: 'Auto-Submitted: auto-replied\nX-Failed-Recipients: jo@receiver.example',
      text: `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  jo@receiver.example
    host mx.inner.example [192.0.2.1]
    SMTP error from remote mail server after RCPT TO:<jo@receiver.example>:
    550 No such user here

------ This is a copy of the message, including all the headers. ------

${ORIGINAL}
Thank you.`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  },
  {
    name: 'Exim: a local quota',
    form: 'exim',
    mail: plainMail({
      from: 'Mail Delivery System <Mailer-Daemon@host.receiver.example>',
      subject: 'Mail delivery failed: returning message to sender',
      text: `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  jo@receiver.example
    mailbox is full (MTA-imposed quota exceeded while writing to /var/mail/jo)`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    category: 'mailbox_full',
    hard: false,
  },
  {
    name: 'Exim: not yet',
    form: 'exim',
    mail: plainMail({
      from: 'Mail Delivery System <Mailer-Daemon@host.receiver.example>',
      subject: 'Warning: message 1abcde-000001-AB delayed 24 hours',
      text: `This message was created automatically by mail delivery software.
A message that you sent has not yet been delivered to one or more of its
recipients after more than 24 hours on the queue on host.receiver.example.

The address to which the message has not yet been delivered is:

  jo@receiver.example

No action is required on your part. Delivery attempts will continue for
some time, and this warning may be repeated at intervals if the message
remains undelivered.`,
    }),
    action: 'delayed',
    to: 'jo@receiver.example',
  },
  {
    name: 'Web.de: Exim’s words with the reason below',
    form: 'exim',
    mail: plainMail({
      from: 'mailer-daemon@webmail.example',
      subject: 'Mail delivery failed: returning message to sender',
      text: `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to
one or more of its recipients. The following addresses
failed:

<jo@receiver.example>
Requested action not taken: mailbox unavailable
For explanation visit https://postmaster.webmail.example/error-messages

--- The header of the original message is following. ---

${ORIGINAL}`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    category: 'mailbox_not_found',
    // The same words are used for a rate.
    hard: false,
  },
  {
    name: 'Zoho: Exim’s words with a code',
    form: 'exim',
    mail: plainMail({
      from: 'mailer-daemon@mail.zoho.example',
      subject: 'Undelivered Mail Returned to Sender',
      text: `This message was created automatically by mail delivery software.
 A message that you sent could not be delivered to one or more of its recipients. This is a permanent error.

jo@receiver.example, ERROR CODE :550 - 5.1.1 User does not exist - <jo@receiver.example>`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  },
  {
    name: 'Sendmail 8 in words',
    form: 'sendmail',
    mail: plainMail({
      from: 'Mail Delivery Subsystem <MAILER-DAEMON@unix.receiver.example>',
      subject: 'Returned mail: User unknown',
      text: `The original message was received at Thu, 1 Jan 2026 00:00:01 GMT
from mail.shop.example [203.0.113.7]

   ----- The following addresses had permanent fatal errors -----
<jo@receiver.example>

   ----- Transcript of session follows -----
... while talking to inner.receiver.example.:
>>> RCPT To:<jo@receiver.example>
<<< 550 5.1.1 <jo@receiver.example>... User unknown
550 <jo@receiver.example>... User unknown

   ----- Original message follows -----
${ORIGINAL}`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  },
  {
    name: 'Sendmail 5',
    form: 'sendmail',
    mail: plainMail({
      from: 'Mail Delivery Subsystem <MAILER-DAEMON@vax.receiver.example>',
      subject: 'Returned mail: Host unknown',
      text: `   ----- Transcript of session follows -----
550 inner.receiver.example (TCP)... 550 Host unknown
554 <jo@inner.receiver.example>... 550 Host unknown (Authoritative answer from name server)

   ----- Unsent message follows -----
${ORIGINAL}`,
    }),
    action: 'failed',
    to: 'jo@inner.receiver.example',
    category: 'domain_invalid',
    hard: true,
    code: 550,
  },
  {
    name: 'Sendmail: a warning',
    form: 'sendmail',
    mail: plainMail({
      from: 'Mail Delivery Subsystem <MAILER-DAEMON@unix.receiver.example>',
      subject: 'Warning: could not send message for past 4 hours',
      text: `    **********************************************
    **      THIS IS A WARNING MESSAGE ONLY      **
    **  YOU DO NOT NEED TO RESEND YOUR MESSAGE  **
    **********************************************

   ----- The following addresses had transient non-fatal errors -----
<jo@receiver.example>

   ----- Transcript of session follows -----
<jo@receiver.example>... Deferred: Connection timed out with inner.receiver.example.`,
    }),
    action: 'delayed',
    to: 'jo@receiver.example',
  },
  {
    name: 'Postfix in words',
    form: 'postfix',
    mail: plainMail({
      from: 'MAILER-DAEMON (Mail Delivery System)',
      subject: 'Undelivered Mail Returned to Sender',
      text: `This is the Postfix program at host mx.receiver.example.

I'm sorry to have to inform you that your message could not be
be delivered to one or more recipients. It's attached below.

For further assistance, please send mail to <postmaster>

			The Postfix program

<jo@receiver.example>: host inner.receiver.example[192.0.2.1] said: 554
    delivery error: dd This user doesn't have a yahoo.example account
    (in reply to end of DATA command)`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    category: 'mailbox_not_found',
    hard: true,
    code: 554,
  },
  {
    name: 'Exchange 2010 in words',
    form: 'exchange',
    mail: plainMail({
      from: 'Microsoft Exchange <postmaster@receiver.example>',
      subject: 'Undeliverable: Your order',
      text: `Delivery has failed to these recipients or groups:

jo@receiver.example<mailto:jo@receiver.example>
The e-mail address you entered couldn't be found. Please check the recipient's e-mail address and try to resend the message.

Diagnostic information for administrators:

Generating server: exchange.receiver.example

jo@receiver.example
#550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##

Original message headers:

${ORIGINAL}`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  },
  {
    name: 'Exchange 2000, with a date',
    form: 'exchange',
    mail: plainMail({
      from: 'System Administrator <postmaster@receiver.example>',
      subject: 'Undeliverable: Your order',
      text: `Your message

  To:      jo@receiver.example
  Subject: Your order
  Sent:    Thu, 1 Jan 2026 00:00:01 +0000

did not reach the following recipient(s):

jo@receiver.example on Thu, 1 Jan 2026 00:00:02 +0000
    The recipient could not be reached because the mailbox is full.
        < exchange.receiver.example #5.2.2>
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.2.2',
    category: 'mailbox_full',
    hard: false,
  },
  {
    name: 'Exchange 5.5: the following recipient could not be reached',
    form: 'exchange',
    mail: plainMail({
      from: 'System Administrator <postmaster@receiver.example>',
      subject: 'Undeliverable: Your order',
      text: `Your message did not reach some or all of the intended recipients.

      Subject:	Your order
      Sent:	01.01.2026 00:00

The following recipient(s) could not be reached:

      jo@receiver.example on 01.01.2026 00:00
            The e-mail account does not exist at the organization this message was sent to.
            <exchange.receiver.example #5.1.1>`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
  },
  {
    name: 'Gmail before it knew RFC 3464',
    form: 'gmail',
    mail: plainMail({
      from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
      subject: 'Delivery Status Notification (Failure)',
      text: `Delivery to the following recipient failed permanently:

     jo@receiver.example

Technical details of permanent failure:
Google tried to deliver your message, but it was rejected by the server for the recipient domain receiver.example by mx.receiver.example. [192.0.2.1].

The error that the other server returned was:
550 5.7.1 Message rejected as spam

----- Original message -----

${ORIGINAL}`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.7.1',
    category: 'content',
    hard: false,
    code: 550,
  },
  {
    name: 'Gmail: delayed',
    form: 'gmail',
    mail: plainMail({
      from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
      subject: 'Delivery Status Notification (Delay)',
      text: `
** Delivery incomplete **

There was a temporary problem delivering your message to jo@receiver.example. Gmail will retry for 46 more hours. You'll be notified if the delivery fails permanently.`,
    }),
    action: 'delayed',
    to: 'jo@receiver.example',
  },
  {
    name: 'Domino in words',
    form: 'domino',
    mail: plainMail({
      from: 'Postmaster@domino.receiver.example',
      subject: 'DELIVERY FAILURE: User jo not listed in public Name & Address Book',
      text: `Your message

  Subject: Your order

was not delivered to:

  jo@receiver.example

because:

  User jo (jo@receiver.example) not listed in public Name & Address Book
`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    category: 'mailbox_not_found',
    hard: true,
  },
  {
    name: 'GroupWise',
    form: 'groupwise',
    mail: plainMail({
      from: 'Mailer-Daemon@gw.receiver.example',
      subject: 'Message status - undeliverable',
      text: `The message that you sent was undeliverable to the following:
	jo (user not found)

Possibly truncated original message follows:

${ORIGINAL}`,
    }),
    action: 'failed',
    category: 'mailbox_not_found',
    hard: true,
  },
  {
    name: 'Yahoo in words',
    form: 'yahoo',
    mail: plainMail({
      from: 'MAILER-DAEMON@yahoo.example',
      subject: 'Failure Notice',
      text: `Sorry, we were unable to deliver your message to the following address.

<jo@receiver.example>:
554: delivery error: dd Requested mail action aborted - mailbox not found [0] - mta1.mail.yahoo.example

--- Below this line is a copy of the message.

${ORIGINAL}`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    category: 'mailbox_not_found',
    hard: true,
  },
  {
    name: 'AOL: over quota',
    form: 'aol',
    mail: plainMail({
      from: 'Mail Delivery Subsystem <MAILER-DAEMON@aol.example>',
      subject: 'Mail Delivery Problem',
      text: `Your mail to the following recipients could not be delivered because they are not accepting mail:
	jo@aol.example
The user(s) account is temporarily over quota.`,
    }),
    action: 'failed',
    to: 'jo@aol.example',
    category: 'mailbox_full',
    hard: false,
  },
  {
    name: 'Symantec: qmail’s words',
    form: 'symantec',
    mail: plainMail({
      from: 'MAILER-DAEMON@messagelabs.example',
      subject: 'Mail Delivery Failure',
      text: `This is the mail delivery agent at server-1.tower-2.messagelabs.com.
I was unable to deliver your message to the following addresses:

jo@receiver.example

Reason: 550 5.1.1 <jo@receiver.example>: Recipient address rejected: User unknown

The message subject was: Your order
The message date was: Thu, 1 Jan 2026 00:00:01 +0000`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  },
  {
    name: 'MDaemon: a transcript of the session',
    form: 'mdaemon',
    mail: plainMail({
      from: 'MDaemon at receiver.example <MDaemon@receiver.example>',
      subject: 'Permanent Delivery Failure',
      text: `The attached message had PERMANENT fatal delivery errors!

After one or more unsuccessful delivery attempts the attached message has
been removed from the mail queue on this server.

Failed address: jo@inner.example

--- Session Transcript ---
 Thu 00:00:01: <-- 220 inner.example ESMTP
 Thu 00:00:01: --> EHLO receiver.example
 Thu 00:00:01: --> RCPT To:<jo@inner.example>
 Thu 00:00:01: <-- 550 5.1.1 no such user
--- End Transcript ---`,
    }),
    action: 'failed',
    to: 'jo@inner.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  },
  {
    name: 'SmarterMail',
    form: 'smartermail',
    mail: plainMail({
      from: 'System Administrator <postmaster@receiver.example>',
      subject: 'Delivery Failure',
      text: `Could not deliver message to the following recipient(s):

Failed Recipient: jo@receiver.example
Reason: Remote host said: 550 5.4.1 Recipient address rejected: Access denied

   -- The header and top 20 lines of the message follows --

${ORIGINAL}`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.4.1',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  },
  {
    name: 'MailEnable',
    form: 'mailenable',
    mail: plainMail({
      from: 'postmaster@receiver.example',
      subject: 'Message Delivery Failure',
      text: `MailEnable: Message Delivery Failure.

Message could not be delivered to some recipients.
The following recipient(s) could not be reached:

	Recipient: [SMTP:jo@receiver.example]
	Reason: The mailbox could not be found or is unavailable`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    category: 'mailbox_not_found',
    hard: true,
  },
  {
    name: 'IMail: over the allowed size',
    form: 'imail',
    mail: plainMail({
      from: '"Mail Administrator" <Postmaster@imail.receiver.example>',
      subject: 'Undeliverable Mail',
      text: `User mailbox exceeds allowed size: jo@receiver.example


Original message follows.

${ORIGINAL}`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    category: 'mailbox_full',
    hard: false,
  },
  {
    name: 'Sun Java Messaging: recipient and reason',
    form: 'java-messaging',
    mail: plainMail({
      from: 'Internet Mail Delivery <postmaster@jms.receiver.example>',
      subject: 'Delivery Notification: Delivery has failed',
      text: `This report relates to a message you sent with the following header fields:

  Message-id: <01KABCDEFGHJKMNPQRSTVWXYZ0@shop.example>
  From: Shop <orders@shop.example>

Your message cannot be delivered to the following recipients:

  Recipient address: jo@receiver.example
  Reason: Illegal host/domain name found`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    category: 'other',
    hard: false,
  },
  {
    name: 'Mail.Ru, in Russian and base64',
    form: 'mail.ru',
    mail: plainMail({
      from: 'mailer-daemon@corp.mail.example',
      subject: '=?utf-8?B?0J/QuNGB0YzQvNC+INC90LUg0LTQvtGB0YLQsNCy0LvQtdC90L4=?=',
      fields: 'Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64',
      text: Buffer.from(`Это письмо создано автоматически сервером Mail.Ru, отвечать на него не нужно.

К сожалению, Ваше письмо не может быть доставлено одному или нескольким получателям:

**********************
jo@receiver.example SMTP error from remote mail server after RCPT TO:<jo@receiver.example>: 550 5.1.1 user not found
**********************
`)
        .toString('base64')
        .replace(/.{76}/g, '$&\n'),
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  },
  {
    name: 'T-Online: failed addresses in a box',
    form: 't-online',
    mail: plainMail({
      from: 'Mail Administrator <Postmaster@tonline.example>',
      subject: 'Mail System Error - Returned Mail',
      text: `|------------------------- Message log follows: -------------------------|
 no valid recipients were found for this message
|------------------------- Failed addresses follow: ---------------------|
 <jo@receiver.example> ... unknown user
|------------------------- Message text follows: ------------------------|
${ORIGINAL}`,
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    category: 'mailbox_not_found',
    hard: true,
  },
  {
    name: 'QQ: returned, in Chinese and HTML',
    form: 'qq',
    mail: plainMail({
      from: 'PostMaster@qq.example',
      subject: '=?utf-8?B?57O757uf6YCA5L+h?=',
      fields: 'Content-Type: text/html; charset=utf-8',
      text: '<html><style>p { color: red }</style><p>抱歉，您的邮件被退回来了……</p><p>收件人 jo@receiver.example</p><p>550 Mailbox not found. 邮箱不存在</p></html>',
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  },
  {
    name: 'a full mailbox that answers for itself',
    form: 'general',
    mail: plainMail({
      from: 'Jo <jo@receiver.example>',
      subject: 'Mailbox full: Your order',
      fields: 'Auto-Submitted: auto-replied',
      text: 'The mailbox of Jo is full. Your message was not delivered. Please try again later.',
    }),
    action: 'failed',
    category: 'mailbox_full',
    hard: false,
  },
  {
    name: 'a gateway that nobody knows, in German',
    form: 'general',
    mail: plainMail({
      from: 'Mailer-Daemon <mailer-daemon@gateway.receiver.example>',
      subject: 'Unzustellbar: Ihre Bestellung',
      text: 'Ihre Nachricht an jo@receiver.example konnte nicht zugestellt werden.\nGrund: 550 5.1.1 Benutzer nicht bekannt',
      fields: 'Content-Type: text/plain; charset=utf-8',
    }),
    action: 'failed',
    to: 'jo@receiver.example',
    status: '5.1.1',
    category: 'mailbox_not_found',
    hard: true,
    code: 550,
  },
]
