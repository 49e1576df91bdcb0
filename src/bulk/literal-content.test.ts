// Tests of literal content: which fields are filled, that values stay data, and the refusal of values that are too long.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { literalFields } from './literal-content.ts'

const row = (variables: object, name?: string) => ({
  to: { email: 'ann@example.net', ...(name === undefined ? {} : { name }) },
  template_model: variables,
})

test('all texts are filled, and names of fields stay', () => {
  const fill = literalFields({
    ...{ subject: 'For %recipient.name%', text: '%recipient%', html: '<p>%recipient.name%</p>' },
    ...{ headers: { 'X-%recipient.name%': '%recipient.id%' }, metadata: { id: '%recipient.id%' } },
    reply_to: [{ email: 'r+%recipient.id%@example.com', name: '%recipient.name%' }],
    template_model: { list: [{ name: '%recipient.name%' }, 7, null, true] },
  })
  assert.deepEqual(fill(row({ name: 'Ann', id: 7 }, 'Ann Other')), {
    ...{ subject: 'For Ann', text: 'Ann Other <ann@example.net>', html: '<p>Ann</p>' },
    ...{ headers: { 'X-%recipient.name%': '7' }, metadata: { id: '7' } },
    reply_to: [{ email: 'r+7@example.com', name: 'Ann' }],
    template_model: { list: [{ name: 'Ann' }, 7, null, true] },
  })
  assert.equal(fill(row({})).subject, 'For %recipient.name%')
})

test('a value contains no unsubscribe link', () => {
  const fill = literalFields({ text: '%recipient.a%' })
  assert.doesNotMatch(fill(row({ a: '{{{ @unsubscribe_url }}}' })).text ?? '', /\{\{\{ @unsubscribe_url/)
})

test('values that make a message too long are refused', () => {
  const fill = literalFields({ text: '%recipient.a%'.repeat(10_000) })
  assert.throws(() => fill(row({ a: 'x'.repeat(100_000) })), {
    code: 'validation_failed',
    errors: [
      {
        ...{ path: 'recipient-variables', code: 'output_too_long' },
        message:
          'All parts of the template together print more than 26214400 bytes with this model; print less.',
      },
    ],
  })
})
