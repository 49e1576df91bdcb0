// Mail from this installation to an inbound stream of this installation is received; any other mail from this
// installation to itself counts as a loop.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { firstAttempt } from '../../support/first-attempt.ts'
import { createInboundStream, inboundMessages } from '../../support/inbound-mail.ts'
import { freePort } from '../../support/postgres.ts'
import { thorough } from '../../support/thorough.ts'

let app: TestApp
before(async () => {
  const port = String(await freePort())
  app = await TestApp.start({
    env: { POSTRIDER_INBOUND_PORT: port, POSTRIDER_MX_PORT: port },
    zone: {
      'sender.test': { A: ['127.0.0.1'] },
      'in.example.test': { MX: ['10 sender.test'] },
      'us.example': { MX: ['10 sender.test'] },
    },
  })
  await createInboundStream(app, ['*@in.example.test'])
})
after(() => app.stop())

test(
  'a message to an inbound address is delivered by its MX to the same installation',
  thorough('0.8 CPU s; the other tests of the file cover the common cases'),
  async () => {
    const id = await app.send({ to: [{ email: 'help@in.example.test' }], subject: 'To ourselves' })
    await app.messageIn(id, 'delivered')
    const [message] = await inboundMessages(app, 1)
    assert.deepEqual([message.subject, message.rcpt_to], ['To ourselves', ['help@in.example.test']])
  },
)

test('a destination that names the installation for anything else bounces', async () => {
  assert.match((await firstAttempt(app, 'u@us.example')).reason, /this installation itself.*5\.4\.6/)
})
