// Starter templates: messages that nearly every product sends.

export interface Starter {
  /** Alias of the starter, which is also the key of its description in the texts. */
  readonly alias: 'welcome' | 'password-reset' | 'receipt' | 'invitation' | 'invoice'
  readonly name: string
  readonly subject: string
  readonly html: string
  readonly text: string
  readonly required: readonly string[]
  readonly sample_model: object
}

const BUTTON =
  'display: inline-block; background: #14539a; color: #ffffff; padding: 12px 20px; border-radius: 6px; text-decoration: none; font-weight: 600'
const CELL = 'padding: 10px 0; border-bottom: 1px solid #e4e7eb'
const SMALL = 'font-size: 14px; color: #52606d'

const button = (url: string, label: string): string =>
  `<p style="margin: 28px 0"><a href="{{${url}}}" style="${BUTTON}">${label}</a></p>
<p style="${SMALL}">If the button does not work, open this address: {{${url}}}</p>`

/**
 * Returns a page with a single column, which has the same layout in narrow windows, and with the name of the sender
 * above and below the content.
 */
const framed = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
</head>
<body style="margin: 0; background: #f4f6f8; font-family: Helvetica, Arial, sans-serif; font-size: 16px; line-height: 1.5; color: #1f2933">
<div style="max-width: 560px; margin: 0 auto; padding: 24px 16px">
<p style="font-size: 18px; font-weight: 700; margin: 0 0 16px">{{product.name}}</p>
<div style="background: #ffffff; border-radius: 8px; padding: 32px">
${body}
</div>
<p style="${SMALL}; margin: 16px 0 0">{{product.name}}, {{product.address}}</p>
</div>
</body>
</html>
`

const heading = (text: string): string =>
  `<h1 style="font-size: 24px; line-height: 1.25; margin: 0 0 16px">${text}</h1>`

const PRODUCT = { name: 'Larch & Linden', address: 'Mill Lane 4, 12345 Springfield' }
const FOOT = `
-- 
{{product.name}}, {{product.address}}
`

const welcome: Starter = {
  ...{ alias: 'welcome', name: 'Welcome' },
  subject: 'Welcome to {{product.name}}, {{name}}',
  html: framed(
    'Welcome',
    `${heading('Welcome, {{name}}')}
<p>Your account is ready. A good first step: {{first_step}}.</p>
${button('action_url', 'Get started')}
<p>Questions? Reply to this message; a person reads it.</p>`,
  ),
  text: `Welcome, {{name}}

Your account is ready. A good first step: {{first_step}}.

Get started: {{action_url}}

Questions? Reply to this message; a person reads it.
${FOOT}`,
  required: ['name', 'action_url'],
  sample_model: {
    name: 'Ann',
    first_step: 'invite the people you work with',
    action_url: 'https://app.example.com/start',
    product: PRODUCT,
  },
}

const reset: Starter = {
  ...{ alias: 'password-reset', name: 'Password reset' },
  subject: 'Choose a new password for {{product.name}}',
  html: framed(
    'Choose a new password',
    `${heading('Choose a new password')}
<p>Hello {{name}}, somebody asked for a new password for your account. The link works once, for {{expires_in}}.</p>
${button('action_url', 'Choose a password')}
<p style="${SMALL}">The request came from {{device}}. If it was not you, ignore this message: your password stays as it is.</p>`,
  ),
  text: `Hello {{name}},

somebody asked for a new password for your account. The link works once, for {{expires_in}}:

{{action_url}}

