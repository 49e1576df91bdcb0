// Tests that numbers in template models are printed as written, for every way of submission.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../../test/support/app.ts'
import { until } from '../../../test/support/test-clock.ts'

const NUMBERS = [
  '123456789123456789',
  '1.10',
  '1e3',
  '-0',
  '0.10',
  '1E+2',
  '100000000000000000000000',
  '12.00',
  '5',
]
const MODEL = `{"n":[${NUMBERS.join(', ')}],"id":${NUMBERS[0]},"price":1.10}`
const ALL = NUMBERS.join(',')

let app: TestApp
before(async () => {
  app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
  const template = { alias: 'n', name: 'N', subject: '{{id}}', html: '{{n}}', text: '{{price}} {{n}}' }
  const { status, body } = await app.call('POST', '/v1/templates', template)
  assert.equal(status, 201, JSON.stringify(body))
})
after(() => app.stop())

const json = { 'content-type': 'application/json' }

async function rendered(template: Record<string, string>, model: string) {
  const fields = Object.entries({ subject: 's', ...template }).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  )
  const { body } = await app.call('POST', '/v1/render', `{${fields.join()},"template_model":${model}}`, json)
  return body
}

describe('numbers print as they were written', () => {
  test('by /v1/render', async () => {
    assert.equal((await rendered({ html: '{{id}}' }, '{"id":123456789123456789}')).html, '123456789123456789')
    const { subject, html, text } = await rendered({ subject: '{{id}}', html: '{{n}}', text: '{{n}}' }, MODEL)
    assert.deepEqual([subject, html, text], [NUMBERS[0], ALL, ALL])
  })

  test('by a saved template, at once and in a thread', async () => {
    const { body } = await app.call('POST', '/v1/templates/n/render', `{"template_model":${MODEL}}`, json)
    assert.deepEqual([body.subject, body.html, body.text], [NUMBERS[0], ALL, `1.10 ${ALL}`])
    await app.call('POST', '/v1/templates', { alias: 'h', name: 'H', html: '<p>{{n}}</p>' })
    const inThread = await app.call('POST', '/v1/templates/h/render', `{"template_model":${MODEL}}`, json)
    assert.equal(inThread.body.html, `<p>${ALL}</p>`)
  })

  const from = '"from":"app@example.test","to":[{"email":"reader@example.net"}]'
  const subjectOf = async (id: string): Promise<string> =>
    (await app.call('GET', `/v1/messages/${id}`)).body.subject

  test('by a send request, a batch and a body that a thread reads', async () => {
    const request = `{${from},"template_alias":"n","template_model":${MODEL}}`
    const single = await app.call('POST', '/v1/messages', request, json)
    assert.equal(await subjectOf(single.body.message_id), NUMBERS[0])
    const batch = await app.call('POST', '/v1/messages/batch', `[${request},${request}]`, json)
    assert.equal(await subjectOf(batch.body.data[1].message_id), NUMBERS[0])
    const long = `{${from},"template_alias":"n","template_model":{"long":"${'x'.repeat(400_000)}",${MODEL.slice(1)}}`
    const read = await app.call('POST', '/v1/messages', long, json)
    assert.equal(await subjectOf(read.body.message_id), NUMBERS[0])
    const many = await app.call('POST', '/v1/messages/batch', `[${long},${request}]`, json)
    for (const { message_id } of many.body.data) assert.equal(await subjectOf(message_id), NUMBERS[0])
  })

  test('by a row of a bulk, and by the model of all rows', async () => {
    const message = `{"from":"app@example.test","subject":"{{price}} {{id}}","text":"t","template_model":{"price":2.50}}`
    const row = '{"to":"reader@example.net","template_model":{"id":123456789123456789}}'
    const type = { 'content-type': 'application/x-ndjson' }
    const { body } = await app.call('POST', '/v1/bulk', `${message}\n${row}\n`, type)
    const [sent] = await until('the row is a message', async () => {
      const rows = (await app.call('GET', `/v1/bulk/${body.bulk_id}/rows`)).body.data
      return rows[0]?.message_id && rows
    })
    assert.equal(await subjectOf(sent.message_id), '2.50 123456789123456789')
  })

  test('in a sample model that is stored', async () => {
    const template = `{"alias":"s","name":"S","html":"{{n}}","sample_model":${MODEL}}`
    const made = await app.callWith('POST', '/v1/templates', template, {
      ...json,
      authorization: `Bearer ${app.playground.sending_key}`,
    })
    assert.equal(made.status, 201)
    const response = await fetch(new URL('/v1/templates/s', app.app.url), {
      headers: { authorization: `Bearer ${app.playground.sending_key}` },
    })
    const text = await response.text()
    for (const number of NUMBERS) assert.ok(text.includes(number), `${number} in ${text}`)
  })
})

describe('numbers count as numbers', () => {
  const table: [template: string, model: string, expected: string][] = [
    ['{{#if n}}yes{{else}}no{{/if}}', '{"n":0.00}', 'no'],
    ['{{#if n}}yes{{else}}no{{/if}}', '{"n":-0}', 'no'],
    ['{{#if n includeZero=true}}yes{{/if}}', '{"n":0.0}', 'yes'],
    ['{{#unless n}}none{{/unless}}', '{"n":0e5}', 'none'],
    ['{{#if (and n 1)}}yes{{else}}no{{/if}}', '{"n":0.0}', 'no'],
    ['{{#equals n 1.1}}same{{/equals}}', '{"n":1.10}', 'same'],
    ['{{#equals n "1.10"}}same{{/equals}}', '{"n":1.10}', 'same'],
    ['{{#equals n "1.1"}}same{{/equals}}', '{"n":1.10}', 'same'],
    ['{{#equals n 1000}}same{{/equals}}', '{"n":1e3}', 'same'],
    [
      '{{#equals n m}}same{{else}}other{{/equals}}',
      '{"n":123456789123456789,"m":123456789123456788}',
      'other',
    ],
    ['{{#equals n "123456789123456789"}}same{{/equals}}', '{"n":123456789123456789}', 'same'],
    ['{{#greaterThan n m}}more{{/greaterThan}}', '{"n":123456789123456789,"m":123456789123456788}', 'more'],
    ['{{#greaterThan n 1}}more{{/greaterThan}}', '{"n":1.10}', 'more'],
    ['{{#lessThan n "2"}}less{{/lessThan}}', '{"n":1.10}', 'less'],
    ['{{n.rawJSON}}{{n.length}}{{#each n}}x{{/each}}', '{"n":1.10}', ''],
    ['{{#n}}{{this}}{{/n}}', '{"n":1.10}', '1.10'],
    ['{{lookup list n}}', '{"n":1,"list":["a","b"]}', 'b'],
    ['{{n}} {{{n}}} {{m.rawJSON}}', '{"n":1.10,"m":{"rawJSON":"<2>"}}', '1.10 1.10 &lt;2&gt;'],
    ['{{insert n}}|{{insert x}}|{{insert n "default=0"}}', '{"n":1.10}', '1.10||1.10'],
    ['{{#equals a b}}same{{/equals}}', '{"a":null}', 'same'],
  ]
  for (const [template, model, expected] of table) {
    test(`${template} with ${model}: ${expected}`, async () => {
      const body = await rendered({ html: template, text: '-' }, model)
      assert.equal(body.html, expected, JSON.stringify(body))
    })
  }
})
