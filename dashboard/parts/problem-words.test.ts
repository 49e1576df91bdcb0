// Problems as a page shows them: fields in words, entries counted from 1, no repetition.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProblemError } from '../client.ts'
import { atField, atOwnName, linesOf, requestOf } from './problem-words.ts'

test('paths of fields are words, and entries are counted from 1', () => {
  const tables: readonly (readonly [path: string, words: string])[] = [
    ['', 'Wrong.'],
    ['code', 'Code: Wrong.'],
    ['email', 'Email: Wrong.'],
    ['suppressions[1].email', 'Suppressions 2, email: Wrong.'],
    ['[0]', '1: Wrong.'],
    ['template_model.order', 'Template model, order: Wrong.'],
    ['template_model.action_url', 'Template model, action_url: Wrong.'],
    [
      'messages[2].template_model.order.line_items[0]',
      'Messages 3, template model, order.line_items[0]: Wrong.',
    ],
    ['headers.X-Our_Field', 'Headers, X-Our_Field: Wrong.'],
  ]
  for (const [path, words] of tables) assert.equal(atField(path, 'Wrong.').replace(/^ /, ''), words, path)
})

test('the field of a model names the variable', () => {
  assert.equal(atOwnName('template_model.action_url', 'Missing.'), 'action_url: Missing.')
  assert.equal(atOwnName('sample_model.order.items[0]', 'Missing.'), 'order.items[0]: Missing.')
  assert.equal(atOwnName('template_model', 'Not JSON.'), 'Not JSON.')
})

test('fields that show their problems themselves are left out; without fields the sentence is told', () => {
  const detail = 'The request has a wrong field.'
  const at = (path: string) => ({ path, code: 'wrong', message: 'Wrong.' })
  const error = new ProblemError(422, { code: 'validation_failed', detail, errors: [at('name'), at('rate')] })
  assert.deepEqual(linesOf(error, ['name']), ['Rate: Wrong.'])
  assert.deepEqual(linesOf(error, ['name', 'rate']), [])
  assert.deepEqual(linesOf(new ProblemError(409, { code: 'conflict', detail }), []), [detail])
})

test('the ID of the request is told for faults of the service alone', () => {
  const of = (status: number) =>
    requestOf(new ProblemError(status, { code: 'x', detail: 'X.', request_id: 'req_1' }))
  assert.deepEqual([of(422), of(404), of(503)], [undefined, undefined, 'req_1'])
})
