// Tests attachments by URL in every kind of send request: the file is delivered, and a refusal names the attachment.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { until } from '../../../test/support/test-clock.ts'

const MAIL = {
  from: 'hello@example.test',
  to: [{ email: 'you@receiver.example' }],
  subject: 'Hello',
  text: 'Hello.\n',
}
const FILE = Buffer.from('%PDF-1.7 €')

describe('attachments by URL', () => {
  let app: TestApp
  let base: string
  const server = createServer(({ url }, response) => {
    if (url === '/missing') response.writeHead(404).end()
    else response.end(FILE)
  })
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_WEBHOOK_HTTP: 'yes' } })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(async () => {
    await app.stop()
    server.closeAllConnections()
    server.close()
  })

  const file = (path = '/a') => ({ filename: 'invoice.pdf', url: `${base}${path}` })
  const told = ({ status, body }: Answer): string[] => {
    assert.equal(status, 422, JSON.stringify(body))
    return body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
  }
  const fileTo = async (email: string): Promise<[string | null, Buffer]> => {
    const mail = await until(`the mail to ${email}`, () =>
      app.host.mails.find(({ recipients }) => recipients.includes(email)),
    )
    const { attachments } = await PostalMime.parse(mail.data)
    return [attachments[0]?.filename ?? null, Buffer.from(attachments[0]?.content as ArrayBuffer)]
  }

  test('are fetched before the 202, in single requests, batches and bulks', async () => {
    const attachments = [file()]
    const key = { 'idempotency-key': 'by-url' }
    const first = await app.call('POST', '/v1/messages', { ...MAIL, attachments }, key)
    assert.equal(first.status, 202, JSON.stringify(first.body))
    const again = await app.call('POST', '/v1/messages', { ...MAIL, attachments }, key)
    assert.deepEqual(again.body, first.body)
    assert.deepEqual(await fileTo('you@receiver.example'), ['invoice.pdf', FILE])
    const many = await app.call('POST', '/v1/messages/batch', [
      { ...MAIL, to: [{ email: 'batch@receiver.example' }], attachments },
      { ...MAIL, attachments: [file('/missing')] },
      { ...MAIL, attachments: 'none' },
    ])
    assert.equal(many.status, 200, JSON.stringify(many.body))
    assert.deepEqual(await fileTo('batch@receiver.example'), ['invoice.pdf', FILE])
    const [, refused, invalid] = many.body.data
    assert.deepEqual(
      [refused.error.status, refused.error.errors[0].path, invalid.error.errors[0].path],
      [422, 'attachments[0].url', 'attachments'],
    )
    const bulk = await app.call(
      'POST',
      '/v1/bulk',
      `${JSON.stringify({ ...MAIL, to: undefined, attachments })}\n{"to":"bulk@receiver.example"}\n`,
      { 'content-type': 'application/x-ndjson' },
    )
    assert.equal(bulk.status, 202, JSON.stringify(bulk.body))
    assert.deepEqual(await fileTo('bulk@receiver.example'), ['invoice.pdf', FILE])
  })

  test('are refused with the path of the attachment and the reason', async () => {
    const send = (...attachments: object[]) => app.call('POST', '/v1/messages', { ...MAIL, attachments })
    const own = { filename: 'a.txt', content: 'YQ==' }
    assert.deepEqual(told(await send(own, file('/missing'))), ['attachments[1].url not_fetched'])
    assert.deepEqual(told(await send({ ...file(), url: 'http://10.0.0.1/a' })), [
      'attachments[0].url url_not_permitted',
    ])
    assert.deepEqual(
      told(
        await send(
          { filename: 'a' },
          { ...own, url: 'https://a.example/' },
          { filename: 'b', url: 'no url' },
        ),
      ),
      ['attachments[0].content required', 'attachments[1].url conflict', 'attachments[2].url invalid_url'],
    )
    const asked = await app.call('POST', '/v1/messages', {
      ...MAIL,
      subject: '',
      attachments: [file('/missing')],
    })
    assert.ok(!told(asked).some((one) => one.startsWith('attachments')), 'an invalid request fetches nothing')
    const foreign = await app.call('POST', '/v1/messages', {
      ...{ ...MAIL, from: 'a@other.example' },
      attachments: [file('/missing')],
    })
    assert.equal(foreign.status, 403)
  })
})
