// Tests requests that other services refused or garbled according to user reports: each request results in the intended
// mail.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type ParsedMail, simpleParser } from 'mailparser'
import { TestApp } from '../../../test/support/app.ts'

const GOOD = {
  from: 'app@example.test',
  to: [{ email: 'reader@example.net' }],
  subject: 'Field case',
  text: 'Hello',
}

let app: TestApp
before(async () => {
  app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
})
after(() => app.stop())

async function mailOf(fields: object): Promise<{ raw: string; read: ParsedMail }> {
  const id = await app.send({ ...GOOD, ...fields })
  const { body } = await app.call('GET', `/v1/messages/${id}/raw`)
  return { raw: String(body), read: await simpleParser(Buffer.from(String(body))) }
}

const render = async (fields: object) =>
  (await app.call('POST', '/v1/render', { subject: 's', template_model: {}, ...fields })).body

describe('mail', () => {
  test('the name of a file beyond ASCII is there for readers old and new', async () => {
    const { raw, read } = await mailOf({ attachments: [{ filename: 'Grüße.pdf', content: 'eA==' }] })
    assert.equal(read.attachments[0]?.filename, 'Grüße.pdf')
    assert.match(raw, /Content-Type: application\/pdf;\r\n name="=\?utf-8\?B\?R3LDvMOfZS5wZGY=\?="/)
    assert.match(
      raw,
      /filename\*=utf-8''Gr%C3%BC%C3%9Fe.pdf;\r\n filename="=\?utf-8\?B\?R3LDvMOfZS5wZGY=\?="/,
    )
  })

  test('base64 has line breaks', async () => {
    const content = `${Buffer.from('invented '.repeat(16)).toString('base64').replace(/.{76}/g, '$&\n')}\n`
    const { read } = await mailOf({ attachments: [{ filename: 'a.bin', content }] })
    assert.equal(read.attachments[0]?.content.toString(), 'invented '.repeat(16))
  })

  test('a meeting request is a form of the content', async () => {
    const content = Buffer.from('BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n')
    const { raw } = await mailOf({
      html: '<p>Please come</p>',
      attachments: [
        {
          filename: 'invite.ics',
          content_type: 'text/calendar; method=REQUEST; charset=utf-8',
          content: content.toString('base64'),
        },
      ],
    })
    const types = [...raw.matchAll(/^Content-Type: ([^;\r]+)/gm)].map(([, type]) => type)
    assert.deepEqual(types, [
      'multipart/mixed',
      'multipart/alternative',
      'text/plain',
      'text/html',
      'text/calendar',
      'application/ics',
    ])
  })

  test('the ID of a list stays plain behind its name', async () => {
    const { raw } = await mailOf({ headers: { 'List-ID': 'Grüße aus dem Laden <news.example.test>' } })
    assert.match(raw, /^List-ID: =\?utf-8\?B\?R3LDvMOfZSBhdXMgZGVtIExhZGVu\?= <news\.example\.test>\r$/m)
  })

  test('an address has dots in a row', async () => {
    const { raw } = await mailOf({ to: [{ email: 'one..two@example.net' }, { email: 'three.@example.net' }] })
    assert.match(raw, /^To: <"one\.\.two"@example\.net>, <"three\."@example\.net>\r$/m)
    const typed = await app.callWith('GET', '/v1/verifyEmail?email=one..two@gmail.com', undefined, {
      authorization: `Bearer ${app.playground.verification_key}`,
    })
    assert.deepEqual([typed.status, typed.body.result], [200, 'undeliverable'])
  })
})

describe('templates', () => {
  test('an ID of eighteen digits prints its digits', async () => {
    const body = '{"subject":"s","html":"{{id}}","template_model":{"id":123456789123456789}}'
    const { body: rendered } = await app.call('POST', '/v1/render', body, {
      'content-type': 'application/json',
    })
    assert.equal(rendered.html, '123456789123456789')
  })

  test('braces that an editor encoded in an address', async () => {
    const url = 'https://shop.example.org'
    const { html } = await render({ html: '<a href="%7B%7Burl%7D%7D">Go</a>', template_model: { url } })
    assert.equal(html, '<a href="https://shop.example.org">Go</a>')
  })

  test('the same in a saved template, which stays as it was given', async () => {
    const html = '<a href="%7B%7Burl%7D%7D">{{<b>name</b>}}</a>'
    await app.call('POST', '/v1/templates', {
      alias: 'edited',
      name: 'E',
      subject: 's',
      html,
      text: '{{url}}',
    })
    assert.equal((await app.call('GET', '/v1/templates/edited')).body.html, html)
    const model = { template_model: { url: 'https://x.example', name: 'A&B' } }
    const { body } = await app.call('POST', '/v1/templates/edited/render', model)
    assert.equal(body.html, '<a href="https://x.example"><b>A&amp;B</b></a>')
    const script = { template_model: { url: 'javascript:alert(1)', name: '' } }
    const unsafe = await app.call('POST', '/v1/templates/edited/render', script)
    assert.equal(unsafe.body.errors[0].code, 'unsafe_link')
  })

  test('a preview that is hidden is no text', async () => {
    const html =
      '<body><div style="display:none;max-height:0">Short preview&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div><p>Hello</p></body>'
    assert.equal((await render({ html })).text, 'Hello')
  })

  test('placeholders of other services are refused, at save, at render and in a bulk', async () => {
    const name = await render({ html: 'Hi %recipient.name%' })
    assert.deepEqual(
      [name.errors[0].code, name.errors[0].line, name.errors[0].column],
      ['foreign_placeholder', 1, 4],
    )
    const html = '<a href="{{{unsubscribe}}}">out</a>'
    assert.equal((await render({ html })).errors[0].code, 'foreign_unsubscribe_link')
    assert.equal(
      (await render({ html, template_model: { unsubscribe: 'https://x' } })).html.slice(9, 18),
      'https://x',
    )
    assert.equal((await app.call('POST', '/v1/templates', { name: 'U', html })).status, 422)
    const lines = `{"from":"app@example.test","subject":"s","html":"Hi *|FNAME|*"}\n{"to":"a@example.net"}\n`
    const bulk = await app.call('POST', '/v1/bulk', lines, { 'content-type': 'application/x-ndjson' })
    assert.deepEqual([bulk.status, bulk.body.errors?.[0].code], [422, 'foreign_placeholder'])
  })
})
