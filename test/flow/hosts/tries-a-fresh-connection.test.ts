// A reused connection that the mail host has closed does not defer a message, because the message is sent over a new
// connection at once.

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { firstAttempt } from '../../support/first-attempt.ts'
import { chunkingExtensions, type HostAnswer } from '../../support/mail-host/script.ts'

describe('a kept connection', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start()
  })
  after(() => app.stop())
  afterEach(async () => {
    app.host.script = undefined
    await app.host.interrupt({ after: 'close' })
    app.host.connections.length = 0
  })

  test('carries the next message', async () => {
    await firstAttempt(app, 'a@receiver.example')
    await firstAttempt(app, 'b@receiver.example')
    assert.equal(app.host.connections.length, 1)
  })

  test('that the host closed meanwhile is replaced', async () => {
    await firstAttempt(app, 'a@receiver.example')
    await app.host.interrupt({ after: 'close' })
    assert.equal((await firstAttempt(app, 'b@receiver.example')).status, 'delivered')
    assert.equal(app.host.connections.length, 2)
  })

  test('on which the host said goodbye unasked is replaced', async () => {
    await firstAttempt(app, 'a@receiver.example')
    await app.host.interrupt({ reply: '421 4.4.2 Idle for too long', after: 'close' })
    assert.equal((await firstAttempt(app, 'b@receiver.example')).status, 'delivered')
  })

  for (const [what, answer] of [
    ['answers 421 to the next MAIL', { reply: '421 4.7.0 Enough for now', after: 'close' }],
    ['closes at the next MAIL', { after: 'close' }],
    ['resets at the next MAIL', { after: 'reset' }],
  ] as const satisfies [string, HostAnswer][]) {
    test(`that ${what} is replaced, and no recipient is deferred`, async () => {
      await firstAttempt(app, 'a@receiver.example')
      const [first] = app.host.connections
      app.host.script = ({ verb, connection }) =>
        verb === 'MAIL' && connection === first ? answer : undefined
      const { status } = await firstAttempt(app, 'b@receiver.example')
      assert.equal(status, 'delivered')
      assert.equal(app.host.connections.length, 2)
    })
  }

  test('that breaks after the message was sent is not replaced, as the host may have it', async () => {
    await firstAttempt(app, 'a@receiver.example')
    app.host.script = ({ verb }) => (verb === 'MESSAGE' ? { after: 'reset' } : undefined)
    const { status, reason } = await firstAttempt(app, 'b@receiver.example')
    assert.equal(status, 'deferred')
    assert.match(reason, /may have the message/)
    assert.equal(app.host.connections.length, 1)
  })

  test('after a refused recipient carries the next one', async () => {
    app.host.script = ({ verb, address }) =>
      verb === 'RCPT' && address.startsWith('no') ? '550 5.1.1 No such user' : undefined
    const ended = ['no1', 'yes1', 'no2', 'yes2'].map((name) => `${name}@receiver.example`)
    const statuses: string[] = []
    for (const email of ended) statuses.push((await firstAttempt(app, email)).status)
    assert.deepEqual(statuses, ['bounced', 'delivered', 'bounced', 'delivered'])
    assert.equal(app.host.connections.length, 1)
  })
})

test('gets a reply for each recipient of a message', async () => {
  const app = await TestApp.start({
    host: {
      extensions: chunkingExtensions,
      script: ({ verb, address }) => {
        if (verb !== 'RCPT') return undefined
        if (address.startsWith('full')) return '452 4.2.2 Mailbox full'
        return address.startsWith('no') ? '550 5.1.1 No such user' : undefined
      },
    },
  })
  const names = ['no', 'full', 'yes', 'full2', 'yes2']
  const id = await app.send({ to: names.map((name) => ({ email: `${name}@receiver.example` })) })
  const { to } = await app.messageIn(id, 'bounced', 'deferred', 'delivered')
  assert.deepEqual(
    to.map((recipient: { status: string }) => recipient.status),
    ['bounced', 'deferred', 'delivered', 'deferred', 'delivered'],
  )
  await app.stop()
})
