// Probes put little load on mail hosts: they use no more connections than the settings allow, pause after refusals, and
// let no mail host delay the probes of other mail hosts.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import type { DnsZone } from '../../support/dns-host.ts'
import { MISSED_AFTER_MUCH_WORK_MS, MISSED_MS } from '../../support/limits.ts'
import { sleep, until } from '../../support/test-clock.ts'
import { askedFor, onlyMailboxes, verdict, verify } from '../../support/verification.ts'

const HOSTS = 8
/** Zone with eight domains at one mail host, and eight domains with a mail host each. */
const zone: DnsZone = {
  'slow-host.example': { A: ['127.0.4.100'] },
  ...Object.fromEntries(
    Array.from({ length: HOSTS }, (_, index) => [
      [`slow${index}.example`, { MX: ['10 slow-host.example'] }],
      [`d${index}.example`, { MX: [`10 mx${index}.example`] }],
      [`mx${index}.example`, { A: [`127.0.4.${index + 1}`] }],
    ]).flat(),
  ),
}

describe('mail hosts', () => {
  let app: TestApp
  afterEach(() => app.stop())
  const start = async (env: Readonly<Record<string, string>>): Promise<void> => {
    app = await TestApp.start({ host: { address: '0.0.0.0' }, zone, env })
  }

  test('that are slow take no places from others, however many requests wait for them', async () => {
    await start({
      POSTRIDER_VERIFY_CONNECTIONS: '4',
      POSTRIDER_VERIFY_MX_CONNECTIONS: '1',
      POSTRIDER_VERIFY_TIMEOUT_MS: String(MISSED_AFTER_MUCH_WORK_MS),
    })
    const existing = onlyMailboxes('somebody')
    app.host.script = (command) =>
      command.verb === 'RCPT' && command.connection.localAddress === '127.0.4.100'
        ? { after: 'hang' }
        : existing(command)
    const slow = Array.from({ length: HOSTS }, (_, index) => verdict(app, `a@slow${index}.example`))
    await until('a probe waits for its reply', () =>
      app.host.connections.some(
        ({ localAddress, commands }) =>
          localAddress === '127.0.4.100' && commands.some((line) => line.startsWith('RCPT')),
      ),
    )
    const { body } = await verify(app, 'somebody@d0.example')
    assert.equal(body.internalResult, 'mailbox_exists')
    assert.ok(body.latencyMs < 2_000, String(body.latencyMs))
    assert.deepEqual([...new Set(await Promise.all(slow))], ['unknown/timeout'])
    assert.equal(app.host.connections.filter(({ localAddress }) => localAddress === '127.0.4.100').length, 1)
  })

  test('get a limited number of concurrent verifications in total', async () => {
    await start({ POSTRIDER_VERIFY_CONNECTIONS: '3' })
    let inside = 0
    let most = 0
    app.host.script = async ({ verb }) => {
      if (verb !== 'RCPT') return undefined
      most = Math.max(most, ++inside)
      await sleep(30, 'the host answers slowly')
      inside--
      return '550 5.1.1 No such user'
    }
    const emails = Array.from({ length: 4 * HOSTS }, (_, index) => `x${index}@d${index % HOSTS}.example`)
    const verdicts = await Promise.all(emails.map((email) => verdict(app, email)))
    assert.ok(verdicts.every((one) => one === 'undeliverable/mailbox_not_found'))
    assert.equal(most, 3)
  })

  test('of one domain get two concurrent verifications, unless set otherwise', async () => {
    await start({})
    let inside = 0
    let most = 0
    app.host.script = async ({ verb }) => {
      if (verb !== 'RCPT') return undefined
      most = Math.max(most, ++inside)
      await sleep(20, 'the host answers slowly')
      inside--
      return '550 5.1.1 No such user'
    }
    await Promise.all(Array.from({ length: 20 }, (_, index) => verdict(app, `x${index}@d0.example`)))
    assert.equal(most, 2)
  })

  test('that refuse the service are paused for a while, with the same answer', async () => {
    await start({ POSTRIDER_VERIFY_TIMEOUT_MS: String(MISSED_MS) })
    app.host.script = ({ verb }) => (verb === 'CONNECT' ? '554 5.7.1 Your host is blocked here' : undefined)
    const verdicts: string[] = []
    for (let i = 0; i < 20; i++) verdicts.push(await verdict(app, `x${i}@d0.example`))
    assert.deepEqual([...new Set(verdicts)], ['unknown/blocked'])
    assert.ok(app.host.connections.length < 10, String(app.host.connections.length))
  })

  test('that refuse a mailbox are asked for the next one on the same connection', async () => {
    await start({})
    app.host.script = onlyMailboxes('somebody')
    for (let i = 0; i < 4; i++) await verdict(app, `x${i}@d0.example`)
    assert.deepEqual([app.host.connections.length, askedFor(app.host).length], [1, 4])
  })
})
