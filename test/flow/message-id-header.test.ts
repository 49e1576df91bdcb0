// The Message-ID of a message in its record and its events, for each interface of the service.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { TestApp } from '../support/app.ts'
import { until } from '../support/test-clock.ts'

let app: TestApp
before(async () => {
  app = await TestApp.start()
})
after(() => app.stop())

/** Returns the Message-IDs of a message that the API shows: in its record, in the list, and in its events. */
async function shown(id: string): Promise<{ ids: Set<string>; events: number }> {
  const record = (await app.call('GET', `/v1/messages/${id}`)).body
  const list = (await app.call('GET', '/v1/messages')).body.data
  const events = (await app.call('GET', `/v1/events?message_id=${id}`)).body.data
  const listed = list.find(({ message_id }: { message_id: string }) => message_id === id)
  const all = [record, listed, ...events].map(({ message_id_header }) => message_id_header)
  return { ids: new Set(all), events: events.length }
}

async function submit(messageId?: string): Promise<string> {
  const { host, port, username, password } = app.playground.smtp
  const { response } = await createTransport({
    ...{ host, port, requireTLS: true, tls: { rejectUnauthorized: false } },
    auth: { user: username, pass: password },
  }).sendMail({
    ...{ from: 'hello@example.test', to: 'you@receiver.example', subject: 's', text: 't' },
    ...(messageId === undefined ? {} : { messageId }),
  })
  return /msg_\w+/.exec(response)?.[0] ?? ''
}

const sentWith = (subject: string): Promise<string | undefined> =>
  until('the message has arrived', () => {
    const mail = app.host.mails.find(({ data }) => data.toString().includes(`Subject: ${subject}\r\n`))
    return mail && (/^Message-ID: <(.*)>\r$/m.exec(mail.data.toString())?.[1] ?? '')
  })

test('mail by REST has the composed Message-ID', async () => {
  const id = await app.send({ subject: 'by-rest' })
  await app.messageIn(id, 'delivered')
  const { ids, events } = await shown(id)
  assert.deepEqual([...ids], [`${id.slice(-26)}@example.test`])
  assert.equal(await sentWith('by-rest'), `${id.slice(-26)}@example.test`)
  assert.ok(events >= 3)
})

test('mail by SMTP has its own Message-ID', async () => {
  const id = await submit('<thread-1.a@shop.example>')
  await app.messageIn(id, 'delivered')
  assert.deepEqual([...(await shown(id)).ids], ['thread-1.a@shop.example'])
})
