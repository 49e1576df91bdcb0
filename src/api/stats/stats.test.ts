// Tests GET /v1/stats: every recipient is counted once by result, by stream, tag and provider, in days of the reader's
// time zone.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../../test/support/app.ts'
import { settled } from '../../../test/support/store.ts'
import { createTenant } from '../../../test/support/tenant.ts'
import { until } from '../../../test/support/test-clock.ts'
import { findAccountsWithHistory, forgetHistory } from '../../store/removal/history-removal.ts'

describe('figures', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({
      zone: {
        'gmail.example': { MX: ['10 gmail-smtp-in.l.google.com'] },
        'gmail-smtp-in.l.google.com': { A: ['127.0.0.1'] },
      },
      env: { POSTRIDER_RETRY_SCHEDULE: '1s,1s,1h' },
      host: {
        script: ({ verb, argument }) => {
          if (verb !== 'RCPT') return undefined
          if (/<no@/.test(argument)) return '550 5.1.1 No such user'
          return /<full@/.test(argument) ? '452 4.2.2 Mailbox full' : undefined
        },
      },
    })
  })
  after(() => app.stop())

  const stats = async (query = '', headers: Record<string, string> = {}) => {
    await settled(app.store)
    return app.call('GET', `/v1/stats?${query}`, undefined, headers)
  }
  const some = (figures: Record<string, unknown>): object =>
    Object.fromEntries(
      Object.entries(figures).filter(([name, count]) => name !== 'delivery_time_ms' && count !== 0),
    )

  test('count recipients, not attempts, in total and by part', async () => {
    const to = ['a@receiver.example', 'b@gmail.example', 'no@gmail.example', 'full@receiver.example'].map(
      (email) => ({
        email,
      }),
    )
    const id = await app.send({ to, tag: 'receipt' })
    await app.messageIn(await app.send({ stream: 'broadcast' }), 'delivered')
    // A recipient that is deferred at least twice is counted once.
    await until('the recipient is deferred again', async () => {
      const { body } = await app.call('GET', `/v1/messages/${id}`)
      return body.events.filter(({ type }: { type: string }) => type === 'deferred').length > 1
    })
    const { status, body } = await stats()
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(some(body.totals), { accepted: 5, delivered: 3, deferred: 1, bounced: 1 })
    assert.deepEqual(body.bounced_by_category, { mailbox_not_found: 1 })
    assert.ok(body.delivery_time_ms.p95 >= body.delivery_time_ms.p50)
    const inBuckets = body.buckets.reduce((sum: number, one: { delivered: number }) => sum + one.delivered, 0)
    assert.equal(inBuckets, 3)
    const groups = async (query: string) =>
      (await stats(query)).body.groups.map(({ name, ...figures }: { name: string }) => [name, some(figures)])
    assert.deepEqual(await groups('group_by=stream'), [
      ['transactional', { accepted: 4, delivered: 2, deferred: 1, bounced: 1 }],
      ['broadcast', { accepted: 1, delivered: 1 }],
    ])
    assert.deepEqual(await groups('group_by=tag'), [
      ['receipt', { accepted: 4, delivered: 2, deferred: 1, bounced: 1 }],
    ])
    const byProvider = await groups('group_by=provider')
    const google = byProvider.find(([name]: [string | null]) => name !== null)
    assert.match(google[0], /Google|Gmail/)
    assert.deepEqual(google[1], { delivered: 1, bounced: 1 })
    assert.deepEqual(byProvider.find(([name]: [string | null]) => name === null)[1], {
      delivered: 2,
      deferred: 1,
    })
    const ofGoogle = (await stats(`provider=${encodeURIComponent(google[0])}`)).body
    assert.deepEqual(
      [some(ofGoogle.totals), ofGoogle.bounced_by_category],
      [{ delivered: 1, bounced: 1 }, null],
    )
    assert.deepEqual(some((await stats('tag=receipt&stream=broadcast')).body.totals), {})
    assert.deepEqual(some((await stats('tag=receipt')).body.totals), {
      accepted: 4,
      delivered: 2,
      deferred: 1,
      bounced: 1,
    })
  })

  test('cover the domain of the key only', async () => {
    const stranger = await createTenant(app.store)
    const authorization = `Bearer ${stranger.sendingKey}`
    const { body } = await stats('group_by=provider', { authorization })
    assert.deepEqual([some(body.totals), body.groups], [{}, []])
  })

  test("have days that begin in the reader's time zone", async () => {
    const { body } = await stats('by=day&utc_offset=-05:00&from=2026-01-02T12:00:00Z&to=2026-01-04T05:00:00Z')
    assert.deepEqual([body.from, body.to], ['2026-01-02T05:00:00.000Z', '2026-01-04T05:00:00.000Z'])
    assert.deepEqual(
      body.buckets.map(({ at }: { at: string }) => at),
      ['2026-01-02T05:00:00.000Z', '2026-01-03T05:00:00.000Z'],
    )
    for (const offset of ['+02:00', '-05:00', '+14:00', '-14:00']) {
      const all = await stats(`by=day&utc_offset=${encodeURIComponent(offset)}`)
      assert.equal(all.body.totals.accepted, 5)
      const inBuckets = all.body.buckets.reduce(
        (sum: number, one: { accepted: number }) => sum + one.accepted,
        0,
      )
      assert.equal(inBuckets, 5, offset)
    }
  })

  test('are refused for an invalid query', async () => {
    const { status, body } = await stats('tag=a&provider=b&utc_offset=%2B02:30&from=x')
    assert.equal(status, 422)
    assert.deepEqual(
      body.errors.map(({ path }: { path: string }) => path),
      ['provider', 'utc_offset', 'from'],
    )
    assert.equal((await stats('group_by=key')).status, 422)
  })

  test('are bounded in rows whatever the tags, and are removed with the other figures', async () => {
    await Promise.all(Array.from({ length: 70 }, (_, index) => app.send({ tag: `made up ${index}` })))
    const { body } = await stats('group_by=tag')
    assert.ok(body.groups.length <= 101, `${body.groups.length}`)
    const other = body.groups.find(({ name }: { name: string | null }) => name === null)
    assert.ok(other.accepted >= 1)
    const sum = body.groups.reduce((all: number, one: { accepted: number }) => all + one.accepted, 0)
    assert.equal(sum, 74)
    const [accountId = ''] = await findAccountsWithHistory(app.store.read, {
      ...{ audit: 0, requests: 0, figures: Date.now() + 3_600_000 },
    })
    const later = Date.now() + 3_600_000
    const since = { audit: 0, requests: 0, figures: later, accountId, limit: 1_000 }
    while (await app.store.write(forgetHistory, since));
    for (const table of ['message_counts', 'message_parts'] as const) {
      assert.deepEqual(await app.store.read.selectFrom(table).select('hour_at').execute(), [])
    }
  })

  test('distinguish an empty tag from the tags that are counted together', async () => {
    const { sendingKey, domain } = await createTenant(app.store)
    const authorization = `Bearer ${sendingKey}`
    const mail = { from: `us@${domain.name}`, to: [{ email: 'a@receiver.example' }], subject: 'x', text: 'x' }
    const { status } = await app.call('POST', '/v1/messages', { ...mail, tag: '' }, { authorization })
    assert.equal(status, 202)
    const { body } = await stats('group_by=tag', { authorization })
    assert.deepEqual(
      body.groups.map(({ name }: { name: string | null }) => name),
      [''],
    )
  })
})
