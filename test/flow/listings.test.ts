// The lookups in block lists and the requirements of receivers on a whole node: they appear in the API within a minute of
// the start.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ok, refused } from '../support/answers.ts'
import { TestApp } from '../support/app.ts'
import { TestClock, until } from '../support/test-clock.ts'

let app: TestApp
const clock = new TestClock(Date.now())
const key = 'abcdefghij0123456789abcdef'
const token = 'operator-token-of-at-least-32-characters'
const LISTED = { A: ['127.0.0.2'] }

before(async () => {
  app = await TestApp.start({
    clock,
    zone: {
      'mail.sender.example': { A: ['9.9.9.9'] },
      'example.test': { MX: ['10 mx.test'] },
      '9.9.9.9.in-addr.arpa': { PTR: ['mail.sender.example'] },
      'rp.mail.sender.example': { TXT: ['v=spf1 ip4:9.9.9.9 -all'] },
      [`2.0.0.127.${key}.zen.dq.spamhaus.net`]: LISTED,
      [`9.9.9.9.${key}.zen.dq.spamhaus.net`]: LISTED,
      '*.everything.example': LISTED,
      'test.domains.example': LISTED,
      'invalid.domains.example': 'NXDOMAIN',
    },
    env: {
      POSTRIDER_HOSTNAME: 'mail.sender.example',
      POSTRIDER_BLOCK_LISTS: 'zen.spamhaus.org, ip:everything.example, domain:domains.example',
      POSTRIDER_SPAMHAUS_KEY: key,
      POSTRIDER_OPERATOR_TOKEN: token,
    },
  })
})
after(() => app.stop())

/** Lets the first lookups and checks take place. */
const begin = async (): Promise<void> => {
  await clock.armed(15_000, 'lib/periodic')
  clock.advance(20_000)
}

test('listings are in the operator API without the key, and the requirements name their sources', async () => {
  await begin()
  const authorization = { authorization: `Bearer ${token}` }
  const listings = (query = '') =>
    app.callWith('GET', `/v1/operator/listings${query}`, undefined, authorization)
  const all = await until('three lists have been looked up', async () => {
    const { status, body } = await listings()
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.length >= 3 && body.data
  })
  assert.deepEqual(
    all.map((one: Record<string, string>) => [one.address ?? one.domain, one.zone, one.state, one.answer]),
    [
      ['9.9.9.9', 'zen.spamhaus.org', 'listed', '127.0.0.2 (SBL)'],
      ['9.9.9.9', 'everything.example', 'not_known', 'the list lists everything: 127.0.0.2'],
      ['example.test', 'domains.example', 'not_listed', null],
    ],
  )
  assert.equal(all[0].delist_url, 'https://check.spamhaus.org/')
  assert.ok(!JSON.stringify(all).includes(key))
  const first = await ok(listings('?limit=1'))
  const rest = await ok(listings(`?limit=2&cursor=${first.next_cursor}`))
  assert.deepEqual([...first.data, ...rest.data], all)
  assert.deepEqual((await ok(listings('?state=listed'))).data, [all[0]])
  await refused(listings('?state=x'), 422, 'validation_failed')
  await refused(listings('?cursor=x'), 400, 'malformed_request')
  const metrics = await app.callWith('GET', '/metrics', undefined, authorization)
  assert.match(metrics.body, /postrider_listed_addresses\{zone="zen\.spamhaus\.org"\} 1/)

  const gmail = await until('the requirements have been checked', async () => {
    const { data } = await ok(app.call('GET', '/v1/requirements?provider=Gmail'))
    return data[0].checks.some((one: { since: string | null }) => one.since !== null) && data[0]
  })
  assert.deepEqual(gmail.bulk, { threshold: 5_000, highest: 0, highest_day: null, since: null })
  const statusOf = (requirement: string) => {
    const one = gmail.checks.find((check: { requirement: string }) => check.requirement === requirement)
    return [one.status, one.source]
  }
  assert.deepEqual(statusOf('ptr'), ['met', 'dns'])
  assert.deepEqual(statusOf('from_header'), ['met', 'dns'])
  assert.deepEqual(statusOf('tls'), ['not_known', null])
  assert.deepEqual(statusOf('complaint_share'), ['not_known', null])
  const { data } = await ok(app.call('GET', '/v1/requirements'))
  assert.deepEqual(
    data.map(({ provider }: { provider: string }) => provider),
    ['Gmail', 'Yahoo', 'Outlook.com'],
  )
  await refused(app.call('GET', '/v1/requirements?provider=x'), 422, 'validation_failed')
})
