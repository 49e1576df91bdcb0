// Domains with several mail hosts: the service probes them in order of preference until one replies about the mailbox.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { MailHost } from '../../support/mail-host/mail-host.ts'
import type { HostScript } from '../../support/mail-host/script.ts'
import { askedFor, onlyMailboxes, verdict, verify } from '../../support/verification.ts'

describe('several mail hosts', () => {
  let app: TestApp
  let second: MailHost
  before(async () => {
    app = await TestApp.start({
      zone: {
        'two.example': { MX: ['20 b.example', '10 a.example'] },
        'dead.example': { MX: ['10 nobody.example', '20 b.example'] },
        'gone.example': { MX: ['10 nowhere.test2', '20 b.example'] },
        'inside.example': { MX: ['10 inside-host.example', '20 b.example'] },
        'a.example': { A: ['127.0.0.1'] },
        'b.example': { A: ['127.0.0.2'] },
        'nobody.example': { A: ['127.0.0.9'] },
        'inside-host.example': { A: ['10.0.0.1', '192.168.0.1'] },
        'nowhere.test2': 'NXDOMAIN',
        'addresses.example': { MX: ['10 addresses-host.example'] },
        'addresses-host.example': { A: ['127.0.0.9', '127.0.0.2'] },
      },
    })
    second = await MailHost.start({
      address: '127.0.0.2',
      port: app.host.port,
      script: onlyMailboxes('somebody', 'other', 'third', 'fourth', 'fifth'),
    })
  })
  after(async () => {
    await app.stop()
    await second.stop()
  })

  const scripted = async (script: HostScript, email: string) => {
    // The restart closes all connections that could be reused.
    await app.stopNode()
    await app.startNode()
    app.host.script = script
    const { body } = await verify(app, email)
    return `${body.internalResult} by ${body.mxServer}`
  }

  test('the first one that answers decides', async () => {
    app.host.script = onlyMailboxes('somebody')
    assert.equal((await verify(app, 'somebody@two.example')).body.mxServer, 'a.example')
    assert.equal(await verdict(app, 'nobody@two.example'), 'undeliverable/mailbox_not_found')
    assert.deepEqual(askedFor(second), [])
  })

  test('one that cannot be reached gives way to the next', async () => {
    assert.equal((await verify(app, 'somebody@dead.example')).body.mxServer, 'b.example')
    assert.equal((await verify(app, 'somebody@gone.example')).body.mxServer, 'b.example')
    assert.equal((await verify(app, 'somebody@inside.example')).body.mxServer, 'b.example')
    assert.equal((await verify(app, 'somebody@addresses.example')).body.mxServerIp, '127.0.0.2')
  })

  test('one that refuses the service before the mailbox gives way to the next', async () => {
    const at =
      (verb: string, reply: string): HostScript =>
      (command) =>
        command.verb === verb ? reply : undefined
    assert.equal(
      await scripted(at('CONNECT', '554 5.7.1 Blocked'), 'other@two.example'),
      'mailbox_exists by b.example',
    )
    assert.equal(
      await scripted(at('CONNECT', '421 4.3.2 Busy'), 'third@two.example'),
      'mailbox_exists by b.example',
    )
    assert.equal(
      await scripted(
        ({ verb }) => (verb === 'RCPT' ? { reply: '421 4.3.2 Busy', after: 'close' } : undefined),
        'fourth@two.example',
      ),
      'mailbox_exists by b.example',
    )
  })

  test('one that refuses the service at the mailbox is the last', async () => {
    const asked = askedFor(second).length
    const refusing: HostScript = ({ verb }) =>
      verb === 'RCPT' ? '550 5.7.1 Blocked using Spamhaus' : undefined
    assert.equal(await scripted(refusing, 'fifth@two.example'), 'blocked by a.example')
    assert.equal(askedFor(second).length, asked)
  })
})
