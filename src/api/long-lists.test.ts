// Tests that every item of a long list is checked: a problem after the hundredth item is reported like any other
// problem.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TSchema } from 'typebox'
import { type Answer, TestApp } from '../../test/support/app.ts'
import { shapeProblemsOf } from '../http/shape.ts'
import { MAX_SUPPRESSIONS } from '../model/suppression.ts'
import { SendBody } from './contract/message-requests.ts'
import { AddBody, RemoveBody } from './contract/suppression.ts'
import { AddressList } from './contract/verification.ts'

const send = { from: 'hello@example.test', to: [{ email: 'ann@receiver.example' }], subject: 's', text: 't' }
const attachment = { filename: 'a.txt', content: 'aGk=' }
const entry = { email: 'a@b.example' }

interface LongList {
  readonly schema: TSchema
  readonly path: string
  readonly most: number
  readonly good: unknown
  readonly wrong: readonly (readonly [item: unknown, problem: string])[]
  bodyWith(list: readonly unknown[]): unknown
}

const WRONG = [[null, ' invalid_type']] as const

/** All lists in request bodies that may contain more than a hundred items. */
const LISTS: readonly LongList[] = [
  {
    schema: SendBody,
    path: 'attachments',
    most: 200,
    good: attachment,
    wrong: [
      ...WRONG,
      [{ ...attachment, content: 5 }, '.content invalid_type'],
      [{ ...attachment, colour: 'red' }, '.colour unknown_field'],
    ],
    bodyWith: (attachments) => ({ ...send, attachments }),
  },
  {
    schema: AddBody,
    path: 'suppressions',
    most: MAX_SUPPRESSIONS,
    good: entry,
    wrong: [...WRONG, [{ ...entry, reason: 'whim' }, '.reason invalid_value']],
    bodyWith: (suppressions) => ({ suppressions }),
  },
  {
    schema: RemoveBody,
    path: 'suppressions',
    most: MAX_SUPPRESSIONS,
    good: entry,
    wrong: [...WRONG, [{ ...entry, reason: 'manual' }, '.reason unknown_field']],
    bodyWith: (suppressions) => ({ suppressions }),
  },
  {
    schema: AddressList,
    path: '',
    most: MAX_SUPPRESSIONS,
    good: 'a@b.example',
    wrong: WRONG,
    bodyWith: (addresses) => addresses,
  },
]

const told = (schema: TSchema, value: unknown): string[] =>
  shapeProblemsOf(schema, value).map(({ path, code }) => `${path} ${code}`)

const filled = (length: number, item: unknown): unknown[] => new Array(length).fill(item)

describe('the shape of a long list', () => {
  for (const { schema, path, most, good, wrong, bodyWith } of LISTS) {
    test(`of ${most} ${path || 'addresses'}: a problem is reported with its place, wherever it is`, () => {
      for (const [item, problem] of wrong) {
        for (const [length, at] of [
          [101, 100],
          [most, 100],
          [most, most - 1],
        ] as const) {
          const list = filled(length, good)
          list[at] = item
          assert.deepEqual(told(schema, bodyWith(list)), [`${path}[${at}]${problem}`])
        }
        const list = filled(most, good)
        for (const at of [3, 99, 100, most - 2]) list[at] = item
        assert.deepEqual(
          told(schema, bodyWith(list)),
          [3, 99, 100, most - 2].map((at) => `${path}[${at}]${problem}`),
        )
        assert.equal(told(schema, bodyWith(filled(most, item))).length, 100)
      }
      assert.deepEqual(told(schema, bodyWith(filled(most, good))), [])
      assert.deepEqual(told(schema, bodyWith(filled(most + 1, good))), [`${path} too_many`])
    })
  }

  test('inside another list, in addition to other fields, and in a record', () => {
    const attachments = filled(150, attachment)
    attachments[120] = { ...attachment, content: 5 }
    assert.deepEqual(told(SendBody, { ...send, attachments, subject: 5, colour: 'red' }).sort(), [
      'attachments[120].content invalid_type',
      'colour unknown_field',
      'subject invalid_type',
    ])
    const metadata = Object.fromEntries(filled(150, '').map((_, at) => [`key/${at}`, at === 140 ? 5 : 'x']))
    assert.deepEqual(told(SendBody, { ...send, metadata }), ['metadata.key/140 invalid_type'])
    const replies = filled(50, { email: 'a@b.example' })
    replies[40] = { email: 5 }
    assert.deepEqual(told(SendBody, { ...send, reply_to: replies }), ['reply_to[40].email invalid_type'])
    const unknown = Object.fromEntries(filled(150, 1).map((_, at) => [`x${at}`, 1]))
    const found = told(SendBody, { ...unknown, ...send })
    assert.deepEqual([found.length, found[0], found[99]], [100, 'x0 unknown_field', 'x99 unknown_field'])
  })
})

describe('a request with a long list', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
  })
  after(() => app.stop())

  const toldBy = ({ status, body }: Answer): string[] => {
    assert.equal(status, 422, JSON.stringify(body))
    return body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
  }
  const attachments = (wrong: unknown): unknown[] => [...filled(100, attachment), wrong]

  for (const [wrong, problem] of LISTS[0]?.wrong ?? []) {
    test(`of attachments is refused for ${JSON.stringify(wrong)} after a hundred: alone, in a batch, in a bulk`, async () => {
      const body = { ...send, attachments: attachments(wrong) }
      const expected = [`attachments[100]${problem}`]
      assert.deepEqual(toldBy(await app.call('POST', '/v1/messages', body)), expected)
      const { data } = (await app.call('POST', '/v1/messages/batch', [send, body])).body
      assert.equal(data[0].status, 'queued')
      assert.deepEqual(toldBy({ ...data[1].error, body: data[1].error }), expected)
      const { to, ...message } = body
      const lines = `${JSON.stringify(message)}\n${JSON.stringify({ to: to[0] })}\n`
      const bulk = await app.call('POST', '/v1/bulk', lines, { 'content-type': 'application/x-ndjson' })
      assert.deepEqual(toldBy(bulk), expected)
    })
  }

  test('of attachments is refused for one more than allowed', async () => {
    const body = { ...send, attachments: filled(201, attachment) }
    assert.deepEqual(toldBy(await app.call('POST', '/v1/messages', body)), ['attachments too_many'])
  })
})
