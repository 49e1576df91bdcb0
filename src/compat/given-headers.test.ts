// Tests the header fields in which frameworks send labels.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGivenHeaders } from './given-headers.ts'

test('labels and the reply address are separated, and other fields stay', () => {
  assert.deepEqual(
    readGivenHeaders({
      'reply-to': 'Help <help@example.test>',
      'X-Tag': 'one',
      'X-Tags': '["two","three"]',
      'X-Metadata-order': '7',
      'x-metadata': '{"user":12,"vip":true}',
      'X-Own': 'kept',
    }),
    {
      headers: { 'X-Own': 'kept' },
      replyTo: [{ email: 'help@example.test', name: 'Help' }],
      tags: ['one', 'two', 'three'],
      metadata: { order: '7', user: '12', vip: 'true' },
    },
  )
})

test('fields of the same names with other contents stay', () => {
  const headers = { 'X-Tags': 'a, b', 'X-Metadata': '{"a":{"b":1}}' }
  assert.deepEqual(readGivenHeaders(headers).headers, headers)
})
