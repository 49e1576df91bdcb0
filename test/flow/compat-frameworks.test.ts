// Requests in the shapes of django-anymail and Symfony, which build the requests of Resend and SendGrid themselves.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../support/app.ts'

describe('requests of frameworks', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
  })
  after(() => app.stop())

  const newest = async (): Promise<Answer['body']> => {
    const { data } = (await app.call('GET', '/v1/messages?limit=1')).body
    return (await app.call('GET', `/v1/messages/${data[0].message_id}?include=content`)).body
  }
  const content = Buffer.from('file').toString('base64')

  test('django-anymail to Resend: labels are JSON in header fields, and a batch has one email for each recipient', async () => {
    const email = {
      from: 'The Shop <shop@example.test>',
      to: ['Ann <ann@receiver.example>'],
      subject: 'Hello',
      reply_to: ['Help <help@example.test>'],
      headers: { 'X-Tags': '["receipt","spring"]', 'X-Metadata': '{"order":7}', 'X-Own': 'yes' },
      text: 'Hello.',
      attachments: [{ content, filename: 'a.txt', content_type: 'text/plain' }],
    }
    const single = await app.call('POST', '/compat/resend/emails', email)
    assert.equal(single.status, 200, JSON.stringify(single.body))
    assert.equal(single.headers.get('x-postrider-ignored'), null)
    const message = await newest()
    assert.deepEqual([message.tags, message.metadata], [['receipt', 'spring'], { order: '7' }])
    const names = message.headers.map(({ name }: { name: string }) => name)
    assert.ok(names.includes('X-Own') && !names.includes('X-Metadata'))
    const batch = JSON.stringify([email, { ...email, to: ['bob@receiver.example'] }])
    const { status, body } = await app.call('POST', '/compat/resend/emails/batch', batch)
    assert.deepEqual([status, body.data.length], [200, 2])
  })

  test('Symfony to Resend: tags have no name, and Reply-To is given twice', async () => {
    const { status, headers, body } = await app.call('POST', '/compat/resend/emails', {
      ...{
        from: 'The Shop <shop@example.test>',
        to: ['ann@receiver.example'],
        subject: 'Hello',
        text: 'Hello.',
      },
      reply_to: 'Help <help@example.test>',
      headers: { 'Reply-To': 'Help <help@example.test>', 'X-Metadata-order': '7' },
      tags: [{ 'X-Tag': 'receipt' }],
      attachments: [{ filename: 'a.txt', content }],
    })
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(headers.get('x-postrider-ignored'), null)
    const message = await newest()
    assert.deepEqual(
      [message.tags, message.metadata, message.reply_to],
      [['receipt'], { order: '7' }, [{ email: 'help@example.test', name: 'Help' }]],
    )
  })

  test('django-anymail to SendGrid: a file may have no name, and a header may be a number', async () => {
    const { status, body } = await app.call('POST', '/compat/sendgrid/v3/mail/send', {
      personalizations: [
        {
          to: [{ email: 'ann@receiver.example', name: 'Ann' }],
          custom_args: { anymail_id: 'a1' },
          substitutions: { ':name': 'Ann', ':gone': null },
        },
      ],
      headers: { 'X-Count': 7 },
      from: { email: 'shop@example.test', name: 'The Shop' },
      reply_to_list: [{ email: 'help@example.test' }],
      subject: 'For :name',
      content: [
        { type: 'text/plain', value: 'Hello :name.' },
        { type: 'text/calendar', value: 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n' },
      ],
      attachments: [{ content, type: 'text/plain', filename: '' }],
      custom_args: { order: 7 },
      categories: ['receipt'],
      tracking_settings: { click_tracking: { enable: false } },
    })
    assert.equal(status, 202, JSON.stringify(body))
    const message = await newest()
    assert.deepEqual(
      [message.subject, message.text.trim(), message.metadata, message.tags],
      ['For Ann', 'Hello Ann.', { order: '7', anymail_id: 'a1' }, ['receipt']],
    )
    const { body: raw } = await app.call('GET', `/v1/messages/${message.message_id}/raw`)
    assert.match(raw, /Content-Type: text\/calendar;[\s\S]*method=REQUEST/i)
  })

  test('Symfony to SendGrid: the subject is in the personalization, and Reply-To is a header field as well', async () => {
    const { status, body, headers } = await app.call('POST', '/compat/sendgrid/v3/mail/send', {
      personalizations: [{ to: [{ email: 'ann@receiver.example' }], subject: 'Hello' }],
      from: { email: 'shop@example.test', name: 'The Shop' },
      content: [{ type: 'text/html', value: '<img src="cid:logo.png">' }],
      attachments: [
        { content, type: 'image/png', filename: 'logo.png', disposition: 'inline', content_id: 'logo.png' },
      ],
      headers: { 'reply-to': 'help@example.test', 'x-tag': 'receipt' },
    })
    assert.equal(status, 202, JSON.stringify(body))
    assert.match(headers.get('x-message-id') ?? '', /^msg_/)
    const message = await newest()
    assert.deepEqual(
      [message.subject, message.reply_to, message.tags],
      ['Hello', [{ email: 'help@example.test', name: null }], ['receipt']],
    )
  })
})
