// A shop that has used an installation for two weeks, with data for every page of the dashboard.

import { type Clock, systemClock } from '../../../src/lib/clock.ts'
import type { Answer, TestApp } from '../app.ts'
import { inboundMessages } from '../inbound-mail.ts'
import { Person } from '../person.ts'
import { until } from '../test-clock.ts'
import { fillDeliverability } from './shop-deliverability.ts'

const HOUR_MS = 3_600_000
const DAYS = 14
const STEPS_A_DAY = 4

/** A clock that lags behind the system clock by `behindMs` milliseconds. */
export class LateClock implements Clock {
  behindMs = DAYS * 24 * HOUR_MS
  now(): number {
    return Date.now() - this.behindMs
  }
  readonly monotonic = systemClock.monotonic
  readonly after = systemClock.after
}

/** Account of the shop, with objects of every kind. */
export interface Shop {
  /** ID of the domain that sends mail. */
  readonly domain: string
  /** ID of a domain whose DNS records are not published. */
  readonly pending: string
  readonly template: string
  readonly layout: string
  /** IDs of a delivered and a bounced message. */
  readonly delivered: string
  readonly bounced: string
  /** Dashboard paths of a mail in the mailbox, of a test inbox, and of a mail in the inbox. */
  readonly mail: string
  readonly inbox: string
  readonly testMail: string
  readonly list: string
  readonly webhook: string
  /** ID of a webhook of the account. */
  readonly accountWebhook: string
  readonly bulk: string
  readonly inbound: string
  /** ID of an open incident. */
  readonly incident: string
  /**
   * Links that work without a login: to a message, to the DNS records of the pending domain, to a mail of a test inbox,
   * and to the unsubscribe page.
   */
  readonly links: readonly string[]
}

const FRAME = `<!doctype html>
<html>
  <body style="margin: 0; background: #f4f1ec; font-family: Georgia, serif; color: #2d2a26">
    <div style="max-width: 560px; margin: 0 auto; padding: 32px 24px">
      <p style="font-size: 22px; margin: 0 0 24px">Larch &amp; Linden</p>
      <div style="background: #fff; padding: 28px; border-radius: 6px">{{{ @content }}}</div>
      <p style="font-size: 13px; color: #6f675d">Larch &amp; Linden, Mill Lane 4. Questions? Just reply.</p>
    </div>
  </body>
</html>
`
const SHIPPED = `<h1 style="font-size: 24px; margin-top: 0">Your parcel is on its way</h1>
<p>Dear {{name}}, order {{order.number}} left our workshop today.</p>
<table style="width: 100%; border-collapse: collapse">
  {{#each order.items}}
  <tr>
    <td style="padding: 8px 0; border-bottom: 1px solid #eee">{{title}}</td>
    <td style="padding: 8px 0; border-bottom: 1px solid #eee; text-align: right">{{price}}</td>
  </tr>
  {{/each}}
</table>
<p>
  <a href="{{order.tracking_url}}" style="background: #3d5a45; color: #fff; padding: 10px 18px; border-radius: 4px">
    Follow the parcel
  </a>
</p>
`
const PEOPLE = ['Amara Osei', 'Ben Fischer', 'Chloé Martin', 'Dmitri Volkov', 'Elif Demir', 'Freja Lund']
const ITEMS = [
  { title: 'Oak bench', price: '240.00' },
  { title: 'Beeswax, 250 g', price: '14.50' },
]
const modelFor = (name: string, order: number): object => ({
  name: name.split(' ')[0],
  order: { number: String(order), items: ITEMS, tracking_url: 'https://parcels.example/4711' },
})

/** Template model for the order template. */
export const MODEL = modelFor('Amara Osei', 4_711)