The request came from {{device}}. If it was not you, ignore this message: your password stays as it is.
${FOOT}`,
  required: ['action_url', 'expires_in'],
  sample_model: {
    name: 'Ann',
    action_url: 'https://app.example.com/reset/4f6c1a',
    expires_in: '60 minutes',
    device: 'Firefox on Linux',
    product: PRODUCT,
  },
}

const rows = (
  items: string,
  amount: string,
): string => `<table style="width: 100%; border-collapse: collapse" role="presentation">
{{#each ${items}}}
<tr>
<td style="${CELL}">{{title}}</td>
<td style="${CELL}; text-align: right">{{quantity}}</td>
<td style="${CELL}; text-align: right">{{price}}</td>
</tr>
{{/each}}
<tr>
<td style="padding: 10px 0; font-weight: 700" colspan="2">Total</td>
<td style="padding: 10px 0; font-weight: 700; text-align: right">{{${amount}}}</td>
</tr>
</table>`

const ITEMS = [
  { title: 'Oak bench', quantity: 1, price: '€240.00' },
  { title: 'Beeswax, 250 g', quantity: 2, price: '€29.00' },
]

const receipt: Starter = {
  ...{ alias: 'receipt', name: 'Receipt' },
  subject: 'Your receipt from {{product.name}}: {{order.number}}',
  html: framed(
    'Receipt',
    `${heading('Thank you, {{name}}')}
<p>We received your payment of {{order.total}} on {{order.date}}, by {{order.payment_method}}. Receipt number {{order.number}}.</p>
${rows('order.items', 'order.total')}
${button('action_url', 'View the order')}`,
  ),
  text: `Thank you, {{name}}.

We received your payment of {{order.total}} on {{order.date}}, by {{order.payment_method}}. Receipt number {{order.number}}.

{{#each order.items}}
{{quantity}} x {{title}}: {{price}}
{{/each}}
Total: {{order.total}}

View the order: {{action_url}}
${FOOT}`,
  required: ['order.number', 'order.items', 'order.total'],
  sample_model: {
    name: 'Ann',
    order: {
      number: 'R-4711',
      date: '22 November 2026',
      payment_method: 'card ending in 4242',
      items: ITEMS,
      total: '€269.00',
    },
    action_url: 'https://shop.example.com/orders/4711',
    product: PRODUCT,
  },
}

const invitation: Starter = {
  ...{ alias: 'invitation', name: 'Invitation' },
  subject: '{{inviter.name}} invites you to {{team}}',
  html: framed(
    'Invitation',
    `${heading('{{inviter.name}} invites you to {{team}}')}
<p>{{inviter.name}} ({{inviter.email}}) uses {{product.name}} and asks you to join the team {{team}}.</p>
{{#if note}}<p style="border-left: 3px solid #cbd2d9; padding-left: 12px">{{note}}</p>{{/if}}
${button('action_url', 'Accept the invitation')}
<p style="${SMALL}">The invitation is valid until {{expires_on}}. If you do not know {{inviter.name}}, ignore this message.</p>`,
  ),
  text: `{{inviter.name}} ({{inviter.email}}) uses {{product.name}} and asks you to join the team {{team}}.

{{#if note}}
{{note}}

{{/if}}
Accept the invitation: {{action_url}}

It is valid until {{expires_on}}. If you do not know {{inviter.name}}, ignore this message.
${FOOT}`,
  required: ['inviter.name', 'team', 'action_url'],
  sample_model: {
    inviter: { name: 'Ben Fischer', email: 'ben@example.com' },
    team: 'Workshop',
    note: 'We plan the spring catalogue there.',
    expires_on: '29 November 2026',
    action_url: 'https://app.example.com/invitations/9d2e',
    product: PRODUCT,
  },
}

const invoice: Starter = {
  ...{ alias: 'invoice', name: 'Invoice' },
  subject: 'Invoice {{invoice.number}} from {{product.name}}, due {{invoice.due_on}}',
  html: framed(
    'Invoice',
    `${heading('Invoice {{invoice.number}}')}
<p>Hello {{name}}, this is the invoice for {{invoice.period}}. Please pay {{invoice.total}} by {{invoice.due_on}}.</p>
${rows('invoice.items', 'invoice.total')}
${button('action_url', 'Pay the invoice')}
<p style="${SMALL}">{{#if vat_id}}VAT ID: {{vat_id}}. {{/if}}Billed to {{billed_to}}.</p>`,
  ),
  text: `Hello {{name}},

this is the invoice {{invoice.number}} for {{invoice.period}}. Please pay {{invoice.total}} by {{invoice.due_on}}.

{{#each invoice.items}}
{{quantity}} x {{title}}: {{price}}
{{/each}}
Total: {{invoice.total}}

Pay the invoice: {{action_url}}

{{#if vat_id}}VAT ID: {{vat_id}}. {{/if}}Billed to {{billed_to}}.
${FOOT}`,
  required: ['invoice.number', 'invoice.total', 'invoice.due_on'],
  sample_model: {
    name: 'Ann',
    invoice: {
      number: '2026-0142',
      period: 'November 2026',
      due_on: '6 December 2026',
      items: [{ title: 'Team plan, 5 seats', quantity: 5, price: '€95.00' }],
      total: '€95.00',
    },
    vat_id: 'DE123456789',
    billed_to: 'Example GmbH, Hafenstraße 1, 20457 Hamburg',
    action_url: 'https://app.example.com/invoices/2026-0142',
    product: PRODUCT,
  },
}

export const STARTERS: readonly Starter[] = [welcome, reset, receipt, invitation, invoice]
