// NUL and invalid characters in a submitted message, in an inbound message, in a bounce, and in the reply of a mail
// host. The service stores all these texts, shows them, and continues to work.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import type { TestApp } from '../support/app.ts'
import { bringBack, handOver, show, startInbound } from '../support/inbound.ts'
import { bringMail, createInboundStream, inboundMessages, mailOf } from '../support/inbound-mail.ts'
import { settled } from '../support/store.ts'
import { thorough } from '../support/thorough.ts'

/** NUL and half a surrogate pair (which UTF-8 excludes) in an encoded-word, and as bytes for base64. */
const WORD = '=?utf-8?Q?a=00b=ED=A0=80c?='
const BYTES = Buffer.from('a\0b\xed\xa0\x80c', 'latin1')

const REFUSED = 'nobody@receiver.example'

describe('text that no database stores, by mail', () => {
  let app: TestApp
  before(async () => {
    app = await startInbound({
      host: {
        script: ({ verb, address }) =>
          verb === 'RCPT' && address === REFUSED ? { reply: '550 5.1.1 no \0\ud800 such user' } : undefined,
      },
    })
    await createInboundStream(app, ['support@example.test'])
  })
  after(() => app.stop())

  test('in the fields of a submitted message', async () => {
    const { host, port, username: user, password: pass } = app.playground.smtp
    const client = createTransport({
      ...{ host, port, requireTLS: true, tls: { rejectUnauthorized: false }, auth: { user, pass } },
    })
    const raw = `From: ${WORD} <shop@example.test>\r\nTo: ${WORD} <ann@sink.test>\r\nSubject: ${WORD}\r\nX-Tag: ${WORD}\r\nX-Metadata-Order: ${WORD}\r\n\r\nx\r\n`
    const envelope = { from: 'shop@example.test', to: ['ann@sink.test'] }
    const { response } = await client.sendMail({ envelope, raw })
    client.close()
    const message = await show(app, /msg_\w{26}/.exec(response)?.[0] ?? '')
    for (const text of [message.subject, message.tag, message.metadata.order]) assert.match(text, /^a.*b.*c$/)
  })

  test(
    'in every part of an inbound message',
    thorough('0.6 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const encoded = BYTES.toString('base64')
      const mail = mailOf(
        {
          From: `${WORD} <jo@author.example>`,
          Subject: WORD,
          'Message-ID': `<${WORD}@author.example>`,
          'Content-Type': 'multipart/mixed; boundary=b',
        },
        `--b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}\r\n` +
          `--b\r\nContent-Type: text/plain; name*=utf-8''a%00b%ED%A0%80\r\nContent-ID: <${WORD}>\r\nContent-Disposition: attachment; filename="${WORD}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}\r\n--b--\r\n`,
      )
      assert.match(await bringMail(app, 'support@example.test', mail), /^250/)
      const [one] = await inboundMessages(app, 1)
      assert.match(one.subject, /^a.*b.*c$/)
      const shown = await app.call('GET', `/v1/inbound/${one.inbound_id}`)
      assert.equal(shown.status, 200)
      assert.ok(!JSON.stringify(shown.body).includes('\\u0000'))
    },
  )

  test('in a report of a bounce', async () => {
    const { id, returnPath } = await handOver(app, { to: [{ email: 'bo@receiver.example' }] })
    const status = Buffer.from(
      'Reporting-MTA: dns; mx.receiver.example\r\n\r\nFinal-Recipient: rfc822; bo@receiver.example\r\nAction: failed\r\nStatus: 5.1.1\r\nRemote-MTA: dns; a\0b\r\nDiagnostic-Code: smtp; 550 5.1.1 no such user \0\xed\xa0\x80\r\n',
      'latin1',
    )
    const report = mailOf(
      {
        From: 'MAILER-DAEMON@mx.receiver.example',
        'Content-Type': 'multipart/report; report-type=delivery-status; boundary=b',
      },
      `--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b\r\nContent-Type: message/delivery-status\r\nContent-Transfer-Encoding: base64\r\n\r\n${status.toString('base64')}\r\n--b--\r\n`,
    )
    assert.match(await bringBack(app, returnPath, Buffer.from(report)), /^250/)
    const message = await show(app, id)
    assert.equal(message.status, 'bounced')
    assert.ok(!JSON.stringify(message).includes('\\u0000'))
  })

  test('in the replies of a mail host', async () => {
    const id = await app.send({ to: [{ email: REFUSED }] })
    const [recipient] = (await app.messageIn(id, 'bounced')).to
    assert.match(recipient.smtp_response, /no .* such user$/)
    assert.ok(!recipient.smtp_response.includes('\0'))
  })

  test('does not stop the readers of the event log', () => settled(app.store))
})
