// Tests of idempotency keys: both spellings are the same key, and invalid keys are refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIdempotencyKey } from './idempotency-key.ts'

const KEYS: Readonly<Record<string, string | undefined>> = {
  'abc-1': 'abc-1',
  '"abc-1"': 'abc-1',
  ' "abc-1" ': 'abc-1',
  'with space': 'with space',
  '"with space"': 'with space',
  '"a \\" quote and a \\\\"': 'a " quote and a \\',
  // Keys that are not valid structured-field strings are taken literally.
  '"abc': '"abc',
  'abc"': 'abc"',
  '"a"b"': '"a"b"',
  '"a\\b"': '"a\\b"',
  '"': '"',
  '""': undefined,
  '': undefined,
  'tab\t': undefined,
  ümlaut: undefined,
  [`"${'x'.repeat(255)}"`]: 'x'.repeat(255),
  ['x'.repeat(256)]: undefined,
}

for (const [value, key] of Object.entries(KEYS)) {
  test(`${JSON.stringify(value.slice(0, 40))} is ${key === undefined ? 'no key' : `the key ${key.slice(0, 40)}`}`, () => {
    assert.equal(parseIdempotencyKey(value), key)
  })
}
