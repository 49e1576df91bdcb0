// Feedback reports and automatic replies in the style of several senders, written for these tests.

import type { AutoReply } from './report.ts'
import { ORIGINAL, plainMail, reportMail } from './sample-mail.test-data.ts'

/** A sample mail, and the expected result of reading the mail. */
interface FeedbackSample {
  readonly name: string
  readonly mail: Buffer
  readonly feedbackType: string
  readonly userAgent?: string
  readonly originalMailFrom?: string
  readonly originalRecipients: readonly string[]
}

const arf = (report: string, original = ORIGINAL): Buffer =>
  reportMail({
    from: 'feedback@provider.example',
    subject: 'FW: Your order',
    type: 'feedback-report',
    text: 'This is an email abuse report for an email message received from IP 203.0.113.7.',
    report,
    original,
  })

export const FEEDBACK_SAMPLES: readonly FeedbackSample[] = [
  {
    name: 'abuse with the recipient, as Yahoo',
    mail: arf(`Feedback-Type: abuse
User-Agent: Yahoo!-Mail-Feedback/2.0
Version: 0.1
Original-Mail-From: <bounces+token@bounces.shop.example>
Original-Rcpt-To: jo@receiver.example
Received-Date: Thu, 01 Jan 2026 00:00:01 PST
Reported-Domain: shop.example
Authentication-Results: mx.yahoo.example from=shop.example; dkim=pass (ok)
`),
    feedbackType: 'abuse',
    userAgent: 'Yahoo!-Mail-Feedback/2.0',
    originalMailFrom: 'bounces+token@bounces.shop.example',
    originalRecipients: ['jo@receiver.example'],
  },
  {
    name: 'abuse without the recipient, as AOL and Comcast',
    mail: arf(`Feedback-Type: abuse
User-Agent: AOL SComp
Version: 0.1
Received-Date: Thu, 1 Jan 2026 00:00:01 -0500 (EST)
Source-IP: 203.0.113.7
Reported-Domain: shop.example
Redacted-Address: redacted
Redacted-Address: redacted@
`),
    feedbackType: 'abuse',
    userAgent: 'AOL SComp',
    originalRecipients: [],
  },
  {
    name: 'Microsoft’s junk mail reporting as ARF',
    mail: arf(
      `Feedback-Type: abuse
User-Agent: JMRP/1.0
Version: 1
`,
      `X-HmXmrOriginalRecipient: jo@outlook.example\n${ORIGINAL}`,
    ),
    feedbackType: 'abuse',
    userAgent: 'JMRP/1.0',
    originalRecipients: ['jo@outlook.example'],
  },
  {
    name: 'Microsoft’s junk mail reporting before ARF',
    mail: Buffer.from(`From: staff@hotmail.example
Subject: complaint about message from 203.0.113.7
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="m"

--m
Content-Type: message/rfc822
Content-Disposition: inline

X-HmXmrOriginalRecipient: <jo@hotmail.example>
${ORIGINAL}
Thank you.
--m--
`),
    feedbackType: 'abuse',
    originalRecipients: ['jo@hotmail.example'],
  },
  {
    name: 'not spam after all',
    mail: arf(`Feedback-Type: not-spam
User-Agent: SomeGenerator/1.0
Version: 1
Original-Rcpt-To: <jo@receiver.example>
`),
    feedbackType: 'not-spam',
    userAgent: 'SomeGenerator/1.0',
    originalRecipients: ['jo@receiver.example'],
  },
  {
    name: 'an authentication failure (RFC 6591)',
    mail: arf(`Feedback-Type: auth-failure
User-Agent: SomeDMARC/1.0
Version: 1
Auth-Failure: dmarc
Original-Mail-From: <other@elsewhere.example>
Reported-Domain: shop.example
Delivery-Result: reject
`),
    feedbackType: 'auth-failure',
    userAgent: 'SomeDMARC/1.0',
    originalMailFrom: 'other@elsewhere.example',
    originalRecipients: [],
  },
  {
    name: 'fraud, with several recipients in one field',
    mail: arf(`Feedback-Type: FRAUD
User-Agent: Abusix/2
Version: 1
Original-Rcpt-To: a@receiver.example, <b@receiver.example>
`),
    feedbackType: 'fraud',
    userAgent: 'Abusix/2',
    originalRecipients: ['a@receiver.example', 'b@receiver.example'],
  },
  {
    name: 'a report that does not say its type',
    mail: arf('Version: 1\n'),
    feedbackType: 'abuse',
    originalRecipients: [],
  },
]

