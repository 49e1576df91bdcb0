// Tests the figures of the home page, and the list of problems that need attention.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../../../test/support/app.ts'
import { Person } from '../../../../test/support/person.ts'
import { settled } from '../../../../test/support/store.ts'
import { createTenant } from '../../../../test/support/tenant.ts'
import { until } from '../../../../test/support/test-clock.ts'
import { changeAccount } from '../../../store/access/accounts.ts'
import { findDomain } from '../../../store/domains/domain-rows.ts'
import type { ProblemView, StatsView } from '../../contract/dashboard-stats.ts'

describe('the figures of the home page', () => {
  let app: TestApp
  let owner: Person
  let domainId: string
  before(async () => {
    app = await TestApp.start({
      host: {
        script: ({ verb, argument }) => {
          if (verb !== 'RCPT') return undefined
          if (/<no@/.test(argument)) return '550 5.1.1 No such user'
          return /<later@/.test(argument) ? '451 4.2.0 Later' : undefined
        },
      },
    })
    owner = await Person.loggedIn(app)
    const { body } = await owner.call('GET', '/api/session')
    const domain = await findDomain(app.store.read, body.account.account_id, app.playground.domain)
    domainId = domain?.id as string
  })
  after(() => app.stop())

  const stats = async (query = ''): Promise<StatsView> => {
    await settled(app.store)
    const { status, body } = await owner.call('GET', `/api/stats?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const problems = async (): Promise<ProblemView[]> => {
    await settled(app.store)
    return (await owner.call('GET', '/api/problems')).body.data
  }

  test('are complete and zero before anything is sent', async () => {
    const { buckets, totals, delivery_time_ms, by } = await stats()
    assert.ok(buckets.length === 24 || buckets.length === 25)
    assert.equal(by, 'hour')
    assert.ok(Object.values(totals).every((count) => count === 0))
    assert.deepEqual(delivery_time_ms, { p50: null, p95: null })
    assert.equal((await stats('by=day')).buckets.length, 31)
  })

  test('count each recipient by its result, by stream and domain', async () => {
    const to = ['a', 'b', 'no', 'later'].map((name) => ({ email: `${name}@receiver.example` }))
    const id = await app.send({ to })
    await app.messageIn(id, 'delivered', 'bounced', 'deferred')
    // The bounced address is on the suppression list after the bounce.
    await app.messageIn(await app.send({ to: [{ email: 'no@receiver.example' }] }), 'suppressed')
    const waiting = await app.send({ send_at: new Date(Date.now() + 3_600_000).toISOString() })
    await app.call('POST', `/v1/messages/${waiting}/cancel`)
    await app.messageIn(await app.send({ stream: 'broadcast' }), 'delivered')
    const { totals, buckets, delivery_time_ms } = await stats()
    const figures = await owner.call('GET', '/api/domain-figures')
    assert.deepEqual(figures.body, { data: [{ domain_id: domainId, accepted: 7, bounce_rate: 0.25 }] })
    assert.deepEqual(totals, {
      accepted: 7,
      delivered: 3,
      deferred: 1,
      bounced: 1,
      failed: 0,
      suppressed: 1,
      cancelled: 1,
      complained: 0,
      unsubscribed: 0,
      opened: 0,
      clicked: 0,
    })
    assert.equal(
      buckets.reduce((sum, bucket) => sum + bucket.accepted, 0),
      7,
    )
    assert.ok((delivery_time_ms.p50 ?? 0) > 0)
    assert.ok((delivery_time_ms.p95 ?? 0) >= (delivery_time_ms.p50 ?? 0))
    const broadcast = await stats(`stream=broadcast&domain_id=${domainId}&by=day`)
    assert.deepEqual([broadcast.totals.accepted, broadcast.totals.delivered], [1, 1])
    assert.equal((await stats('stream=nothing')).totals.accepted, 0)
    const before = new Date(Date.now() - 7_200_000).toISOString()
    assert.equal((await stats(`to=${before}`)).totals.accepted, 0)
  })

  test('are grouped, and compared with the previous span for the time that this one has lasted', async () => {
    const { groups, bounced_by_category, previous } = await stats('group_by=stream&previous=true')
    assert.deepEqual(
      groups?.map(({ name, accepted }) => [name, accepted]),
      [
        ['transactional', 6],
        ['broadcast', 1],
      ],
    )
    assert.deepEqual(bounced_by_category, { mailbox_not_found: 1 })
    assert.deepEqual([previous?.totals.accepted, previous?.delivery_time_ms.p50], [0, null])
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    const next = await stats(`from=${new Date().toISOString()}&to=${tomorrow}&previous=true`)
    assert.equal(next.previous?.totals.accepted, 0)
    const hours = (Date.parse(next.previous?.to ?? '') - Date.parse(next.previous?.from ?? '')) / 3_600_000
    assert.equal(hours, 1)
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const whole = await stats(`from=${later}&to=${tomorrow}&previous=true`)
    assert.equal(
      whole.previous?.from,
      new Date(2 * Date.parse(whole.from) - Date.parse(whole.to)).toISOString(),
    )
  })

  test('agree with the events, whatever happens at the same time', async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => app.send({ to: [{ email: `u${index}@receiver.example` }] })),
    )
    await until('all are counted', async () => (await stats()).totals.delivered === 43)
    const events = await app.store.read
      .selectFrom('events')
      .select(({ fn }) => ['type', fn.countAll<number>().as('count')])
      .groupBy('type')
      .execute()
    const { totals } = await stats()
    for (const { type, count } of events) {
      if (type in totals) assert.equal(totals[type as keyof typeof totals], Number(count), type)
    }
  })

  test('422 for an invalid span of time, 404 for the domain of another account', async () => {
    for (const query of [
      'from=x',
      'by=week',
      'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
      'from=2020-01-01T00:00:00Z&by=hour',
      'from=0001-01-01T00:00:00Z&by=day',
      'colour=red',
    ]) {
      assert.equal((await owner.call('GET', `/api/stats?${query}`)).status, 422, query)
    }
    const other = await createTenant(app.store)
    for (const id of [other.domain.id, 'x']) {
      assert.equal((await owner.call('GET', `/api/stats?domain_id=${id}`)).status, 404)
    }
  })

  test('problems that need attention are listed, gravest first', async () => {
    assert.deepEqual(await problems(), [])
    const { body } = await owner.call('POST', '/api/domains', { domain: 'new.example' })
    const [unverified] = await problems()
    assert.deepEqual(
      [unverified?.kind, unverified?.severity, unverified?.link],
      ['domain_unverified', 'warning', `/domains/${body.domain_id}/dns`],
    )
    const bouncing = Array.from({ length: 25 }, (_, index) => `no@r${index}.example`)
    await app.messageIn(await app.send({ to: bouncing.map((email) => ({ email })) }), 'bounced', 'suppressed')
    const found = await problems()
    assert.equal(found[0]?.kind, 'bounce_rate')
    assert.match(found[0]?.title ?? '', /^3\d\.\d% of the finished deliveries of example\.test bounced/)
    // The bounce rate of the problem equals the bounce rate of the statistics.
    const to = new Date(Date.now() + 60_000).toISOString()
    const from = new Date(Date.now() - 6 * 86_400_000).toISOString()
    const { totals } = (await owner.call('GET', `/api/stats?from=${from}&to=${to}`)).body
    const rate = totals.bounced / (totals.delivered + totals.bounced + totals.failed)
    assert.ok(found[0]?.title.startsWith(`${(100 * rate).toFixed(1)}%`), `${found[0]?.title} ${rate}`)
    const events = await app.store.read.selectFrom('domain_events').select('type').execute()
    assert.ok(events.length > 0)
  })

  test('problems report stored messages that come near their limit', async () => {
    await settled(app.store)
    const { account_id: id, stored_bytes: bytes } = (await owner.call('GET', '/api/account')).body
    assert.ok(bytes > 0)
    const told = async (stored_bytes_limit: number | null): Promise<string | undefined> => {
      await app.store.write(changeAccount, { id, changes: { stored_bytes_limit }, now: Date.now() })
      return (await problems()).find(({ kind }) => kind === 'stored_bytes_high')?.severity
    }
    assert.equal(await told(bytes * 2), undefined)
    assert.equal(await told(bytes + 1), 'warning')
    assert.equal(await told(bytes), 'error')
    assert.equal(await told(null), undefined)
  })
})
