// Tests POST /v1/domains/{domain}/verify with a wait for the DNS records.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { managementKey } from '../../../test/support/keys.ts'
import { TestClock, until } from '../../../test/support/test-clock.ts'
import type { DomainView } from '../contract/domain.ts'

const PAUSE_MS = 5_000
/** Source file that waits between two checks. */
const WAITS = 'domains/domain-work.ts'

describe('a request that waits for DNS records', () => {
  const clock = new TestClock()
  let app: TestApp
  let authorization: string
  let count = 0
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' }, clock })
    authorization = `Bearer ${await managementKey(app)}`
  })
  after(() => app.stop())

  const call = (method: string, path: string, body?: object): Promise<Answer> =>
    app.callWith(method, path, body, { authorization })
  async function add(): Promise<DomainView> {
    const { status, body } = await call('POST', '/v1/domains', { domain: `w${++count}.example` })
    assert.equal(status, 201, JSON.stringify(body))
    return body
  }
  const verify = ({ domain }: DomainView, wait: string) =>
    call('POST', `/v1/domains/${domain}/verify?wait=${wait}`)
  const publish = ({ records }: DomainView): void => app.dns.publish(records)
  /** Lets the pause of a waiting request pass. */
  async function pass(ms = PAUSE_MS): Promise<void> {
    await clock.armed(PAUSE_MS, WAITS)
    clock.advance(ms)
  }

  test('is answered as soon as the domain is verified', async () => {
    const domain = await add()
    const answer = verify(domain, '2m')
    await pass()
    await clock.armed(PAUSE_MS, WAITS)
    publish(domain)
    await pass()
    const { status, body } = await answer
    assert.deepEqual([status, body.status], [200, 'verified'], JSON.stringify(body))
    // A verified domain is looked up once.
    assert.equal((await verify(domain, '2m')).body.status, 'verified')
    const entries = await app.store.read
      .selectFrom('audit_log')
      .select('target')
      .where('action', '=', 'domain.verify')
      .execute()
    assert.deepEqual(
      entries.map(({ target }) => target),
      [domain.domain_id, domain.domain_id],
    )
  })

  test('gets the last result when the time is over', async () => {
    const domain = await add()
    const answer = verify(domain, '7s')
    await pass()
    await pass(2_000)
    const { status, body } = await answer
    assert.deepEqual([status, body.status], [200, 'pending'])
    assert.equal(body.records[0].status, 'missing')
  })

  test('does not wait for a paused domain', async () => {
    const domain = await add()
    await call('POST', `/v1/domains/${domain.domain}/pause`)
    assert.equal((await verify(domain, '60s')).body.status, 'paused')
  })

  test('waits for a domain that is deleted meanwhile no longer', async () => {
    const domain = await add()
    const answer = verify(domain, '60s')
    await clock.armed(PAUSE_MS, WAITS)
    await call('DELETE', `/v1/domains/${domain.domain}?confirm=${domain.domain}`)
    await pass()
    assert.equal((await answer).status, 404)
  })

  test('ends when the client goes away, and frees its place for another', async () => {
    const domain = await add()
    for (let round = 0; round < 6; round++) {
      const gone = new AbortController()
      const request = fetch(new URL(`/v1/domains/${domain.domain}/verify?wait=60s`, app.app.url), {
        ...{ method: 'POST', headers: { authorization }, signal: gone.signal },
      })
      await clock.armed(PAUSE_MS, WAITS)
      gone.abort()
      await assert.rejects(request)
      await until('nothing waits', () => !clock.isArmed(PAUSE_MS, WAITS))
    }
    const { status, body } = await verify(domain, '0s')
    assert.deepEqual([status, body.status], [200, 'pending'])
  })

  test('is one of few for a domain, and refused for a time that is too long or none', async () => {
    const domain = await add()
    const answers = Array.from({ length: 6 }, () => verify(domain, '5s'))
    const statuses = new Map<number, number>()
    const first = await Promise.race(answers)
    assert.deepEqual([first.status, first.body.code], [429, 'rate_limit_exceeded'])
    await until('the others wait', () => {
      clock.advance(PAUSE_MS)
      return !clock.isArmed(PAUSE_MS, WAITS)
    })
    for (const { status } of await Promise.all(answers)) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    assert.deepEqual([...statuses].sort(), [
      [200, 5],
      [429, 1],
    ])
    for (const wait of ['121s', '3m', '60', '-1s', 'x', '1e3s', '%00']) {
      const { status, body } = await verify(domain, wait)
      assert.deepEqual([status, body.errors?.[0].path], [422, 'wait'], wait)
    }
  })

  test('looks no more often than the domain may be looked up, and goes on waiting', async () => {
    const domain = await add()
    // The clock stands still, so that the limit is not refilled.
    for (let looks = 0; looks < 29; looks++) assert.equal((await verify(domain, '0s')).status, 200)
    const answer = verify(domain, '5s')
    await clock.armed(PAUSE_MS, WAITS)
    assert.equal((await verify(domain, '0s')).status, 429)
    await pass()
    assert.equal((await answer).body.status, 'pending')
  })

  test('is answered when the node stops', async () => {
    const domain = await add()
    const answer = verify(domain, '120s')
    await clock.armed(PAUSE_MS, WAITS)
    await app.stopNode()
    assert.equal((await answer).body.status, 'pending')
    await app.startNode()
  })
})