const reply = (
  subject: string,
  reason: AutoReply['reason'],
  fields = '',
  text = 'Thank you for your message.',
): { readonly name: string; readonly mail: Buffer; readonly reason: AutoReply['reason'] } => ({
  name: `${subject} (${fields.split('\n', 1)[0] || text.slice(0, 40)})`,
  mail: plainMail({
    from: 'Jo <jo@receiver.example>',
    subject,
    text,
    fields: `Content-Type: text/plain; charset=utf-8${fields === '' ? '' : `\n${fields}`}`,
  }),
  reason,
})

const QUOTED_PARCEL = `I am away until Monday.

> Dear Jo,
> we were unable to deliver your parcel. The driver says: recipient unknown.`

const QUOTED_BOUNCE = `We have received your request and answer within a day.

> Your message to bob@other.example couldn't be delivered.
> 550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found`

const ATTRIBUTED_BOUNCE = `Thank you for your mail.

Am 1.1.2026 schrieb Support:
Your message to bob@other.example couldn't be delivered.
550 5.1.1 <bob@other.example>: Recipient address rejected: User unknown`

export const AUTO_REPLY_SAMPLES = [
  reply(
    'Automatic reply: Delivery failed: parcel 4711',
    'vacation',
    'Auto-Submitted: auto-replied',
    QUOTED_PARCEL,
  ),
  reply(
    'Re: Delivery failed: parcel 4711',
    'automatic',
    'X-Autoreply: yes\nAuto-Submitted: auto-replied',
    QUOTED_PARCEL,
  ),
  reply(
    '[Ticket #12] Received: Your message could not be delivered',
    'automatic',
    'Auto-Submitted: auto-replied',
    QUOTED_BOUNCE,
  ),
  reply('Re: Undelivered mail', 'automatic', 'Auto-Submitted: auto-replied', ATTRIBUTED_BOUNCE),
  reply(
    'Automatic reply: Your order',
    'vacation',
    'X-Auto-Response-Suppress: All\nAuto-Submitted: auto-generated',
  ),
  reply('Out of Office: Your order', 'vacation'),
  reply('Re: AW: Out of office', 'vacation'),
  reply('Automatische Antwort: Ihre Bestellung', 'vacation'),
  reply('Abwesenheitsnotiz', 'vacation'),
  reply('Réponse automatique : Votre commande', 'vacation'),
  reply('Respuesta automática: Su pedido', 'vacation'),
  reply('Risposta automatica: Ordine', 'vacation'),
  reply('Resposta automática', 'vacation'),
  reply('Automatisch antwoord: Uw bestelling', 'vacation'),
  reply('Autosvar: Din ordre', 'vacation'),
  reply('Automaattinen vastaus: Tilaus', 'vacation'),
  reply('Odpowiedź automatyczna: Zamówienie', 'vacation'),
  reply('Automatická odpověď: Objednávka', 'vacation'),
  reply('Автоматический ответ: Ваш заказ', 'vacation'),
  reply('自动回复: 您的订单', 'vacation'),
  reply('自動返信: ご注文', 'vacation'),
  reply('Otomatik yanıt: Sipariş', 'vacation'),
  reply(
    'Re: Your order',
    'vacation',
    'Auto-Submitted: auto-replied (vacation)',
    'I am out of the office until Monday.',
  ),
  reply('Re: Your order', 'automatic', 'Auto-Submitted: auto-replied'),
  reply('Ticket received', 'automatic', 'Precedence: auto_reply'),
  reply('Ticket received', 'automatic', 'Precedence: bulk'),
  reply('Re: Your order', 'automatic', 'X-Autoreply: yes'),
  reply('Re: Your order', 'automatic', 'X-Autorespond: Your order'),
  reply(
    'Please confirm your message',
    'challenge',
    'Auto-Submitted: auto-replied',
    'Click to confirm that you are human.',
  ),
  reply('Re: Your order [Boxbe]', 'challenge', '', 'Jo is using Boxbe. Your message is awaiting approval.'),
  reply(
    'Re: Your order',
    'challenge',
    'X-TMDA-Fingerprint: abc',
    'Reply to this message to prove you exist.',
  ),
  reply(
    'Re: Your order, please',
    'challenge',
    '',
    'My mailbox is guarded against spam. Your message is held and was not delivered yet. Follow this link to prove that you are human: http://receiver.example/c/1',
  ),
  reply(
    'Your mail is waiting',
    'challenge',
    '',
    'I use a filter against junk mail, so your message is waiting in a queue. Please confirm that you are a real person: https://receiver.example/v/1',
  ),
  reply(
    'On hold',
    'challenge',
    '',
    'This mailbox is protected by a shield. Your mail is on hold until you verify yourself as a human sender. Reply to this e-mail to release it.',
  ),
  reply(
    'AW: Ihre Bestellung',
    'challenge',
    '',
    'Ihre Nachricht wird wegen meines Spam-Schutzes zurückgehalten. Bitte bestätigen Sie, dass Sie ein Mensch sind: https://receiver.example/c/2',
  ),
  {
    name: 'a receipt of reading (RFC 8098)',
    mail: reportMail({
      from: 'jo@receiver.example',
      subject: 'Read: Your order',
      text: 'Your message was read on Thursday.',
      type: 'disposition-notification',
      report:
        'Final-Recipient: rfc822; jo@receiver.example\nDisposition: manual-action/MDN-sent-manually; displayed\n',
    }),
    reason: 'disposition',
  },
  {
    name: 'a receipt of deleting, from a mail system, in the international form (RFC 6533)',
    mail: Buffer.from(
      reportMail({
        from: 'postmaster@receiver.example',
        subject: 'Not read: Your order',
        text: 'Your message was not delivered to the reader: it was deleted without being read.',
        type: 'disposition-notification',
        report:
          'Final-Recipient: utf-8; jo@receiver.example\nDisposition: automatic-action/MDN-sent-automatically; deleted\n',
      })
        .toString('latin1')
        .replace('message/disposition-', 'message/global-disposition-'),
      'latin1',
    ),
    reason: 'disposition',
  },
] as const

