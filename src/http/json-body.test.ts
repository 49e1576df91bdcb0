// Tests JSON bodies: a body that exceeds a limit is refused before its value is built, and any other body is read.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { thorough } from '../../test/support/thorough.ts'
import { Problem } from '../model/problem.ts'
import { readJsonBody, scan } from './json-body.ts'

const read = (text: string) =>
  readJsonBody(Buffer.from(text), { takesArray: text.startsWith('['), contentEncoding: undefined })

const names = (count: number): string => Array.from({ length: count }, (_, i) => `"k${i}":1`).join()

/** Hostile bodies of several megabytes, each with the limit that refuses the body. */
const HOSTILE: Readonly<Record<string, [text: () => string, bound: RegExp]>> = {
  'an object of 700,000 names': [() => `{${names(700_000)}}`, /fields/],
  'the same further inside': [() => `{"a":[{"b":{${names(700_000)}}}]}`, /fields/],
  '9,000,000 brackets': [() => `{"a":${'['.repeat(9_000_000)}`, /levels/],
  'objects without end': [() => '{"a":'.repeat(2_000_000), /levels/],
  'closed nesting': [() => `{"m":${'{"a":'.repeat(800_000)}1${'}'.repeat(800_001)}`, /levels/],
  'a list of millions': [() => `{"a":[${'1,'.repeat(4_000_000)}1]}`, /values/],
  'lists of small objects': [() => `[${'{"a":1},'.repeat(1_000_000)}{}]`, /values/],
}

describe('JSON bodies', () => {
  for (const [what, [text, bound]] of Object.entries(HOSTILE)) {
    test(`${what}: refused quickly`, () => {
      const body = text()
      const spent = cpuWatch()
      assert.throws(
        () => read(body),
        (error) =>
          error instanceof Problem && error.code === 'malformed_request' && bound.test(error.message),
      )
      assert.ok(spent() < 500)
    })
  }

  test('large bodies of ordinary requests are within the bounds', () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ name: `row ${i}`, price: i, note: '":,{[' }))
    const many = JSON.stringify({ template_model: { rows, wide: JSON.parse(`{${names(9_999)}}`) } })
    assert.equal(read(many).fieldNameProblems, null)
    const deep = `{"a":${'['.repeat(990)}${']'.repeat(990)}}`
    assert.equal(read(deep).fieldNameProblems, null)
    assert.ok(read(`[${JSON.stringify('x'.repeat(9_000_000))}]`).value)
  })

  test(
    'different names are bounded for the whole body, names that all rows share are not',
    thorough('1.0 CPU s: bodies with a million names'),
    () => {
      const rows = (prefix: (row: number) => string): string =>
        Array.from({ length: 30 }, (_, row) => `{${names(9_000).replaceAll('"k', `"${prefix(row)}`)}}`).join()
      assert.equal(read(`{"a":[${rows(() => 'k')}]}`).fieldNameProblems, null)
      for (const text of [`{"a":[${rows((row) => `k${row}_`)}]}`, `[${rows((row) => `k${row}_`)}]`]) {
        assert.throws(() => read(text), /100000 different names/)
      }
      const suppressions = Array.from({ length: 100_000 }, (_, i) => ({
        email: `a${i}@b.test`,
        stream: 's',
        reason: 'manual',
      }))
      assert.equal(read(JSON.stringify({ suppressions })).fieldNameProblems, null)
    },
  )

  test('halves of surrogate pairs are replaced, and names that differ only in them are the same name', () => {
    const { value, fieldNameProblems } = read(
      '{"a\\ud800":"\\udfff.","b":["\\uD83D\\uDE00","\\\\ud800",{"c":"x\\uDBFF"}],"\\ud83d\\ude00":1}',
    )
    const whole = { b: ['😀', '\\ud800', { c: 'x\ufffd' }], '😀': 1, 'a\ufffd': '\ufffd.' }
    assert.deepEqual(value, whole)
    assert.equal(fieldNameProblems, null)
    const twice = read('{"m":{"a\\ud800":1,"a\\udfff":2}}').fieldNameProblems
    assert.deepEqual(
      twice?.map(({ code, path }) => `${code} ${path}`),
      ['duplicate_field m.a\ufffd'],
    )
  })

  test('names are counted exactly, with any strings', () => {
    const count = (value: unknown): number =>
      typeof value !== 'object' || value === null
        ? 0
        : Object.values(value).reduce<number>(
            (sum, one) => sum + count(one),
            Array.isArray(value) ? 0 : Object.keys(value).length,
          )
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(scan(JSON.stringify(value)).names, count(JSON.parse(JSON.stringify(value))))
      }),
    )
  })

  test('a text that is not JSON is refused by the parser, without a loop', () => {
    for (const text of ['{"a', '{"a\\"', '{:::', ']]]]', '{"a":1', '[,,,', '"', '\\', '{"\\\\\\"']) {
      assert.throws(
        () => read(text),
        (error) => error instanceof Problem && error.code === 'malformed_request',
        text,
      )
    }
  })
})
