// Tests the public form of an event, for each kind of detail.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DocumentedEvent, eventDocument } from './event-document.ts'

const EVENT: DocumentedEvent = {
  id: 'evt_1',
  type: 'deferred',
  at: Date.UTC(2026, 0, 1),
  messageId: 'msg_1',
  messageIdHeader: 'a@example.com',
  email: 'ann@example.net',
  stream: 'transactional',
  tag: null,
  tags: [],
  metadata: { order: '1' },
  detail: {},
}
const SAME = {
  id: 'evt_1',
  type: 'deferred',
  at: '2026-01-01T00:00:00.000Z',
  message_id: 'msg_1',
  message_id_header: 'a@example.com',
  email: 'ann@example.net',
  stream: 'transactional',
  tag: null,
  tags: [],
  metadata: { order: '1' },
}

const CASES: readonly [what: string, detail: object, rest: object][] = [
  ['nothing', {}, { attempt: null, reply: null, category: null, detail: {} }],
  ['the start of an attempt', { attempt: 2 }, { attempt: 2, reply: null, category: null, detail: {} }],
  [
    'a reply to an attempt',
    {
      attempt: 1,
      reason: 'Later.',
      category: 'greylisted',
      mx: 'mx.example.net',
      smtp_code: 450,
      smtp_response: '4.7.1 no',
    },
    {
      attempt: 1,
      reply: { smtp_code: 450, smtp_response: '4.7.1 no', mx: 'mx.example.net' },
      category: 'greylisted',
      detail: { reason: 'Later.' },
    },
  ],
  [
    'an asynchronous bounce, with the text that the report quotes',
    { asynchronous: true, category: 'mailbox_full', hard: false, diagnostic: '5.2.2 full' },
    {
      attempt: null,
      reply: { smtp_code: null, smtp_response: '5.2.2 full', mx: null },
      category: 'mailbox_full',
      detail: { asynchronous: true, hard: false },
    },
  ],
  [
    'a host that said nothing',
    { attempt: 1, category: 'connection', mx: 'mx.example.net' },
    { attempt: 1, reply: null, category: 'connection', detail: { mx: 'mx.example.net' } },
  ],
]

for (const [what, detail, rest] of CASES) {
  test(`an event with ${what}`, () => {
    assert.deepEqual(eventDocument({ ...EVENT, detail: { ...detail } }), { ...SAME, ...rest })
  })
}
