// The retry schedule over its full 48 hours, from the first to the last attempt.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { answerTo } from '../../support/mail-host/script.ts'
import { TestClock, untilPassed } from '../../support/test-clock.ts'

const MINUTE = 60_000
const WAITS = [1, 5, 15, 30, 60, 120, 240, 480, 480, 480, 480, 480]

describe('the retry schedule', () => {
  let app: TestApp
  afterEach(() => app.stop())

  test('waits as documented, within a tenth, and gives up after 48 hours', async () => {
    const clock = new TestClock()
    const start = clock.now()
    app = await TestApp.start({ clock, host: { script: answerTo('RCPT', '451 4.3.0 not now') } })
    const id = await app.send()
    for (const [index, wait] of WAITS.entries()) {
      await untilPassed(
        { by: app, stepMs: 1_000 },
        `attempt ${index + 1}`,
        () =>
          app.host.connections.flatMap((one) => one.commands).filter((line) => line.startsWith('RCPT'))
            .length ===
          index + 1,
      )
      const message = await app.messageIn(id, 'deferred')
      const { at, detail } = message.events.at(-1)
      const waits = (Date.parse(detail.next_attempt_at) - Date.parse(at)) / MINUTE
      assert.ok(waits >= wait * 0.9 - 0.1 && waits <= wait * 1.1 + 0.1, `${waits} minutes instead of ${wait}`)
      await app.advance(Date.parse(detail.next_attempt_at) - clock.now() + 1)
    }
    const failed = await app.messageIn(id, 'failed')
    assert.match(failed.events.at(-1).detail.reason, /^Given up after 13 attempts/)
    assert.equal(failed.events.at(-1).detail.category, 'expired')
    const hours = (clock.now() - start) / MINUTE / 60
    assert.ok(hours > 43 && hours < 53, `${hours} hours`)
  })
})
