// A worker with a full memory for contents continues as soon as memory is free, with all messages that were accepted or
// became due in the meantime.

// thorough: takes 4 CPU seconds to fill the memory for contents

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { TestClock, until } from '../../support/test-clock.ts'

describe('a worker without room', () => {
  let app: TestApp
  afterEach(() => app.stop())

  test('takes accepted and due messages as soon as it has room', async () => {
    const clock = new TestClock()
    let release = (): void => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const tried = new Set<string>()
    app = await TestApp.start({
      clock,
      host: {
        address: '0.0.0.0',
        script: async ({ verb, address }) => {
          if (verb === 'RCPT' && address.startsWith('later') && !tried.has(address)) {
            tried.add(address)
            return '451 4.3.0 not now'
          }
          if (verb === 'RCPT' && address.startsWith('slow')) await released
          return undefined
        },
      },
      zone: Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [`s${index}.example`, { MX: [`10 mx.s${index}.example`] }]),
      ),
      env: { POSTRIDER_RETRY_SCHEDULE: '1m,1m' },
    })
    for (let index = 0; index < 20; index++)
      app.dns.set(`mx.s${index}.example`, { A: [`127.0.1.${index + 1}`] })
    const later = await app.send({ to: [{ email: 'later@receiver.example' }] })
    await app.messageIn(later, 'deferred')
    // The messages are large, so that they use up the memory for contents and all slots.
    const text = `${'x'.repeat(70)}\n`.repeat(50_000)
    for (let index = 0; index < 20; index++)
      await app.send({ to: [{ email: `slow@s${index}.example` }], text })
    const small = await app.send({ to: [{ email: 'small@other.example' }] })
    clock.advance(70_000)
    await app.messageIn(small, 'delivered')
    await app.messageIn(later, 'delivered')
    release()
    await until('the large messages have arrived', () => app.host.mails.length === 22)
    assert.equal(app.host.mails.length, 22)
  })
})
