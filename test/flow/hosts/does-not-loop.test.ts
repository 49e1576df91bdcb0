// Mail to a destination whose mail host is this installation does not loop (RFC 5321 §5.1).

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { firstAttempt } from '../../support/first-attempt.ts'

let app: TestApp
before(async () => {
  app = await TestApp.start({
    zone: {
      'sender.test': { A: ['127.0.0.1'] },
      'us.example': { MX: ['10 sender.test'] },
      'bounces.example': { MX: ['10 RP.sender.test'] },
      'before.example': { MX: ['10 mx.test', '20 sender.test', '30 behind.test'] },
      'beside.example': { MX: ['10 sender.test', '10 mx.test', '20 behind.test'] },
      'waiting.example': { MX: ['10 down.test', '20 sender.test', '30 mx.test'] },
      'behind.example': { MX: ['10 mx.test', '20 behind.test'] },
      'behind.test': { A: ['127.0.0.1'] },
      'down.test': { A: ['127.0.0.9'] },
    },
  })
})
after(() => app.stop())
beforeEach(async () => {
  await app.host.interrupt({ after: 'close' })
  app.host.script = undefined
  app.host.mails.length = 0
  app.host.connections.length = 0
})

test('a destination that names only this installation bounces, and says why', async () => {
  const ended = await firstAttempt(app, 'u@us.example')
  assert.deepEqual([ended.status, ended.category, ended.hard], ['bounced', 'dns', false])
  assert.match(ended.reason, /this installation itself.*5\.4\.6/)
  assert.equal(app.host.connections.length, 0)
})

test('a destination that names the return-path host bounces', async () => {
  assert.match((await firstAttempt(app, 'u@bounces.example')).reason, /this installation itself/)
})

test('hosts of higher preference get it, those of equal or lower preference never', async () => {
  assert.equal((await firstAttempt(app, 'u@before.example')).status, 'delivered')
  assert.equal((await firstAttempt(app, 'u@beside.example')).status, 'bounced')
  const waiting = await firstAttempt(app, 'u@waiting.example')
  assert.deepEqual([waiting.status, waiting.mx], ['deferred', 'down.test'])
  assert.equal(app.host.mails.length, 1)
})

test("a host that greets by the installation's name is the installation, whatever the DNS calls it", async () => {
  app.host.script = ({ verb }) => (verb === 'CONNECT' ? '220 Sender.test ESMTP' : undefined)
  const ended = await firstAttempt(app, 'u@behind.example')
  assert.deepEqual([ended.status, ended.category, ended.mx], ['bounced', 'dns', 'mx.test'])
  assert.match(ended.reason, /this installation.*5\.4\.6/)
  assert.equal(app.host.connections.length, 1, 'no attempt is made at the next mail host')
})

test("a host with the installation's name in its reply to EHLO is the installation", async () => {
  app.host.script = ({ verb }) => (verb === 'EHLO' ? '250-sender.test\n250 PIPELINING' : undefined)
  assert.match((await firstAttempt(app, 'u@behind.example')).reason, /this installation/)
})

test('a relay may have the same name, as another program on this machine', async () => {
  app.host.script = ({ verb }) => (verb === 'CONNECT' ? '220 sender.test ESMTP' : undefined)
  await app.stopNode()
  await app.startNode({ POSTRIDER_RELAY_URL: `smtp://127.0.0.1:${app.host.port}` })
  assert.equal((await firstAttempt(app, 'u@a.example')).status, 'delivered')
})
