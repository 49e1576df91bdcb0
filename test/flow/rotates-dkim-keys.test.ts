// A running node replaces the DKIM keys of a domain by the calendar: its mail carries the new selector only after the new
// records have been in the DNS for a day.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { DomainView } from '../../src/api/contract/domain.ts'
import { TestApp } from '../support/app.ts'
import { Person } from '../support/person.ts'
import { signatureResults } from '../support/signatures.ts'
import { TestClock, until } from '../support/test-clock.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

describe('a domain with an interval of key rotation', () => {
  const clock = new TestClock()
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ clock })
  })
  after(() => app.stop())

  const signatures = async () => {
    await app.messageIn(await app.send(), 'delivered')
    const { data } = app.host.mails.at(-1) as (typeof app.host.mails)[number]
    const selectors = [...data.toString().matchAll(/^DKIM-Signature:[\s\S]*?\bs=([a-z0-9]+)/gm)]
    return {
      selectors: selectors.map(([, selector]) => selector).sort(),
      results: await signatureResults(app, data),
    }
  }
  /** Moves the clock by hours until the feed of the domain has an event of this type. */
  const untilEvent = (type: string) =>
    until(type, async () => {
      await app.advance(HOUR_MS)
      return (await app.call('GET', `/v1/events?type=${type}`)).body.data[0]
    })

  test('signs with the new keys a day after their records were found', async () => {
    const owner = await Person.loggedIn(app)
    const { body: list } = await owner.call('GET', '/api/domains')
    const address = `/api/domains/${list.data[0].domain_id}`
    const domain: DomainView = (await owner.call('PATCH', address, { rotate_every_days: 30 })).body
    app.dns.publish(domain.records)
    const old = await signatures()
    assert.deepEqual(old.results, ['pass', 'pass'])

    await app.advance(30 * DAY_MS)
    const due = await untilEvent('key_due')
    assert.deepEqual([due.message_id, due.detail.scheduled], [null, true])
    await app.advance(3 * DAY_MS)
    assert.deepEqual((await signatures()).selectors, old.selectors)

    const published = clock.now()
    app.dns.publish(due.detail.records)
    const switched = await untilEvent('key_switched')
    assert.ok(Date.parse(switched.at) - published >= DAY_MS, JSON.stringify(switched))
    // A node keeps its signing keys for a minute of real time; a restarted node reads them.
    await app.stopNode()
    await app.startNode()
    const fresh = await signatures()
    assert.deepEqual(fresh.results, ['pass', 'pass'])
    assert.ok(
      fresh.selectors.every((selector) => !old.selectors.includes(selector)),
      fresh.selectors.join(),
    )
  })
})
