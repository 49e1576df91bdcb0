// A connection that is lost after the final dot causes one later attempt with the same message; the message is marked
// as a possible duplicate.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { TestApp } from '../support/app.ts'
import type { HostAnswer } from '../support/mail-host/script.ts'
import { TestClock, until } from '../support/test-clock.ts'

const MINUTE = 60_000
const CUT: HostAnswer = { after: 'reset' }

describe('a message cut off after its final dot', () => {
  let app: TestApp
  let clock: TestClock
  let cuts: number
  beforeEach(async () => {
    clock = new TestClock()
    app = await TestApp.start({
      clock,
      host: { script: ({ verb }) => (verb === 'MESSAGE' && cuts-- > 0 ? CUT : undefined) },
    })
  })
  afterEach(() => app.stop())

  const messageId = (data: Buffer): string => /^Message-ID: (.*)$/im.exec(data.toString())?.[1] ?? ''

  test('is tried once more, after at least ten minutes, as a possible duplicate', async () => {
    cuts = 1
    const id = await app.send()
    const deferred = await app.messageIn(id, 'deferred')
    const { detail } = deferred.events.at(-1)
    assert.equal(detail.possible_duplicate, true)
    assert.match(detail.reason, /may have the message/)
    await app.advance(9 * MINUTE)
    await app.settled()
    const { body: waiting } = await app.call('GET', `/v1/messages/${id}`)
    assert.equal(waiting.events.at(-1).type, 'deferred', 'no attempt is under way')
    assert.equal(app.host.mails.length, 0)
    await app.advance(MINUTE)
    const delivered = await app.messageIn(id, 'delivered')
    assert.equal(delivered.events.at(-1).detail.possible_duplicate, true)
    const { headers } = (await app.call('GET', `/v1/messages/${id}?include=content`)).body
    const [mail] = app.host.mails
    assert.ok(mail)
    assert.equal(messageId(mail.data), headers['Message-ID'] ?? messageId(mail.data))
    assert.match(messageId(mail.data), new RegExp(id.slice(-26), 'i'))
  })

  test('fails after a second time, as a third copy helps nobody', async () => {
    cuts = 2
    const id = await app.send()
    await app.messageIn(id, 'deferred')
    await app.advance(10 * MINUTE)
    await app.advance(MINUTE)
    const failed = await app.messageIn(id, 'failed')
    const { detail } = failed.events.at(-1)
    assert.match(detail.reason ?? JSON.stringify(failed), /two of them without a reply/)
    assert.equal(detail.possible_duplicate, true)
    assert.equal(app.host.mails.length, 0)
  })

  test('takes its outcome from a later clear refusal', async () => {
    cuts = 1
    const id = await app.send()
    await app.messageIn(id, 'deferred')
    app.host.script = ({ verb }) => (verb === 'RCPT' ? '550 5.1.1 no such user' : undefined)
    await app.advance(10 * MINUTE)
    await app.advance(MINUTE)
    await until(
      'the message has bounced',
      async () => (await app.messageIn(id, 'bounced')).status === 'bounced',
    )
  })
})
