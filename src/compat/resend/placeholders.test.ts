// Tests the translation of Resend's placeholders.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTemplate, parseTemplate } from '../../template-language/parse.ts'
import { sampleModel, type Variable, withOwnPlaceholders, withTheirPlaceholders } from './placeholders.ts'

const VARIABLES: readonly Variable[] = [
  { key: 'NAME', type: 'string', fallback: 'dear "friend"' },
  { key: 'COUNT', type: 'number', fallback: 5 },
  { key: 'PAID', type: 'boolean', fallback: false },
  { key: 'ORDER', type: 'string', fallback: undefined },
]

const TEXT = 'Hi {{{NAME}}}, {{{COUNT}}} of {{{ORDER}}}: {{{PAID}}} {{{RESEND_UNSUBSCRIBE_URL}}} {{{OTHER}}}'

test('placeholders become our language and come back', () => {
  const own = withOwnPlaceholders(TEXT, VARIABLES)
  assert.equal(
    own,
    'Hi {{{insert NAME "default=dear \\"friend\\""}}}, {{{insert COUNT 5}}} of {{{ORDER}}}: {{{insert PAID false}}} {{{ @unsubscribe_url }}} {{{OTHER}}}',
  )
  assert.ok(isTemplate(parseTemplate(own)))
  const found = new Map<string, Variable>()
  assert.equal(withTheirPlaceholders(own, found), TEXT)
  assert.deepEqual([...found.values()], VARIABLES.slice(0, 3))
})

test('a placeholder may contain its fallback', () => {
  assert.equal(withOwnPlaceholders('{{{FIRST_NAME|there}}}', []), '{{{insert FIRST_NAME "default=there"}}}')
})

test('the sample model records the types', () => {
  assert.deepEqual(sampleModel(VARIABLES), { NAME: 'dear "friend"', COUNT: 5, PAID: false, ORDER: '' })
})
