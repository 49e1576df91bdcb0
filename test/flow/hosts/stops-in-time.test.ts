// A node that stops completes attempts in progress, releases all other recipients, and causes no duplicate delivery.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { answerTo } from '../../support/mail-host/script.ts'
import { until } from '../../support/test-clock.ts'

describe('a node that stops', () => {
  let app: TestApp
  afterEach(() => app.stop())

  test('lets a short attempt end', async () => {
    app = await TestApp.start({ host: { script: answerTo('MESSAGE', { reply: '250 ok', delayMs: 500 }) } })
    const id = await app.send()
    await until('the attempt is under way', () => app.host.connections.length === 1)
    await app.stopNode()
    await app.startNode()
    const message = await app.messageIn(id, 'delivered')
    assert.equal(message.events.filter((event: { type: string }) => event.type === 'sending').length, 1)
    assert.equal(app.host.mails.length, 1)
  })

  test('releases messages that a silent host blocks in time, without an attempt', async () => {
    app = await TestApp.start({ host: { script: answerTo('CONNECT', { after: 'hang' }) } })
    const id = await app.send()
    await until('the attempt is under way', () => app.host.connections.length === 1)
    const since = Date.now()
    await app.stopNode()
    assert.ok(Date.now() - since < 15_000)
    app.host.script = undefined
    await app.startNode()
    const message = await app.messageIn(id, 'delivered')
    const attempts = message.events.filter((event: { type: string }) => event.type === 'sending')
    assert.deepEqual(
      attempts.map((event: { detail: { attempt: number } }) => event.detail.attempt),
      [1, 1],
      'the first try does not count',
    )
    assert.equal(app.host.mails.length, 1)
  })
})
