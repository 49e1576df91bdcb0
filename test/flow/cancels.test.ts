// A message can be cancelled while no attempt is in progress: each recipient is either attempted or cancelled.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { type Answer, TestApp, type TestAppOptions } from '../support/app.ts'
import type { HostScript } from '../support/mail-host/script.ts'
import { createTenant } from '../support/tenant.ts'
import { TestClock, until } from '../support/test-clock.ts'
import { thorough } from '../support/thorough.ts'

describe('cancelling a message', () => {
  let app: TestApp
  let clock: TestClock
  afterEach(() => app.stop())

  async function start(options: TestAppOptions = {}): Promise<void> {
    clock = new TestClock()
    app = await TestApp.start({ ...options, clock })
  }

  const cancel = (id: string, headers?: Record<string, string>): Promise<Answer> =>
    app.call('POST', `/v1/messages/${id}/cancel`, undefined, headers)

  const later = (): string => new Date(clock.now() + 3_600_000).toISOString()
  const types = ({ body }: Answer): string[] => body.events.map((event: { type: string }) => event.type)

  test('that is scheduled: 200, the message is cancelled, and again 200', async () => {
    await start()
    const to = [{ email: 'a@c.example' }, { email: 'b@c.example' }]
    const id = await app.send({ send_at: later(), to })
    const answer = await cancel(id)
    assert.equal(answer.status, 200)
    assert.equal(answer.body.status, 'cancelled')
    assert.deepEqual(types(answer), [
      'accepted',
      'scheduled',
      'accepted',
      'scheduled',
      'cancelled',
      'cancelled',
    ])
    assert.deepEqual(answer.body.events.at(-1).detail, { by: 'sender' })
    const again = await cancel(id)
    assert.equal(again.status, 200)
    assert.deepEqual(again.body, answer.body)
    assert.deepEqual((await app.call('GET', `/v1/messages/${id}`)).body, answer.body)
    await app.advance(7_200_000)
    const other = await app.send()
    await app.messageIn(other, 'delivered')
    assert.equal(app.host.mails.length, 1, 'only the other message was sent')
  })

  test('that is deferred: delivered recipients stay, the rest is cancelled', async () => {
    const slow: HostScript = ({ verb, address }) =>
      verb === 'RCPT' && address?.startsWith('slow') ? '451 4.3.0 not now' : undefined
    await start({ host: { script: slow } })
    const id = await app.send({ to: [{ email: 'quick@c.example' }, { email: 'slow@c.example' }] })
    await until('one recipient is delivered, the other one is deferred', async () => {
      const { body } = await app.call('GET', `/v1/messages/${id}`)
      return body.to[0].status === 'delivered' && body.to[1].status === 'deferred'
    })
    const answer = await cancel(id)
    assert.equal(answer.status, 200)
    assert.equal(answer.body.status, 'partially_delivered')
    assert.deepEqual(
      answer.body.to.map(({ status }: { status: string }) => status),
      ['delivered', 'cancelled'],
    )
    assert.equal((await cancel(id)).status, 200)
  })

  test('that was delivered: 409', async () => {
    await start()
    const id = await app.send()
    await app.messageIn(id, 'delivered')
    const answer = await cancel(id)
    assert.equal(answer.status, 409)
    assert.equal(answer.body.code, 'conflict')
    assert.match(answer.body.detail, /delivered/)
  })

  test('that does not exist, or belongs to another account: 404', async () => {
    await start()
    const id = await app.send({ send_at: later() })
    const stranger = await createTenant(app.store)
    assert.equal((await cancel('msg_01K00000000000000000000000')).status, 404)
    assert.equal((await cancel(id, { authorization: `Bearer ${stranger.sendingKey}` })).status, 404)
    assert.equal((await cancel(id, { authorization: `Bearer ${stranger.verificationKey}` })).status, 403)
    assert.equal((await app.call('GET', `/v1/messages/${id}`)).body.status, 'scheduled')
  })

  test('with an empty body has the same effect as without one', async () => {
    await start()
    for (const body of [undefined, '', '{}']) {
      const id = await app.send({ send_at: later() })
      const headers = { 'content-type': 'application/json' }
      assert.equal((await app.call('POST', `/v1/messages/${id}/cancel`, body, headers)).status, 200)
    }
  })

  test(
    'either arrives or is cancelled at the moment when it is due, never both',
    thorough('1.1 CPU s; the other tests of the file cover the common cases'),
    async () => {
      await start()
      const sendAt = later()
      const ids = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          app.send({ send_at: sendAt, to: [{ email: `r${index}@c.example` }] }),
        ),
      )
      await app.advance(3_600_000)
      const answers = await Promise.all(ids.map((id) => cancel(id)))
      const cancelled = ids.filter((_, index) => answers[index]?.status === 200)
      assert.ok(answers.every(({ status }) => status === 200 || status === 409))
      for (const id of ids) {
        const message = await app.messageIn(id, 'delivered', 'cancelled')
        assert.equal(message.status, cancelled.includes(id) ? 'cancelled' : 'delivered')
      }
      assert.equal(app.host.mails.length, ids.length - cancelled.length)
    },
  )
})
