// A message that was posted to the API arrives by SMTP with two DKIM signatures, and its history shows the delivery.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { TestApp } from '../support/app.ts'
import { signatureResults } from '../support/signatures.ts'

describe('a message', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ host: { tls: true } })
  })
  after(() => app.stop())

  test('arrives over TLS, whole, with both signatures valid', async () => {
    const id = await app.send({
      from_name: 'Jürgen',
      to: [{ email: 'you@receiver.example', name: 'Ünsal, "Ü"' }],
      subject: 'Grüße aus Köln',
      text: 'Zeile 1\n.\n..\nZeile 4',
      html: '<p>Grüße</p>',
      attachments: [{ filename: 'ä.txt', content: Buffer.from('file').toString('base64') }],
      headers: { 'X-Custom': 'value' },
    })
    const mail = await app.host.nextMail()
    assert.equal(mail.tls, true)
    assert.equal(mail.helo, 'sender.test')
    assert.deepEqual(mail.recipients, ['you@receiver.example'])
    assert.match(mail.from, /^bounces\+[a-z0-9]{44}@bounces\.example\.test$/)
    const parsed = await PostalMime.parse(mail.data)
    assert.equal(parsed.subject, 'Grüße aus Köln')
    assert.equal(parsed.from?.name, 'Jürgen')
    assert.equal(parsed.to?.[0]?.name, 'Ünsal, "Ü"')
    assert.equal(parsed.text?.trimEnd(), 'Zeile 1\n.\n..\nZeile 4')
    assert.equal(parsed.html?.trim(), '<p>Grüße</p>')
    assert.equal(parsed.attachments[0]?.filename, 'ä.txt')
    assert.equal(parsed.headers.find((header) => header.key === 'x-custom')?.value, 'value')
    assert.equal(parsed.messageId, `<${id.slice(4)}@example.test>`)
    assert.deepEqual(await signatureResults(app, mail.data), ['pass', 'pass'])

    const message = await app.messageIn(id, 'delivered')
    assert.equal(message.status, 'delivered')
    assert.equal(message.to[0].smtp_code, 250)
    assert.equal(message.to[0].mx, 'mx.test')
    assert.deepEqual(
      message.events.map((event: { type: string }) => event.type),
      ['accepted', 'sending', 'delivered'],
    )
    const raw = await app.call('GET', `/v1/messages/${id}/raw`)
    assert.equal(raw.body, mail.data.toString())
  })

  test('goes to each recipient once, and no header names a bcc recipient', async () => {
    app.host.mails.length = 0
    const id = await app.send({
      to: [{ email: 'a@one.example' }, { email: 'b@two.example' }],
      cc: [{ email: 'c@one.example' }],
      bcc: [{ email: 'secret@one.example' }],
    })
    await app.messageIn(id, 'delivered')
    const mails = app.host.mails.filter((mail) => mail.data.includes(id.slice(4)))
    assert.deepEqual(mails.flatMap((mail) => mail.recipients).sort(), [
      'a@one.example',
      'b@two.example',
      'c@one.example',
      'secret@one.example',
    ])
    assert.equal(new Set(mails.map((mail) => mail.from)).size, 4, 'a return path for each')
    for (const mail of mails) assert.ok(!mail.data.includes('secret@'))
  })

  test('shows its content as sent', async () => {
    const id = await app.send({ html: '<b>x</b>', text: 'x' })
    const { body } = await app.call('GET', `/v1/messages/${id}?include=content`)
    assert.equal(body.html.trim(), '<b>x</b>')
    assert.equal(body.text.trim(), 'x')
    assert.equal(body.headers[0].name, 'DKIM-Signature')
    assert.equal(body.raw_url, `/v1/messages/${id}/raw`)
  })
})