/** Sample mails that require no action. */
export const UNRECOGNISED_SAMPLES: readonly { readonly name: string; readonly mail: Buffer }[] = [
  {
    name: 'a reply of a person',
    mail: plainMail({
      from: 'Jo <jo@receiver.example>',
      subject: 'Re: Your order',
      text: 'Hello, my parcel could not be delivered yesterday. Where is it?\n\nJo',
    }),
  },
  {
    name: 'a reply of a person that quotes a bounce',
    mail: plainMail({ from: 'Jo <jo@receiver.example>', subject: 'Re: Your order', text: QUOTED_BOUNCE }),
  },
  {
    name: 'a reply of a person with the words of a bounce',
    mail: plainMail({
      from: 'Jo <jo@receiver.example>',
      subject: 'Re: Your order',
      text: 'Look:\nThis is the mail system at host mx.shop.example\n<jo@receiver.example>: 550 5.1.1 User unknown',
    }),
  },
  {
    name: 'a reply of a person to a subject and a text like those of a bounce',
    mail: plainMail({
      from: 'Jo <jo@receiver.example>',
      subject: 'Re: Delivery failed: parcel 4711',
      text: 'I live at\n450 Main Street\n\nFrom: Shop\nYour parcel could not be delivered today.',
    }),
  },
  {
    name: 'a reply of a person with some of the words of a challenge',
    mail: plainMail({
      from: 'Jo <jo@receiver.example>',
      subject: 'Re: Your order',
      text: 'Your mail was in my spam folder and the parcel is still pending. Could you confirm the date?\n\nJo',
    }),
  },
  {
    name: 'a mail system that says that the message arrived',
    mail: plainMail({
      from: 'Mail Delivery System <postmaster@receiver.example>',
      subject: 'Delivery status notification (success)',
      text: 'Your message was successfully delivered to jo@receiver.example.',
    }),
  },
  {
    name: 'a mail system that speaks of something else',
    mail: plainMail({
      from: 'postmaster@receiver.example',
      subject: 'Maintenance on Sunday',
      text: 'Mail for jo@receiver.example and others will be read later on Sunday.',
    }),
  },
  {
    name: 'spam',
    mail: plainMail({ from: 'x@y.example', subject: 'Cheap watches', text: 'Buy now https://z.example' }),
  },
  { name: 'nothing at all', mail: Buffer.alloc(0) },
  { name: 'bytes without a form', mail: Buffer.from('\0\xff\xfe\r\n\r\n\0\0'.repeat(50), 'latin1') },
]
