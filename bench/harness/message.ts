// The message that all measurements send: a receipt of about 4 KiB in HTML and text, as an API request and as MIME.

import { COUNTER, SENT_AT } from './stamped.ts'

/** Name of the header field that contains the number of the message and the time of sending, for the sink. */
export const BENCH_FIELD = 'X-Bench-Sent'

const FROM = 'receipts@example.test'
const SUBJECT = `Your receipt for order ${COUNTER}`
const STAMP = `${SENT_AT} ${COUNTER}`

const ITEMS = [
  ['Café crème, 1 kg', '€ 23.90'],
  ['Filter papers, size 4, pack of 100', '€ 4.50'],
  ['Porcelain cup “Zoë”, white', '€ 14.00'],
  ['Cleaning tablets, pack of 10', '€ 8.75'],
  ['Milk jug, stainless steel, 350 ml', '€ 19.20'],
  ['Delivery by courier, next working day', '€ 6.90'],
]

const PARAGRAPHS = [
  `Thank you for order ${COUNTER}. We have received your payment and are packing your parcel.`,
  'You get another message with the tracking number as soon as the courier has taken it over.',
  'If something is not as you expected, answer this message within thirty days and we put it right.',
]

const STYLE = 'padding:8px 12px;border-bottom:1px solid #d8dee4;font:14px/20px Arial,sans-serif;color:#24292f'

const row = ([what = '', price = '']: string[]): string =>
  `<tr><td style="${STYLE}">${what}</td><td align="right" style="${STYLE}">${price}</td></tr>`

const HTML = [
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Your receipt</title></head>',
  '<body style="margin:0;background:#f6f8fa"><table role="presentation" width="600" align="center">',
  ...PARAGRAPHS.map((text) => `<tr><td colspan="2" style="${STYLE}">${text}</td></tr>`),
  ...ITEMS.map(row),
  row(['<strong>Total, VAT included</strong>', '<strong>€ 77.25</strong>']),
  '</table><p style="text-align:center"><a href="https://example.test/orders/">Your orders</a></p>',
  '</body></html>',
].join('\n')

const TEXT = [
  ...PARAGRAPHS,
  ...ITEMS.map(([what, price]) => `${what}: ${price}`),
  'Total, VAT included: € 77.25',
  'Your orders: https://example.test/orders/',
].join('\n\n')

/** Returns the body of a send request to one recipient at `destination`. */
export const requestBody = (destination: string): string =>
  JSON.stringify({
    from: FROM,
    from_name: 'Example Coffee',
    to: [{ email: recipientAt(destination), name: 'Ada Lovelace' }],
    subject: SUBJECT,
    html: HTML,
    text: TEXT,
    headers: { [BENCH_FIELD]: STAMP },
    tag: 'receipt',
    metadata: { order: COUNTER },
  })

/** Services in whose form a message can be sent. */
export const COMPATIBLE_FORMS = ['postmark', 'resend', 'sendgrid', 'mailgun', 'postal', 'usesend'] as const

export type CompatibleForm = (typeof COMPATIBLE_FORMS)[number]

/**
 * Returns the path, the header field with the key, and the body of the message in the form of a service; the media type
 * is JSON by default.
 */
export function compatibleRequest(
  form: CompatibleForm,
  destination: string,
  key: string,
): { readonly path: string; readonly field: string; readonly body: string; readonly type?: string } {
  const to = recipientAt(destination)
  switch (form) {
    case 'postmark':
      return {
        path: '/compat/postmark/email',
        field: `X-Postmark-Server-Token: ${key}`,
        body: JSON.stringify({
          From: `Example Coffee <${FROM}>`,
          To: `Ada Lovelace <${to}>`,
          Subject: SUBJECT,
          HtmlBody: HTML,
          TextBody: TEXT,
          Headers: [{ Name: BENCH_FIELD, Value: STAMP }],
          Tag: 'receipt',
          Metadata: { order: COUNTER },
        }),
      }
    case 'resend':
      return {
        path: '/compat/resend/emails',
        field: `Authorization: Bearer ${key}`,
        body: JSON.stringify({
          from: `Example Coffee <${FROM}>`,
          to: [`Ada Lovelace <${to}>`],
          subject: SUBJECT,
          html: HTML,
          text: TEXT,
          headers: { [BENCH_FIELD]: STAMP },
          tags: [{ name: 'order', value: COUNTER }],
        }),
      }
    case 'sendgrid':
      return {
        path: '/compat/sendgrid/v3/mail/send',
        field: `Authorization: Bearer ${key}`,
        body: JSON.stringify({
          personalizations: [{ to: [{ email: to, name: 'Ada Lovelace' }] }],
          from: { email: FROM, name: 'Example Coffee' },
          subject: SUBJECT,
          content: [
            { type: 'text/plain', value: TEXT },
            { type: 'text/html', value: HTML },
          ],
          headers: { [BENCH_FIELD]: STAMP },
          categories: ['receipt'],
          custom_args: { order: COUNTER },
        }),
      }
    case 'mailgun':
      return {
        path: '/compat/mailgun/v3/example.test/messages',
        field: `Authorization: Basic ${btoa(`api:${key}`)}`,
        type: `multipart/form-data; boundary=${FORM_BOUNDARY}`,
        body: formBody({
          from: `Example Coffee <${FROM}>`,
          to: `Ada Lovelace <${to}>`,
          subject: SUBJECT,
          html: HTML,
          text: TEXT,
          [`h:${BENCH_FIELD}`]: STAMP,
          'o:tag': 'receipt',
          'v:order': COUNTER,
        }),
      }
    case 'postal':
      return {
        path: '/compat/postal/api/v1/send/message',
        field: `X-Server-API-Key: ${key}`,
        body: JSON.stringify({
          from: `Example Coffee <${FROM}>`,
          to: [`Ada Lovelace <${to}>`],
          subject: SUBJECT,
          html_body: HTML,
          plain_body: TEXT,
          headers: { [BENCH_FIELD]: STAMP },
          tag: 'receipt',
        }),
      }
    case 'usesend':
      return {
        path: '/compat/usesend/api/v1/emails',
        field: `Authorization: Bearer ${key}`,
        body: JSON.stringify({
          from: `Example Coffee <${FROM}>`,
          to: `Ada Lovelace <${to}>`,
          subject: SUBJECT,
          html: HTML,
          text: TEXT,
          headers: { [BENCH_FIELD]: STAMP },
        }),
      }
  }
}

