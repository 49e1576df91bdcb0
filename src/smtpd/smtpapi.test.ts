// Tests reading SendGrid's header field X-SMTPAPI.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RawField } from '../mime/raw-message.ts'
import { readSmtpApi } from './smtpapi.ts'
import { ownField } from './vendor-fields.ts'

const NOW = Date.UTC(2026, 10, 25)
const SUBJECT = ownField('Subject', 'Hello')

const read = (value: unknown, ...more: readonly RawField[]) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return readSmtpApi([SUBJECT, ownField('X-SMTPAPI', text), ...more], NOW)
}

test('categories, arguments, filters, a time and the ID of a batch', () => {
  const { fields, options, copies } = read({
    category: ['receipt', 'spring', 'receipt'],
    unique_args: { userId: 7 },
    filters: { clicktrack: { settings: { enable: 0 } }, opentrack: { settings: { enable: '1' } } },
    send_at: NOW / 1_000 + 3_600,
    batch_id: 'b1',
  })
  assert.deepEqual(fields, [SUBJECT])
  assert.equal(copies, undefined)
  assert.deepEqual(options, {
    tags: ['receipt', 'spring'],
    metadata: { batch_id: 'b1', userId: '7' },
    tracking: { track_opens: true, track_links: false },
    sendAt: NOW + 3_600_000,
  })
})

test('recipients, substitutions and sections', () => {
  const { copies } = read({
    to: ['Ann <ann@receiver.example>', 'bob@receiver.example'],
    sub: { '-name-': ['Ann', 'Bob'] },
    section: { '-greeting-': 'Dear -name-' },
  })
  assert.deepEqual(copies, {
    to: ['Ann <ann@receiver.example>', 'bob@receiver.example'],
    values: { '-name-': ['Ann', 'Bob'] },
    sections: { '-greeting-': 'Dear -name-' },
  })
})

test('without the field nothing changes, and the first of several fields counts', () => {
  assert.deepEqual(readSmtpApi([SUBJECT], NOW), { fields: [SUBJECT] })
  const { options, fields } = read({ category: 'a' }, ownField('x-smtpapi', '{"category":"b"}'))
  assert.deepEqual([options?.tags, fields], [['a'], [SUBJECT]])
})

test('what cannot be done is refused by name', () => {
  for (const [value, expected] of [
    ['{', /not JSON/],
    ['[]', /not a JSON object/],
    [{ asm_group_id: 5 }, /asm_group_id .* X-Stream/],
    [{ ip_pool: 'fast' }, /ip_pool/],
    [{ filters: { templates: { settings: { enable: 1, template_id: 'x' } } } }, /filter templates/],
    [{ send_at: 'soon' }, /send_at/],
    [{ send_at: NOW / 1_000 + 40 * 86_400 }, /30 days/],
    [{ to: Array.from({ length: 1_001 }, () => 'a@b.example') }, /at most 1000/],
    [{ sub: ['x'] }, /sub is not/],
    [{ unique_args: { a: { b: 1 } } }, /unique_args\.a/],
    [{ category: ['x'.repeat(300)] }, /category/],
  ] as const) {
    assert.throws(
      () => read(value),
      (error: { reply: { code: number; text: string } }) => {
        assert.match(error.reply.text, expected)
        return error.reply.code === 554
      },
    )
  }
})
