// Tests of reading a message in the form of Mailgun: any message becomes the send request that says the same.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { FormFields } from '../../http/form-fields.ts'
import { Reading } from '../reading.ts'
import { readMessageForm } from './message-form.ts'

const NOW = Date.UTC(2026, 10, 30)

function formOf(fields: Readonly<Record<string, string | readonly string[]>>): FormFields {
  const form = new FormFields()
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) form.addText(name, value)
  }
  return form
}

function read(fields: Readonly<Record<string, string | readonly string[]>>) {
  const reading = new Reading()
  const given = { from: 'shop@example.com', to: 'ann@example.net', subject: 'x', text: 'x', ...fields }
  return { ...readMessageForm(formOf(given), reading, NOW), reading }
}

describe('fields', () => {
  test('booleans may be written in any way', () => {
    for (const yes of ['yes', 'true', 'True', 'YES', '1']) {
      const { shared } = read({ 'o:tracking': yes, 'o:require-tls': yes })
      assert.deepEqual([shared.track_opens, shared.track_links, shared.require_tls], [true, true, true], yes)
    }
    for (const no of ['no', 'false', 'False', '0']) {
      const { shared } = read({ 'o:tracking': no, 'o:tracking-opens': 'yes', 'o:require-tls': no })
      assert.deepEqual(
        [shared.track_opens, shared.track_links, shared.require_tls],
        [false, false, undefined],
        no,
      )
    }
    assert.equal(read({ 'o:tracking-clicks': 'htmlonly' }).shared.track_links, true)
    assert.deepEqual(
      read({ 'o:tracking': 'maybe' }).reading.problems.map(({ path }) => path),
      ['o:tracking'],
    )
  })

  test('an address counts once, in the first list', () => {
    const { to, cc, bcc } = read({
      to: ['Ann <A@x.test>, a@x.test', 'b@x.test'],
      cc: 'a@X.test,c@x.test',
      bcc: 'c@x.test',
    })
    assert.deepEqual(to, [{ email: 'A@x.test', name: 'Ann' }, { email: 'b@x.test' }])
    assert.deepEqual([cc, bcc], [[{ email: 'c@x.test' }], []])
  })

  test('names with commas in quotes and encoded names', () => {
    const { to } = read({ to: '"Other, Ann" <a@x.test>, =?utf-8?Q?J=C3=B6rg?= <j@x.test>' })
    assert.deepEqual(to, [
      { email: 'a@x.test', name: 'Other, Ann' },
      { email: 'j@x.test', name: 'Jörg' },
    ])
  })

  test('variables of unknown addresses are ignored, and named', () => {
    const { variables, reading } = read({
      'recipient-variables': '{"ANN@example.net":{"a":1},"bob@example.net":{}}',
    })
    assert.deepEqual([...(variables ?? [])], [['ann@example.net', { a: 1 }]])
    assert.deepEqual(reading.ignored, ['recipient-variables.bob@example.net'])
  })

  test('the unsubscribe links of Mailgun', () => {
    const { shared, reading } = read({
      html: '<a href="%unsubscribe_url%">',
      'h:List-Unsubscribe': '<%unsubscribe_email%>, <https://x.test/u>',
    })
    assert.equal(shared.html, '<a href="{{{ @unsubscribe_url }}}">')
    assert.deepEqual([shared.headers, reading.ignored], [{ 'List-Unsubscribe': '<https://x.test/u>' }, []])
    assert.deepEqual(read({ 'h:List-Unsubscribe': '<%tag_unsubscribe_url%>' }).reading.ignored, [
      'h:List-Unsubscribe',
    ])
  })

  test('values of the sender are variables of the template', () => {
    const { shared } = read({
      ...{ text: '', template: 'Hi', 'v:a': '1', 'v:list': '[1,2]', 'v:odd': '[1' },
      ...{ 't:variables': '{"a":2}', 'h:X-Mailgun-Variables': '{"b":{"c":true}}' },
    })
    assert.equal(shared.template_alias, 'hi')
    assert.deepEqual(shared.template_model, { a: 2, b: { c: true }, list: [1, 2], odd: '[1' })
    assert.deepEqual(shared.metadata, { a: '1', b: '{"c":true}', list: '[1,2]', odd: '[1' })
  })

  test('hostile values are refused', () => {
    const deep = `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
    for (const name of ['t:variables', 'recipient-variables', 'h:X-Mailgun-Variables']) {
      const fields = name === 't:variables' ? { template: 'x', text: '' } : {}
      const { problems } = read({ ...fields, [name]: deep }).reading
      assert.deepEqual(
        problems.map(({ code }) => code),
        ['invalid_json'],
        name,
      )
    }
    const many = Array.from({ length: 1_001 }, (_, index) => `a${index}@x.test`).join()
    assert.deepEqual(
      read({ to: many }).reading.problems.map(({ code }) => code),
      ['too_many_recipients'],
    )
    const proto = read({ 'v:__proto__': 'x', 'h:__proto__': 'y' }).shared
    assert.equal(Object.hasOwn(proto.metadata ?? {}, '__proto__'), true)
  })
})

test('any message becomes the send request that says the same', () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter((one) => !one.includes('%'))
  const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/)
  const email = word.map((local) => `${local}@example.net`)
  const message = fc.record(
    {
      ...{ subject: text, html: text, text, 'o:tag': fc.array(word, { minLength: 1, maxLength: 10 }) },
      ...{
        to: fc.array(email, { minLength: 1, maxLength: 5 }),
        headers: fc.dictionary(word, text, { noNullPrototype: true }),
      },
      values: fc.dictionary(word, text, { noNullPrototype: true }),
    },
    { requiredKeys: ['to', 'headers', 'values'] },
  )
  fc.assert(
    fc.property(message, ({ to, headers, values, ...fields }) => {
      const form = formOf({
        ...{ from: 'shop@example.com', to, ...fields },
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [`h:x-${name}`, value])),
        ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`v:${name}`, value])),
      })
      const reading = new Reading()
      const { shared, to: recipients } = readMessageForm(form, reading, NOW)
      const own = Object.entries(headers).map(([name, value]) => [`x-${name}`, value])
      assert.deepEqual(reading.ignored, [])
      assert.deepEqual(
        recipients.map((one) => one.email),
        [...new Set(to)],
      )
      assert.deepEqual([shared.subject, shared.html, shared.text], [fields.subject, fields.html, fields.text])
      assert.deepEqual(shared.tags ?? [], [...new Set(fields['o:tag'])])
      assert.deepEqual(shared.headers ?? {}, Object.fromEntries(own))
      assert.deepEqual(shared.metadata ?? {}, values)
    }),
  )
})
