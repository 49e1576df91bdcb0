// Tests that the problem of invalid fields names each field once, at low cost even for a request with very many fields.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { invalidFields } from './problem.ts'

const unknown = (path: string) => ({
  path,
  code: 'unknown_field',
  message: 'There is no such field; remove it.',
})
const pathsOf = (names: readonly string[]) =>
  invalidFields(names.map(unknown)).errors?.map(({ path }) => path)

test('a duplicate name is reported once; its other problems stay', () => {
  assert.deepEqual(pathsOf(['a', '__proto__', 'a']), ['a', '__proto__'])
  const required = { path: 'a', code: 'required', message: 'The field is required and missing.' }
  const { errors = [], message } = invalidFields([required, unknown('a'), required])
  assert.deepEqual(
    errors.map(({ code }) => code),
    ['required', 'unknown_field', 'required'],
  )
  assert.equal(message, 'a: The field is required and missing. (and 2 more)')
})

test('a hundred of a hundred thousand names are reported, quickly', () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `name${index}`)
  const spent = cpuWatch()
  assert.deepEqual(pathsOf(names), names.slice(0, 100))
  assert.deepEqual(pathsOf([...names.slice(0, 99), ...Array(100_000).fill('name1')]), names.slice(0, 99))
  assert.ok(spent() < 500)
})
