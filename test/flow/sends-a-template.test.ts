// A message that names the alias of a template gets the content that the template had when the message was accepted.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { type Answer, TestApp } from '../support/app.ts'
import { greylist, type HostScript } from '../support/mail-host/script.ts'
import { TestClock } from '../support/test-clock.ts'

const RECEIPT = {
  alias: 'receipt',
  name: 'Receipt',
  subject: 'Receipt {{order.number}}',
  html: '<table>{{#each order.items}}<tr><td>{{name}}</td></tr>{{/each}}</table>',
  text: '{{#each order.items}}* {{name}}\n{{/each}}',
  layout: 'base',
  required: ['order.number'],
}
const BASE = {
  alias: 'base',
  name: 'Base',
  html: '<html><body>{{{ @content }}}<p>{{company}}</p></body></html>',
  text: '{{{ @content }}}\n-- {{company}}\n',
}
const MODEL = { company: 'M&S', order: { number: 'R-1', items: [{ name: 'Tea & milk' }, { name: '<Cup>' }] } }

describe('a template', () => {
  let app: TestApp
  const clock = new TestClock()
  before(async () => {
    const later = greylist()
    const script: HostScript = (command) =>
      command.address.startsWith('later@') ? later(command) : undefined
    app = await TestApp.start({ clock, host: { tls: true, script } })
    assert.equal((await app.call('POST', '/v1/layouts', BASE)).status, 201)
    assert.equal((await app.call('POST', '/v1/templates', RECEIPT)).status, 201)
  })
  after(() => app.stop())

  const post = (fields: object, headers?: Record<string, string>): Promise<Answer> =>
    app.call(
      'POST',
      '/v1/messages',
      { from: 'hello@example.test', to: [{ email: 'you@receiver.example' }], ...fields },
      headers,
    )
  async function sent(fields: object) {
    const { status, body } = await post(fields)
    assert.equal(status, 202, JSON.stringify(body))
    const mail = await PostalMime.parse((await app.host.nextMail()).data)
    assert.equal(mail.messageId, `<${body.message_id.slice(4)}@example.test>`)
    return { id: body.message_id, subject: mail.subject, html: mail.html?.trim(), text: mail.text?.trim() }
  }
  const invalid = async (fields: object, ...expected: string[]): Promise<void> => {
    const { status, body } = await post(fields)
    assert.equal(status, 422, JSON.stringify(body))
    const got = body.errors.map((one: { path: string; code: string }) => `${one.path} ${one.code}`)
    assert.deepEqual(got, expected, JSON.stringify(body.errors))
  }

  test('is sent by alias or by ID, in its layout', async () => {
    const { body } = await app.call('GET', '/v1/templates/receipt')
    for (const name of [{ template_alias: 'receipt' }, { template_id: body.template_id }]) {
      const mail = await sent({ ...name, template_model: MODEL })
      assert.equal(mail.subject, 'Receipt R-1')
      assert.equal(
        mail.html,
        '<html><body><table><tr><td>Tea &amp; milk</td></tr><tr><td>&lt;Cup&gt;</td></tr></table><p>M&amp;S</p></body></html>',
      )
      assert.equal(mail.text, '* Tea & milk\n* <Cup>\n\n-- M&S')
    }
  })

  test('a misspelt template, layout or stream is refused with the one that was probably meant', async () => {
    const template = { template_alias: 'receipt', template_model: MODEL }
    for (const [fields, path, meant] of [
      [{ ...template, template_alias: 'reciept' }, 'template_alias', 'receipt'],
      [{ ...template, layout: 'bsae' }, 'layout', 'base'],
      [{ subject: 'Hi', text: 'Hi', stream: 'brodcast' }, 'stream', 'broadcast'],
    ] as const) {
      const { status, body } = await post(fields)
      assert.equal(status, 422)
      const [{ message, ...problem }] = body.errors
      assert.deepEqual([problem, body.errors.length], [{ path, code: 'not_found' }, 1])
      assert.match(message, new RegExp(`^There is no .* in this domain; did you mean ${meant}\\?$`))
    }
  })

  test('is sent with another subject, another layout or none', async () => {
    const mail = await sent({
      template_alias: 'receipt',
      template_model: MODEL,
      subject: 'Yours {{x}}',
      layout: 'none',
    })
    assert.equal(mail.subject, 'Yours {{x}}')
    assert.ok(mail.html?.startsWith('<table>'))
  })

  test('is shown and retrieved as rendered', async () => {
    const { id } = await sent({ template_alias: 'receipt', template_model: MODEL })
    const { body } = await app.call('GET', `/v1/messages/${id}?include=content`)
    assert.equal(body.subject, 'Receipt R-1')
    assert.match(body.html, /Tea &amp; milk/)
    const list = await app.call('GET', '/v1/messages?subject=receipt%20r-1&limit=1')
    assert.equal(list.body.data[0].message_id, id)
  })

  test('does not change an accepted message when it is edited', async () => {
    await app.call('POST', '/v1/templates', {
      alias: 'fleeting',
      name: 'F',
      subject: 'S',
      text: 'before {{v}}',
    })
    const { body } = await post({
      to: [{ email: 'later@receiver.example' }],
      template_alias: 'fleeting',
      template_model: { v: 1 },
    })
    await app.messageIn(body.message_id, 'deferred')
    await app.call('PUT', '/v1/templates/fleeting', {
      alias: 'fleeting',
      name: 'F',
      subject: 'T',
      text: 'after',
    })
    await app.call('DELETE', '/v1/templates/fleeting')
    await app.advance(72_000)
    await app.messageIn(body.message_id, 'delivered')
    const mail = await PostalMime.parse((await app.host.nextMail()).data)
    assert.deepEqual([mail.subject, mail.text?.trim()], ['S', 'before 1'])
  })

  test('422 for contradictory fields, all at once', async () => {
    const name = { template_alias: 'receipt', template_model: MODEL }
    await invalid({ ...name, html: 'x' }, 'html conflict')
    await invalid({ ...name, text: '' }, 'text conflict')
    await invalid(
      { ...name, html: 'x', text: 'x', tag: 'a\n' },
      'html conflict',
      'text conflict',
      'tag invalid_characters',
    )
    await invalid({ ...name, template_id: `tpl_${'0'.repeat(26)}` }, 'template_alias conflict')
    await invalid({ template_alias: 'nowhere', text: 'x' }, 'text conflict', 'template_alias not_found')
    await invalid(
      { template_alias: 'receipt', html: 'x' },
      'html conflict',
      'template_model.order.number required',
    )
    await invalid({ layout: 'base', subject: 's', text: 'x' }, 'layout conflict')
    await invalid({ ...name, layout: 'nowhere' }, 'layout not_found')
    await invalid({ ...name, tempalte_id: 'x' }, 'tempalte_id unknown_field')
    await invalid({ template_model: MODEL }, 'subject required', 'html required')
  })

  test('422 for a missing template', async () => {
    await invalid({ template_alias: 'nowhere' }, 'template_alias not_found')
    await invalid({ template_id: 'receipt' }, 'template_id not_found')
    await invalid(
      { template_id: `tpl_${'0'.repeat(26)}`, from: 'x' },
      'template_id not_found',
      'from invalid_email',
    )
    const { body } = await app.call('GET', '/v1/templates/receipt')
    await invalid({ template_alias: body.template_id }, 'template_alias not_found')
    await invalid({ template_alias: 5 }, 'template_alias invalid_type')
  })

  test('422 for a model that lacks a required value, and for one that would exceed a limit', async () => {
    await invalid({ template_alias: 'receipt' }, 'template_model.order.number required')
    await invalid({ template_alias: 'receipt', template_model: [1] }, 'template_model invalid_type')
    const breaking = { ...MODEL, order: { ...MODEL.order, number: '1\r\nBcc: evil@evil.example' } }
    await invalid({ template_alias: 'receipt', template_model: breaking }, 'subject invalid_characters')
    const long = { ...MODEL, order: { ...MODEL.order, number: 'x'.repeat(1_000) } }
    await invalid({ template_alias: 'receipt', template_model: long }, 'subject too_long')
    const many = { order: { number: 1, items: Array.from({ length: 400_000 }, () => 0) } }
    await invalid({ template_alias: 'receipt', template_model: many }, 'html too_many_steps')
  })

  test('a model with __proto__ is refused, one with constructor changes nothing', async () => {
    const body = (name: string): string =>
      `{"from":"hello@example.test","to":[{"email":"you@receiver.example"}],"template_alias":"receipt",
      "template_model":{"${name}":{"prototype":{"polluted":1}},"order":{"number":"R-9"}}}`
    const refused = await app.call('POST', '/v1/messages', body('__proto__'))
    assert.deepEqual([refused.status, refused.body.errors[0].path], [422, 'template_model.__proto__'])
    assert.equal((await app.call('POST', '/v1/messages', body('constructor'))).status, 202)
    assert.equal((await PostalMime.parse((await app.host.nextMail()).data)).subject, 'Receipt R-9')
    assert.equal(({} as { polluted?: unknown }).polluted, undefined)
  })

  test('without a subject needs one in the request', async () => {
    await app.call('POST', '/v1/templates', { alias: 'bare', name: 'B', text: 'x' })
    await invalid({ template_alias: 'bare' }, 'subject required')
    assert.equal((await sent({ template_alias: 'bare', subject: 'Given' })).subject, 'Given')
  })

  test('gets the same answer under the same Idempotency-Key after an edit', async () => {
    await app.call('POST', '/v1/templates', { alias: 'edited', name: 'E', subject: 's', text: 'x' })
    const headers = { 'idempotency-key': 'template-1' }
    const first = await post({ template_alias: 'edited' }, headers)
    await app.call('PUT', '/v1/templates/edited', { alias: 'edited', name: 'E', subject: 's', text: 'y' })
    const second = await post({ template_alias: 'edited' }, headers)
    assert.deepEqual([first.status, first.body], [202, second.body])
  })
})
