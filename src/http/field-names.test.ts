import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wrongFieldNames } from './field-names.ts'
import { scan } from './json-body.ts'

const found = (text: string): string[] =>
  (wrongFieldNames(text, JSON.parse(text), scan(text).names) ?? []).map(({ path, code }) => `${code} ${path}`)

const CASES: readonly [text: string, ...problems: string[]][] = [
  ['{}'],
  ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}'],
  ['{"a":":","b":"\\":","c":"x\\\\","d":": :","e":"\\\\\\":"}'],
  ['{"a" : 1 , "b"\n:\t"\\": \\"a\\":"}'],
  ['{"a\\\\":1,"a":2}'],
  ['{"a":1,"a":2}', 'duplicate_field a'],
  ['{"a" :1,"a":2}', 'duplicate_field a'],
  ['{"a":1,"\\u0061":2}', 'duplicate_field a'],
  ['{"a\\\\":1,"a\\\\":2}', 'duplicate_field a\\'],
  ['{"a":1,"a":2,"a":3}', 'duplicate_field a', 'duplicate_field a'],
  ['{"to":[{"email":"x"},{"email":"y","email":"z"}]}', 'duplicate_field to[1].email'],
  ['{"m":{"x":{"y":[[{"k":{},"k":[]}]]}}}', 'duplicate_field m.x.y[0][0].k'],
  ['{"a":{"b":1},"a":{"b":1}}', 'duplicate_field a'],
  // The `":` in the string makes the number of names in the text equal to the number of names in the value.
  ['{"a":1,"a":": "}', 'duplicate_field a'],
  ['{"":1,"":2}', 'duplicate_field '],
  ['{"__proto__":{"a":1}}', 'unknown_field __proto__'],
  ['{"metadata":{"__pro\\u0074o__":"a"}}', 'unknown_field metadata.__proto__'],
  ['[{"a":1},{"a":1,"a":2}]', 'duplicate_field [1].a'],
]

for (const [text, ...problems] of CASES) {
  test(`names in ${text}`, () => assert.deepEqual(found(text), problems))
}

test('no JSON value with unique names has a duplicate', () => {
  const anyJson = fc.json({ maxDepth: 4 }).filter((text) => !text.includes('__proto__'))
  fc.assert(
    fc.property(anyJson, fc.constantFrom(0, 1, '\t'), (text, space) => {
      const value: unknown = JSON.parse(text)
      if (typeof value !== 'object' || value === null) return
      assert.deepEqual(found(JSON.stringify(value, null, space)), [])
    }),
  )
})

test('a name that occurs twice in an object is always found', () => {
  fc.assert(
    fc.property(fc.string(), fc.json({ maxDepth: 2 }), fc.json({ maxDepth: 2 }), (name, first, second) => {
      fc.pre(name !== '__proto__' && !`${first}${second}`.includes('__proto__'))
      const key = JSON.stringify(name)
      const text = `{"outer":[0,{${key}:${first},"between ${key.slice(1, -1)}":1,${key}:${second}}]}`
      assert.equal(found(text).length, 1)
    }),
  )
})

test('a name of a million characters is cut in the path of each problem', () => {
  const text = `{"${'n'.repeat(1_000_000)}":[${'{"__proto__":1},'.repeat(150)}0]}`
  const problems = wrongFieldNames(text, JSON.parse(text), scan(text).names) ?? []
  assert.equal(problems.length, 100)
  assert.ok(problems.every(({ path }) => /^n{200}$|^n{200}\[\d+\](?:\.__proto__)?$/.test(path)))
})
