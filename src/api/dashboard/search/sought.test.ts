// Tests the possible meanings of texts in the search box.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSought } from './sought.ts'

const ULID = '01M80V3C9J4N5P6Q7R8S9T0VWX'

test('each form in which users have their search text', () => {
  const tables: readonly (readonly [string, object])[] = [
    [`msg_${ULID}`, { ids: [`msg_${ULID}`] }],
    [` MSG_${ULID.toLowerCase()} `, { ids: [`msg_${ULID}`] }],
    [
      `250 2.0.0 Ok: queued as msg_${ULID}`,
      {
        ids: [`msg_${ULID}`],
        words: `250 2.0.0 Ok: queued as msg_${ULID}`,
        tag: `250 2.0.0 Ok: queued as msg_${ULID}`,
      },
    ],
    [`inb_${ULID}`, { inboundId: `inb_${ULID}` }],
    [
      `Message-ID: <${ULID}@shop.example>`,
      { ids: [`msg_${ULID}`], messageId: `${ULID}@shop.example`, address: `${ULID}@shop.example` },
    ],
    ['<a.b$c@mailer.example>', { messageId: 'a.b$c@mailer.example', address: 'a.b$c@mailer.example' }],
    ['Ann Lee <Ann@example.net>', { messageId: 'Ann@example.net', address: 'Ann@example.net' }],
    ['mailto:ann@example.net', { messageId: 'ann@example.net', address: 'ann@example.net' }],
    ['ann', { address: 'ann', words: 'ann', tag: 'ann' }],
    ['your receipt', { words: 'your receipt', tag: 'your receipt' }],
    ['x'.repeat(65), { address: 'x'.repeat(65), words: 'x'.repeat(65) }],
    ['', { words: '', tag: '' }],
    [`x${ULID}`, { address: `x${ULID}`, words: `x${ULID}`, tag: `x${ULID}` }],
  ]
  for (const [text, expected] of tables) {
    const { ids, ...rest } = readSought(text)
    const found = Object.fromEntries(
      Object.entries({ ...rest, ids }).filter(([, value]) => value !== undefined),
    )
    assert.deepEqual(found, { ids: [], ...expected }, text)
  }
})