/** Creates the data of two weeks in the account of a shop; the clock shows the real time afterwards. */
export async function fillShop(app: TestApp, clock: LateClock): Promise<Shop> {
  let owner = await Person.loggedIn(app)
  const call = async (method: string, path: string, body?: object): Promise<Answer['body']> => {
    const answer = await owner.call(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  await call('PATCH', '/api/me', { name: 'Ines Larch' })
  await call('PATCH', '/api/account', { name: 'Larch & Linden' })
  const domain: string = (await call('GET', '/api/domains')).data[0].domain_id
  const workspace = `/api/domains/${domain}`
  const layout = await call('POST', `${workspace}/layouts`, { alias: 'frame', name: 'Frame', html: FRAME })
  const shipped = { alias: 'order-shipped', name: 'Order shipped', layout: 'frame', html: SHIPPED }
  const subject = 'Order {{order.number}} is on its way'
  const template = await call('POST', `${workspace}/templates`, { ...shipped, subject })
  await call('PUT', `${workspace}/templates/order-shipped`, {
    ...shipped,
    subject,
    required: ['order.items'],
  })
  const plain = { layout: 'frame', html: '<h1>Good to have you here, {{name}}.</h1>' }
  for (const name of ['Welcome', 'Sign-in link', 'Receipt', 'Password reset']) {
    const alias = name.toLowerCase().replace(' ', '-')
    await call('POST', `${workspace}/templates`, { alias, name, subject: `${name} for {{name}}`, ...plain })
  }
  const brand = { name: 'Larch & Linden', logo_url: null, color: '#0a6b3d' }
  const newsletter = { alias: 'newsletter', name: 'Newsletter', kind: 'broadcast', brand }
  await call('POST', `${workspace}/streams`, newsletter)
  await call('POST', '/api/keys', { kind: 'sending', domains: [domain], name: 'Shop', rate: '100/s' })
  await call('POST', '/api/smtp-credentials', { domain, name: 'Warehouse printer' })
  await call('POST', '/api/keys', { kind: 'verification', name: 'Sign-up form' })
  await call('POST', '/api/invitations', { email: 'tom@larch.example', role: 'developer' })
  await sendForDays(app, clock)
  // The session of the owner has expired, because the clock has moved by two weeks.
  owner = await Person.loggedIn(app)
  const { domain_id: pending } = await call('POST', '/api/domains', { domain: 'larch-linden.example' })
  const [delivered = '', bounced = ''] = await Promise.all([
    sendShipped(app, 1, 0),
    sendShipped(app, 2, 0, 'bounce'),
  ])
  await app.messageIn(delivered, 'delivered')
  await app.messageIn(bounced, 'bounced')
  await app.send({ to: [{ email: 'defer@example.test' }], subject: 'Your sign-in link', tag: 'sign-in' })
  const addresses = PEOPLE.map((name) => emailOf(name)).concat(
    'info@example.test',
    'who@nowhere.invalid',
    'no address',
  )
  const { verification_id: list } = await call('POST', '/api/verification/verifications', addresses)
  await call('GET', '/api/verification/verifyEmailDetailed?email=info%40example.test')
  await until('the list is done', async () => {
    return (await call('GET', `/api/verification/verifications/${list}`)).status === 'done'
  })
  const { webhook_id: webhook } = await call('POST', `${workspace}/webhooks`, {
    url: 'https://shop.example/hooks/mail',
    name: 'Shop',
  })
  await call('POST', `${workspace}/webhooks/${webhook}/test`, {})
  const { webhook_id: accountWebhook } = await call('POST', '/api/account-webhooks', {
    ...{ name: 'Provisioning', url: 'https://shop.example.com/account-events' },
    event_types: ['domain.verified', 'domain.closed', 'key.expiring', 'allowance.low'],
  })
  await call('POST', `/api/account-webhooks/${accountWebhook}/test`, {})
  const bulk = await sendList(app)
  const inbound = await receiveReply(app)
  const links = await Promise.all([
    call('POST', `${workspace}/messages/${delivered}/share`, { hours: 24 }),
    call('POST', `/api/domains/${pending}/record-links`),
  ])
  const testInbox = await fillInbox(app, call)
  const incident = await fillDeliverability(app, bounced)
  return {
    ...{ domain, pending, template: template.template_id, layout: layout.layout_id },
    ...{
      delivered,
      bounced,
      mail: await app.pathInMailbox('subject:order'),
      ...testInbox,
      list,
      webhook,
      accountWebhook,
      bulk,
      inbound,
      incident,
    },
    links: [...links.map(({ url }) => url), testInbox.link, await unsubscribeLink(app)],
  }
}

/** Sends a bulk; one of its rows is refused. */
async function sendList(app: TestApp): Promise<string> {
  const rows = PEOPLE.map((name) => ({ to: { email: emailOf(name), name }, template_model: { name } }))
  const lines = [{ from: 'news@example.test', template_alias: 'welcome' }, ...rows, { to: 'no address' }]
  const { status, body } = await app.call(
    'POST',
    '/v1/bulk?name=Spring+letter',
    lines.map((line) => JSON.stringify(line)).join('\n'),
    { 'content-type': 'application/x-ndjson' },
  )
  if (status !== 202) throw new Error(`no bulk: ${JSON.stringify(body)}`)
  await until('the list is sent', async () => {
    return (await app.call('GET', `/v1/bulk/${body.bulk_id}`)).body.status === 'done'
  })
  return body.bulk_id
}

/** Creates a test inbox with mail; returns its path, the path of a mail, and a link to the mail. */
async function fillInbox(
  app: TestApp,
  call: (method: string, path: string, body?: object) => Promise<Answer['body']>,
) {
  const { inbox_id } = await call('POST', '/api/inboxes', { name: 'Checkout tests', keep_days: 3 })
  const wanted = {
    kind: 'sending',
    name: 'Checkout tests',
    domains: ['example.test'],
    mode: 'test',
    inbox_id,
  }
  const { key } = await call('POST', '/api/keys', wanted)
  const mails = [
    { subject: 'Your sign-in code', text: 'Your sign-in code is 482 913.\n' },
    { subject: 'Order 4711 is on its way', html: SHIPPED.replace(/\{\{[^}]*\}\}/g, 'Oak bench') },
    {
      subject: 'Choose a new password',
      html: '<p>Hello Amara,</p><p><a href="https://shop.example/reset?token=abc">Choose a new password</a></p>',
      text: 'Choose a new password: https://shop.example/reset?token=abc\nOr use the code 719203.\n',
      attachments: [{ filename: 'terms.pdf', content: Buffer.from('%PDF-1.7').toString('base64') }],
      tag: 'password-reset',
    },
  ]
  for (const mail of mails) {
    const person = { email: 'amara.osei@customer.example', name: 'Amara Osei' }
    const body = { from: 'shop@shop.example', from_name: 'Larch & Linden', to: [person], ...mail }
    const { status } = await app.call('POST', '/v1/messages', body, { authorization: `Bearer ${key}` })
    if (status !== 202) throw new Error(`the test message was refused with ${status}`)
    await call('GET', `/api/inboxes/${inbox_id}/wait?subject=${encodeURIComponent(mail.subject)}`)
  }
  const { data } = await call('GET', `/api/inboxes/${inbox_id}/messages`)
  const of = `/api/inboxes/${inbox_id}/messages/${data[0].mail_id}`
  const { url: link } = await call('POST', `${of}/share`, { hours: 24 })
  return { inbox: `/inboxes/${inbox_id}`, testMail: `/inboxes/${inbox_id}/${data[0].mail_id}`, link }
}

/** Returns the unsubscribe link of a recipient who gets two newsletters. */
async function unsubscribeLink(app: TestApp): Promise<string> {
  const to = [{ email: 'amara.osei@example.test' }]
  for (const stream of ['broadcast', 'newsletter']) {
    await app.messageIn(await app.send({ to, stream, subject: 'Spring at the workshop' }), 'delivered')
  }
  const { body: raw } = await app.mailInMailbox('latest', '/raw?query=subject:spring')
  const [, link = ''] = /^List-Unsubscribe: <(http[^>]+)>/im.exec(raw) ?? []
  return link
}

/** Receives a reply from a customer of the shop; returns the ID of the inbound message. */
async function receiveReply(app: TestApp): Promise<string> {
  await app.call('POST', '/v1/streams', {
    ...{ alias: 'replies', name: 'Replies', kind: 'inbound' },
    addresses: ['*@inbound.example.test'],
  })
  await app.send({
    ...{
      from: 'amara.osei@example.test',
      from_name: 'Amara Osei',
      to: [{ email: 'orders@inbound.example.test' }],
    },
    ...{ subject: 'Re: Order 4711 is on its way', text: 'When will it be here?\n\n> Order 4711 left today.' },
    ...{ html: '<p>When will it be here?</p>', attachments: [{ filename: 'door.txt', content: 'eA==' }] },
  })
  return (await inboundMessages(app, 1))[0].inbound_id
}

const emailOf = (name: string): string =>
  `${name
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^a-z ]/g, '')
    .replace(' ', '.')}@example.test`

/** Sends mail for two weeks, with more messages by day than by night. */
async function sendForDays(app: TestApp, clock: LateClock): Promise<void> {
  const stepMs = clock.behindMs / (DAYS * STEPS_A_DAY)
  for (let step = 0; step < DAYS * STEPS_A_DAY; step++) {
    const busy = [2, 6, 9, 4][step % STEPS_A_DAY] ?? 1
    const count = busy + ((step * 7) % 5)
    const ids = await Promise.all(
      Array.from({ length: count }, (_, index) => sendOne(app, step * 20 + index)),
    )
    await Promise.all(ids.map((id) => app.messageIn(id, 'delivered', 'bounced', 'deferred', 'suppressed')))
    clock.behindMs = Math.max(0, clock.behindMs - stepMs)
  }
  clock.behindMs = 0
}

function sendOne(app: TestApp, number: number): Promise<string> {
  const name = PEOPLE[number % PEOPLE.length] ?? ''
  if (number % 3 === 0) return sendShipped(app, number, number % 29 === 0 ? number : 0)
  const [subject, tag] =
    number % 3 === 1 ? ['Your sign-in link', 'sign-in'] : [`Receipt for order ${4_000 + number}`, 'receipt']
  return app.send({ to: [{ email: emailOf(name), name }], subject, tag, text: `Dear ${name},\n` })
}

function sendShipped(app: TestApp, number: number, refused: number, to?: string): Promise<string> {
  const name = PEOPLE[number % PEOPLE.length] ?? ''
  const local = refused > 0 ? `bounce+${refused}` : to
  const email = local === undefined ? emailOf(name) : `${local}@example.test`
  return app.send({
    from: 'orders@example.test',
    from_name: 'Larch & Linden',
    to: [{ email, name }],
    ...{ subject: undefined, text: undefined },
    template_alias: 'order-shipped',
    template_model: modelFor(name, 4_000 + number),
    tag: 'shipping',
  })
}
