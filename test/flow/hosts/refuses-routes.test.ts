// Destinations without a usable mail host: a permanent failure bounces at once, and a failed DNS lookup is retried.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { firstAttempt } from '../../support/first-attempt.ts'

describe('a destination', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({
      env: { POSTRIDER_ALLOW_PRIVATE_NETWORKS: '127.0.0.1/32' },
      zone: {
        'null.example': { MX: ['0 .'] },
        'nullandmore.example': { MX: ['0 .', '10 mx.test'] },
        'gone.example': 'NXDOMAIN',
        'bare.example': {},
        'literal.example': { MX: ['10 192.0.2.10'] },
        'literal6.example': { MX: ['10 2001:db8::1'], A: ['127.0.0.1'] },
        'loopback.example': { MX: ['10 mx.loopback.example'] },
        'mx.loopback.example': { A: ['127.0.0.2'], AAAA: ['::1'] },
        'private.example': { MX: ['10 mx.private.example'] },
        'mx.private.example': { A: ['10.0.0.1', '192.168.1.1'], AAAA: ['fd00::1', '::ffff:10.0.0.1'] },
        'cloud.example': { MX: ['10 mx.cloud.example'] },
        'mx.cloud.example': { A: ['169.254.169.254'] },
        'mixed.example': { MX: ['10 mx.mixed.example'] },
        'mx.mixed.example': { A: ['10.0.0.1', '127.0.0.1'] },
        'nowhere.example': { MX: ['10 mx.nowhere.example'] },
        'mx.nowhere.example': 'NXDOMAIN',
        'circle.example': { MX: ['10 round.example'] },
        'round.example': { CNAME: 'about.example' },
        'about.example': { CNAME: 'round.example' },
        'broken.example': 'SERVFAIL',
        'shut.example': 'REFUSED',
        'mad.example': 'GARBAGE',
        'brokenhost.example': { MX: ['10 mx.brokenhost.example'] },
        'mx.brokenhost.example': 'SERVFAIL',
      },
    })
  })
  after(() => app.stop())

  const BOUNCED: [destination: string, category: string, reason: RegExp][] = [
    ['null.example', 'domain_invalid', /accepts no mail \(null MX\)/],
    ['gone.example', 'domain_invalid', /does not exist/],
    ['bare.example', 'domain_invalid', /has no mail host/],
    ['literal.example', 'domain_invalid', /has no mail host/],
    ['literal6.example', 'domain_invalid', /has no mail host/],
    ['loopback.example', 'dns', /private or special use/],
    ['private.example', 'dns', /private or special use/],
    ['cloud.example', 'dns', /private or special use/],
    ['nowhere.example', 'domain_invalid', /have no addresses/],
  ]
  for (const [destination, category, reason] of BOUNCED) {
    test(`${destination} bounces at once`, async () => {
      const ended = await firstAttempt(app, `u@${destination}`)
      assert.deepEqual([ended.status, ended.category], ['bounced', category])
      assert.match(ended.reason, reason)
      assert.equal(
        app.host.mails.some((mail) => mail.recipients.includes(`u@${destination}`)),
        false,
      )
    })
  }

  for (const destination of ['broken.example', 'shut.example', 'mad.example', 'brokenhost.example']) {
    test(`${destination} waits, since the lookup failed`, async () => {
      const ended = await firstAttempt(app, `u@${destination}`)
      assert.deepEqual([ended.status, ended.category], ['deferred', 'dns'])
      assert.match(ended.reason, /could not be looked up \(E[A-Z]+\)/)
    })
  }

  test('that is an alias in a circle ends', async () => {
    const ended = await firstAttempt(app, 'u@circle.example')
    assert.notEqual(ended.status, 'delivered')
  })

  test('with one allowed address is contacted there', async () => {
    const ended = await firstAttempt(app, 'u@mixed.example')
    assert.deepEqual([ended.status, ended.address], ['delivered', '127.0.0.1'])
  })

  test('with a null MX among others has the others', async () => {
    assert.equal((await firstAttempt(app, 'u@nullandmore.example')).status, 'delivered')
  })

  test('that does not exist is not looked up again for each message', async () => {
    await firstAttempt(app, 'other@gone.example')
    const asked = app.dns.count('gone.example')
    await firstAttempt(app, 'another@gone.example')
    assert.equal(app.dns.count('gone.example'), asked)
  })
})
