// Tests sending by Postmark's calls.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../../test/support/app.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe("Postmark's calls for sending", () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start()
  })
  after(() => app.stop())

  const call = (method: string, path: string, body?: object | string, headers: Record<string, string> = {}) =>
    app.callWith(method, `/compat/postmark${path}`, body, {
      'x-postmark-server-token': app.playground.sending_key,
      ...headers,
    })
  const message = (more: object = {}): object => ({
    From: '"The Shop" <shop@example.test>',
    To: 'Ann <ann@receiver.test>, bob@receiver.test',
    Subject: 'Hello',
    HtmlBody: '<p>Hello</p>',
    TextBody: 'Hello',
    ...more,
  })

  test('a message is accepted, and its answer has the form of Postmark', async () => {
    const { status, body } = await call(
      'POST',
      '/email',
      message({ Tag: 'greeting', Metadata: { order: 7 } }),
    )
    assert.equal(status, 200, JSON.stringify(body))
    assert.match(body.MessageID, UUID)
    assert.match(body.SubmittedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/)
    const { MessageID: _, SubmittedAt: __, ...rest } = body
    assert.deepEqual(rest, { To: 'Ann <ann@receiver.test>, bob@receiver.test', ErrorCode: 0, Message: 'OK' })
  })
})
