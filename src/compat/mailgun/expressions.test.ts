// Tests of filter expressions.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readExpression, requiredValue } from './expressions.ts'

const cases: [expression: string, values: string[], matches: boolean][] = [
  ['delivered', ['delivered'], true],
  ['delivered', ['failed'], false],
  ['Delivered OR failed', ['failed'], true],
  ['delivered OR opened OR failed', ['clicked'], false],
  ['a AND b', ['a', 'b', 'c'], true],
  ['a AND b', ['a'], false],
  ['a AND b OR c', ['c'], true],
  ['NOT a', ['b'], true],
  ['NOT a', ['a', 'b'], false],
  ['a AND NOT b', ['a', 'b'], false],
  ['NOT NOT a', ['a'], true],
  ['"my tag" OR x', ['my tag'], true],
  ['my tag', ['my tag'], true],
  ['"OR"', ['or'], true],
  ['(a OR b)', ['b'], true],
]
for (const [expression, values, matches] of cases) {
  test(`${expression} with ${values}`, () => {
    assert.equal(readExpression(expression)?.(values), matches)
  })
}

test('texts that are no expressions', () => {
  for (const text of ['', 'OR', 'a OR', 'AND b', 'NOT', 'a '.repeat(200), 'x'.repeat(3_000)]) {
    assert.equal(readExpression(text), undefined, text.slice(0, 20))
  }
})

test('the value that every match has', () => {
  assert.equal(requiredValue('a AND b'), 'a')
  assert.equal(requiredValue('my tag'), 'my tag')
  assert.equal(requiredValue(''), undefined)
  assert.equal(requiredValue('a OR b'), undefined)
  assert.equal(requiredValue('a AND NOT b'), undefined)
})
