// Outgoing mail uses the IP addresses that the settings choose for its domain and stream, and the host names of these
// addresses.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { firstAttempt } from '../../support/first-attempt.ts'

describe('a pool of source addresses', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start()
  })
  after(() => app.stop())

  async function restart(pools: string): Promise<void> {
    await app.stopNode()
    await app.startNode({
      POSTRIDER_SOURCE_ADDRESSES:
        'main=127.0.0.21@mta1.sender.test, bulk=127.0.0.22+127.0.0.23, away=192.0.2.1, six=::1',
      POSTRIDER_SOURCE_POOLS: pools,
    })
  }
  const last = () => app.host.connections.at(-1)!

  test('is used for its domain, with the name of the address', async () => {
    await restart('example.test=main,*=bulk')
    const { status, transcript } = await firstAttempt(app, 'a@receiver.example')
    assert.equal(status, 'delivered')
    assert.deepEqual([last().remoteAddress, last().helo], ['127.0.0.21', 'mta1.sender.test'])
    assert.match(transcript, /from \[127\.0\.0\.21\]/)
  })

  test('is used for its stream before that of the domain', async () => {
    await restart('example.test/transactional=main,example.test=bulk,*=away')
    await firstAttempt(app, 'b@receiver.example')
    assert.equal(last().remoteAddress, '127.0.0.21')
    await restart('other.test=main,*/transactional=bulk,*=away')
    await firstAttempt(app, 'c@receiver.example')
    assert.deepEqual([last().remoteAddress.slice(0, 9), last().helo], ['127.0.0.2', 'sender.test'])
  })

  test('with several addresses is used with all of them', async () => {
    await restart('*=bulk')
    const to = Array.from({ length: 30 }, (_, i) => ({ email: `u${i}@receiver.example` }))
    await app.messageIn(await app.send({ to }), 'delivered')
    const used = new Set(app.host.mails.slice(-30).map((mail) => mail.connection.remoteAddress))
    // The probability that all 30 random choices select the same address is below 10^-8.
    assert.deepEqual([...used].sort(), ['127.0.0.22', '127.0.0.23'])
  })

  test('without an address of this machine defers the mail and names the address', async () => {
    await restart('*=away')
    const ended = await firstAttempt(app, 'd@receiver.example')
    assert.deepEqual([ended.status, ended.category], ['deferred', 'network'])
    assert.match(ended.reason, /source address 192\.0\.2\.1 is not one of this machine/)
  })

  test('without an address of the host’s family defers the mail and says so', async () => {
    await restart('*=six')
    assert.match((await firstAttempt(app, 'e@receiver.example')).reason, /another family/)
  })

  test('is not needed where none is named', async () => {
    await restart('other.test=main')
    await firstAttempt(app, 'f@receiver.example')
    assert.equal(last().remoteAddress, '127.0.0.1')
  })
})
