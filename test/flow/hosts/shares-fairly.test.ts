// Nobody waits for somebody else's mail: floods, dead destinations and slow ones delay only themselves.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { MailHost } from '../../support/mail-host.ts'
import { answerTo } from '../../support/mail-host-script.ts'
import { createTenant } from '../../support/tenant.ts'
import { until } from '../../support/test-clock.ts'

const recipients = (count: number, domainOf: (index: number) => string): { email: string }[] =>
  Array.from({ length: count }, (_, index) => ({ email: `r${index}@${domainOf(index)}` }))

describe('a message among many', () => {
  let app: TestApp
  let black: MailHost | undefined
  afterEach(async () => {
    // First, so that attempts under way end at once.
    await black?.stop()
    black = undefined
    await app.stop()
  })

  /** A host at another address on the same port, which takes connections and never says a word. */
  async function blackHole(): Promise<MailHost> {
    black = await MailHost.start({
      address: '127.0.0.2',
      port: app.host.port,
      script: answerTo('CONNECT', { after: 'hang' }),
    })
    return black
  }

  /** Sends to all of them, fifty a message. */
  async function flood(all: readonly { email: string }[]): Promise<void> {
    const messages: Promise<string>[] = []
    for (let at = 0; at < all.length; at += 50) messages.push(app.send({ to: all.slice(at, at + 50) }))
    await Promise.all(messages)
  }

  test('goes before a flood of another stream that came first', async () => {
    app = await TestApp.start({ host: { script: answerTo('MESSAGE', { reply: '250 ok', delayMs: 40 }) } })
    const other = await createTenant(app.store)
    await flood(recipients(1_500, () => 'receiver.example'))
    const answer = await app.call(
      'POST',
      '/v1/messages',
      {
        from: `a@${other.domain.name}`,
        to: [{ email: 'reset@receiver.example' }],
        subject: 'Reset',
        text: 'x',
      },
      { authorization: `Bearer ${other.sendingKey}` },
    )
    assert.equal(answer.status, 202)
    const arrived = (): number =>
      app.host.mails.findIndex((mail) => mail.recipients[0] === 'reset@receiver.example')
    await until('the reset has arrived', () => arrived() >= 0, 30_000)
    assert.ok(arrived() < 1_000, `it was number ${arrived()} of 1,501`)
  })

  test('is not delayed by a destination that takes connections and says nothing', async () => {
    app = await TestApp.start({
      zone: { 'black.example': { MX: ['10 black.test'] }, 'black.test': { A: ['127.0.0.2'] } },
    })
    const hole = await blackHole()
    await flood(recipients(1_000, () => 'black.example'))
    await flood(recipients(100, () => 'receiver.example'))
    await until('the others have arrived', () => app.host.mails.length === 100, 8_000)
    assert.ok(hole.connections.length <= 5, `${hole.connections.length} connections to the black hole`)
  })

  test('nor by three hundred of them', async () => {
    app = await TestApp.start({
      zone: { '*.black.example': { MX: ['10 black.test'] }, 'black.test': { A: ['127.0.0.2'] } },
    })
    await blackHole()
    await flood(recipients(900, (index) => `d${index % 300}.black.example`))
    await flood(recipients(100, () => 'receiver.example'))
    await until('the others have arrived', () => app.host.mails.length === 100, 8_000)
  })
})