const FORM_BOUNDARY = 'bench-boundary'

/** Returns fields as the body of a form (multipart/form-data). */
const formBody = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(
      ([name, value]) =>
        `--${FORM_BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    .join('')
    .concat(`--${FORM_BOUNDARY}--\r\n`)

/** The receipt as a template. */
export const TEMPLATE = {
  alias: 'receipt',
  name: 'Receipt',
  subject: 'Your receipt for order {{order}}',
  html: [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Your receipt</title></head>',
    '<body style="margin:0;background:#f6f8fa"><table role="presentation" width="600" align="center">',
    `{{#paragraphs}}<tr><td colspan="2" style="${STYLE}">{{.}}</td></tr>\n{{/paragraphs}}`,
    `{{#items}}${row(['{{what}}', '{{price}}'])}\n{{/items}}`,
    row(['<strong>Total, VAT included</strong>', '<strong>{{total}}</strong>']),
    '</table><p style="text-align:center"><a href="https://example.test/orders/">Your orders</a></p>',
    '</body></html>',
  ].join('\n'),
  text: '{{#paragraphs}}{{.}}\n\n{{/paragraphs}}{{#items}}{{what}}: {{price}}\n\n{{/items}}Total: {{total}}\n',
} as const

/** Model for the template; `Stamped` replaces the placeholder of the counter. */
export const TEMPLATE_MODEL = {
  order: COUNTER,
  paragraphs: PARAGRAPHS,
  items: ITEMS.map(([what, price]) => ({ what, price })),
  total: '€ 77.25',
} as const

/** Returns the body of a send request that refers to the template. */
export const templateRequestBody = (destination: string): string =>
  JSON.stringify({
    from: FROM,
    from_name: 'Example Coffee',
    to: [{ email: recipientAt(destination), name: 'Ada Lovelace' }],
    template_alias: TEMPLATE.alias,
    template_model: TEMPLATE_MODEL,
    headers: { [BENCH_FIELD]: STAMP },
    tag: 'receipt',
    metadata: { order: COUNTER },
  })

/** Returns the envelope sender and recipient of the message for SMTP. */
export const envelope = (destination: string): { from: string; to: string } => ({
  from: FROM,
  to: recipientAt(destination),
})

const recipientAt = (destination: string): string => `customer-${COUNTER}@${destination}`

/** Returns the message as MIME for SMTP: quoted-printable, without the final dot of DATA. */
export function mimeMessage(destination: string): string {
  const part = (type: string, text: string): string =>
    `--=_bench\r\nContent-Type: text/${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n` +
    `${quotedPrintable(text)}\r\n`
  return [
    `From: Example Coffee <${FROM}>`,
    `To: Ada Lovelace <${recipientAt(destination)}>`,
    `Subject: ${SUBJECT}`,
    `Message-ID: <${COUNTER}.${SENT_AT}@example.test>`,
    'Date: Thu, 01 Jan 2026 12:00:00 +0000',
    `${BENCH_FIELD}: ${STAMP}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/alternative; boundary="=_bench"',
    '',
    `${part('plain', TEXT)}${part('html', HTML)}--=_bench--`,
    '',
  ].join('\r\n')
}

/**
 * Encodes text whose lines do not begin with a dot as quoted-printable (RFC 2045 §6.7). A soft line break never splits
 * a placeholder.
 */
function quotedPrintable(text: string): string {
  const escaped = text.replace(/[^\n\x20-\x3c\x3e-\x7e]/g, (character) =>
    [...Buffer.from(character)].map((byte) => `=${byte.toString(16).toUpperCase()}`).join(''),
  )
  return escaped
    .split('\n')
    .map((line) => line.replace(/(.{40,62}?[ ;>])(?=.{14})/g, '$1=\r\n'))
    .join('\r\n')
}
