// SendGrid's own clients, with only their address and their key changed: every call, refusals, wrong keys and repeats.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import clientModule from '@sendgrid/client'
import mailModule from '@sendgrid/mail'
import { type Answer, TestApp } from '../support/app.ts'
import { managementKey } from '../support/keys.ts'
import { createTenant } from '../support/tenant.ts'
import { until } from '../support/test-clock.ts'

type Client = typeof clientModule
type Mail = Parameters<(typeof mailModule)['sendMultiple']>[0]
// The types of the packages do not name the classes.
const { Client } = clientModule as unknown as { Client: new () => Client }
const { MailService } = mailModule as unknown as { MailService: new () => typeof mailModule }

const FROM = { email: 'shop@example.test', name: 'The Shop' }
const MAIL = { from: FROM, to: 'ann@receiver.example', subject: 'Hello', text: 'Hello.' } as const

interface Refused {
  readonly code: number
  readonly response: { readonly body: { readonly errors: { message: string; field: string | null }[] } }
}

describe("SendGrid's own clients", () => {
  let app: TestApp
  let sender: typeof mailModule
  let client: Client
  let managing: Client
  const clientOf = (key: string): Client => {
    const made = new Client()
    const { warn } = console
    // The client warns about every key that does not begin as SendGrid's keys do.
    console.warn = () => {}
    made.setApiKey(key)
    console.warn = warn
    made.setDefaultRequest('baseUrl', `${app.app.url}/compat/sendgrid/`)
    return made
  }
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_SENDING_RATE: '100000/s' } })
    client = clientOf(app.playground.sending_key)
    managing = clientOf(await managementKey(app))
    sender = new MailService()
    sender.setClient(client)
  })
  after(() => app.stop())

  type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any body
  const call = async (method: Method, url: string, body?: object, by = client): Promise<any> => {
    const [response] = await by.request({ method, url, ...(body === undefined ? {} : { body }) })
    return response.body
  }
  const messageIdOf = (headers: unknown): string => (headers as Record<string, string>)['x-message-id'] ?? ''
  const send = async (data: object): Promise<string> => {
    const [{ statusCode, headers }] = await sender.send({ ...MAIL, ...data } as Mail)
    assert.equal(statusCode, 202)
    return messageIdOf(headers)
  }
  const shown = async (id: string): Promise<Answer['body']> =>
    (await app.call('GET', `/v1/messages/${id}?include=content`)).body
  const newest = async (count: number): Promise<Answer['body'][]> =>
    (await app.call('GET', `/v1/messages?limit=${count}`)).body.data
  const countMessages = async (): Promise<number> =>
    (await app.store.read.selectFrom('messages').select('id').execute()).length
  /** Returns the fields and the first sentence of a refusal. */
  const refused = async (calling: Promise<unknown>, status: number) => {
    const error = await calling.then(
      () => undefined,
      (reason: Refused) => reason,
    )
    assert.equal(error?.code, status, JSON.stringify(error?.response?.body ?? error))
    const { errors } = (error as Refused).response.body
    return { fields: errors.map(({ field }) => field), message: errors[0]?.message ?? '' }
  }

  test('send mail with everything that the helper can express', async () => {
    const id = await send({
      to: [{ email: 'ann@receiver.example', name: 'Ann' }, 'bob@receiver.example'],
      cc: 'carl@receiver.example',
      bcc: ['dora@receiver.example'],
      replyTo: { email: 'help@example.test', name: 'Help' },
      html: '<p>Hello.</p>',
      headers: { 'X-Order': '7' },
      categories: ['receipt', 'spring'],
      customArgs: { order: '7' },
      attachments: [
        {
          ...{ filename: 'a.png', content: 'iVBORw0KGgo=', type: 'image/png' },
          ...{ disposition: 'inline', content_id: 'logo' },
        },
      ],
      trackingSettings: { openTracking: { enable: false }, clickTracking: { enable: false } },
      mailSettings: { footer: { enable: true, text: 'The end.', html: '<p>The end.</p>' } },
    })
    const message = await shown(id)
    assert.deepEqual(
      [message.from, message.from_name, message.subject, message.tags, message.metadata, message.reply_to],
      [
        ...[FROM.email, FROM.name, 'Hello', ['receipt', 'spring'], { order: '7' }],
        [{ email: 'help@example.test', name: 'Help' }],
      ],
    )
    const emails = (role: string): string[] => message[role].map(({ email }: { email: string }) => email)
    assert.deepEqual(emails('to'), ['ann@receiver.example', 'bob@receiver.example'])
    assert.deepEqual([...emails('cc'), ...emails('bcc')], ['carl@receiver.example', 'dora@receiver.example'])
    assert.match(message.html, /Hello\.<\/p><p>The end\./)
    assert.match(message.text, /Hello\.\s+The end\./)
    const header = (name: string) => message.headers.find((one: { name: string }) => one.name === name)?.value
    assert.equal(header('X-Order'), '7')
    const raw = await app.call('GET', `/v1/messages/${id}/raw`)
    assert.match(raw.body, /Content-ID: <logo>/i)
  })

  test('send several mails, and one for each recipient', async () => {
    const results = await sender.send([{ ...MAIL }, { ...MAIL, to: 'bob@receiver.example' }])
    assert.equal((results as unknown[]).length, 2)
    const before = await countMessages()
    await sender.sendMultiple({ ...MAIL, to: ['ann@receiver.example', 'bob@receiver.example'] })
    assert.equal(await countMessages(), before + 2)
    for (const message of await newest(2)) assert.equal(message.to.length, 1)
  })

  test('a thousand personalizations with substitutions and sections become a thousand messages', async () => {
    const personalizations = Array.from({ length: 1_000 }, (_, index) => ({
      to: [{ email: `r${index}@receiver.example` }],
      substitutions: { '-name-': `N${index}`, '-part-': '-greeting-' },
      custom_args: { row: String(index) },
    }))
    const body = {
      ...{ personalizations, from: FROM, subject: 'Hello -name-' },
      content: [{ type: 'text/plain', value: '-part-, -other-' }],
      sections: { '-greeting-': 'Dear -name-' },
    }
    const before = await countMessages()
    const [response] = await client.request({ method: 'POST', url: '/v3/mail/send', body })
    assert.deepEqual([response.statusCode, response.body], [202, ''])
    assert.equal(await countMessages(), before + 1_000)
    const message = await shown(messageIdOf(response.headers))
    assert.deepEqual(
      [message.subject, message.text.trim(), message.metadata.row],
      ['Hello N0', 'Dear N0, -other-', '0'],
    )
    const wrong = personalizations.with(700, { ...personalizations[700]!, to: [{ email: 'nobody' }] })
    const bad = client.request({
      method: 'POST',
      url: '/v3/mail/send',
      body: { ...body, personalizations: wrong },
    })
    const { fields } = await refused(bad, 400)
    assert.deepEqual(fields, ['personalizations.700.to.0.email'])
    assert.equal(await countMessages(), before + 1_000, 'nothing of a refused request is sent')
  })

  test('a personalization with 120 recipients becomes three messages', async () => {
    const to = Array.from({ length: 120 }, (_, index) => `many${index}@receiver.example`)
    const before = await countMessages()
    await send({ to })
    assert.equal(await countMessages(), before + 3)
    const wrong = refused(sender.send({ ...MAIL, to: to.with(60, 'nobody') }), 400)
    assert.deepEqual((await wrong).fields, ['personalizations.0.to.60.email'])
  })

  test('templates: dynamic, their version, and old ones with substitutions', async () => {
    const created = await call('POST', '/v3/templates', { name: 'Receipt', generation: 'dynamic' })
    assert.match(created.id, /^d-[0-9a-f]{32}$/)
    assert.deepEqual([created.name, created.generation, created.versions], ['Receipt', 'dynamic', []])
    const path = `/v3/templates/${created.id}`
    const version = await call('POST', `${path}/versions`, {
      ...{ active: 1, name: 'First', subject: 'Order {{order}}', html_content: '<p>Hi {{name}}</p>' },
      ...{ plain_content: 'Hi {{name}}', test_data: '{"name":"Ann"}' },
    })
    assert.deepEqual(
      [version.template_id, version.active, version.subject, version.test_data],
      [created.id, 1, 'Order {{order}}', '{"name":"Ann"}'],
    )
    const ofVersion = `${path}/versions/${version.id}`
    const changed = await call('PATCH', ofVersion, { subject: 'Receipt {{order}}' })
    assert.deepEqual([changed.id, changed.html_content], [version.id, '<p>Hi {{name}}</p>'])
    assert.equal((await call('POST', `${ofVersion}/activate`)).id, version.id)
    assert.equal((await call('GET', ofVersion)).subject, 'Receipt {{order}}')
    const id = await send({
      ...{ templateId: created.id, subject: undefined, text: undefined, html: undefined },
      dynamicTemplateData: { order: 'R-1', name: 'Ann' },
    })
    const message = await shown(id)
    assert.deepEqual([message.subject, message.html.trim()], ['Receipt R-1', '<p>Hi Ann</p>'])
    const ofNumber = await app.call(
      'POST',
      '/compat/sendgrid/v3/mail/send',
      `{"from":{"email":"shop@example.test"},"template_id":"${created.id}","personalizations":[{"to":[{"email":"ann@receiver.example"}],"dynamic_template_data":{"order":1.10}}]}`,
    )
    const numbered = await shown(ofNumber.headers.get('x-message-id') ?? '')
    assert.equal(numbered.subject, 'Receipt 1.10', 'numbers are printed as written')
    const { result, _metadata } = await call('GET', '/v3/templates?generations=dynamic&page_size=10')
    assert.deepEqual([result[0].id, _metadata.count], [created.id, 1])
    const old = await app.call('POST', '/v1/templates', {
      ...{ alias: 'old', name: 'Old', subject: 'Dear {{name}}', html: '<b>{{name}}</b>' },
    })
    assert.equal(old.status, 201, JSON.stringify(old.body))
    const oldId = await send({
      ...{ templateId: 'old', subject: undefined, text: undefined },
      ...{ substitutions: { name: 'Ann' }, substitutionWrappers: ['-', '-'] },
    })
    assert.equal((await shown(oldId)).subject, 'Dear Ann')
    const copy = await call('POST', path, { name: 'Copy' })
    assert.equal((await call('PATCH', `/v3/templates/${copy.id}`, { name: 'Renamed' })).name, 'Renamed')
    await call('DELETE', `/v3/templates/${copy.id}/versions/${copy.versions[0].id}`)
    assert.deepEqual((await call('GET', `/v3/templates/${copy.id}`)).versions, [])
    await call('DELETE', `/v3/templates/${copy.id}`)
    await refused(call('GET', `/v3/templates/${copy.id}`), 404)
    await refused(call('POST', `${path}/versions`, { active: 0, name: 'x', html_content: 'x' }), 400)
    const broken = await refused(call('PATCH', ofVersion, { html_content: '{{#if}}' }), 400)
    assert.deepEqual(broken.fields, ['html'])
    const tenant = await createTenant(app.store)
    const foreign = clientOf(tenant.sendingKey)
    await refused(call('GET', path, undefined, foreign), 404)
    const body = {
      personalizations: [{ to: [{ email: 'ann@receiver.example' }] }],
      ...{ from: { email: `a@${tenant.domain.name}` }, template_id: created.id },
    }
    const unknown = await refused(call('POST', '/v3/mail/send', body, foreign), 400)
    assert.ok(unknown.fields.includes('template_id'), JSON.stringify(unknown))
  })

  test('send later, and cancel by batch', async () => {
    const { batch_id } = await call('POST', '/v3/mail/batch')
    assert.deepEqual(await call('GET', `/v3/mail/batch/${batch_id}`), { batch_id })
    const sendAt = Math.floor(Date.now() / 1_000) + 3_600
    const id = await send({ sendAt, batchId: batch_id })
    const message = await shown(id)
    assert.deepEqual([message.status, Date.parse(message.send_at)], ['scheduled', sendAt * 1_000])
    assert.deepEqual(await call('GET', `/v3/user/scheduled_sends/${batch_id}`), [])
    await call('POST', '/v3/user/scheduled_sends', { batch_id, status: 'cancel' })
    assert.equal((await shown(id)).status, 'cancelled')
    assert.deepEqual(await call('GET', `/v3/user/scheduled_sends/${batch_id}`), [
      { batch_id, status: 'cancel' },
    ])
    await refused(call('DELETE', `/v3/user/scheduled_sends/${batch_id}`), 400)
    const pause = await refused(call('POST', '/v3/user/scheduled_sends', { batch_id, status: 'pause' }), 400)
    assert.deepEqual(pause.fields, ['status'])
    const past = await refused(sender.send({ ...MAIL, sendAt: 1_000_000_000 }), 400)
    assert.deepEqual(past.fields, ['send_at'])
  })

  test('sandbox mode checks the mail and sends nothing', async () => {
    const before = await countMessages()
    const mailSettings = { sandboxMode: { enable: true } }
    const [{ statusCode }] = await sender.send({ ...MAIL, mailSettings })
    assert.equal(statusCode, 200)
    await refused(sender.send({ ...MAIL, to: 'nobody', mailSettings }), 400)
    assert.equal(await countMessages(), before)
  })

  test('bad input names its field, and nothing is sent', async () => {
    const before = await countMessages()
    const base = {
      personalizations: [{ to: [{ email: 'ann@receiver.example' }] }],
      ...{ from: FROM, subject: 'S', content: [{ type: 'text/plain', value: 'x' }] },
    }
    const post = (fields: object) => refused(call('POST', '/v3/mail/send', { ...base, ...fields }), 400)
    const fieldsOf = async (fields: object) => (await post(fields)).fields
    assert.deepEqual(await fieldsOf({ personalizations: [] }), ['personalizations'])
    assert.deepEqual(await fieldsOf({ personalizations: [{}] }), ['personalizations.0.to'])
    const twice = [{ to: [{ email: 'a@receiver.example' }, { email: 'A@receiver.example' }] }]
    assert.deepEqual(await fieldsOf({ personalizations: twice }), ['personalizations.0.to.1.email'])
    assert.deepEqual(await fieldsOf({ from: undefined }), ['from.email'])
    assert.deepEqual(await fieldsOf({ subject: '' }), ['subject'])
    assert.deepEqual(await fieldsOf({ content: [] }), ['content'])
    assert.deepEqual(
      await fieldsOf({ content: [{ type: 'text/plain', value: '' }] }),
      ['content[0].value'].map((one) => one.replace('[0]', '.0')),
    )
    assert.deepEqual(await fieldsOf({ ip_pool_name: 'fast' }), ['ip_pool_name'])
    assert.deepEqual(await fieldsOf({ asm: { group_id: 99_999 } }), ['asm.group_id'])
    const cut = [{ filename: 'a.txt', content: 'YWJjZ' }]
    assert.deepEqual(await fieldsOf({ attachments: cut }), ['attachments.0.content'])
    assert.deepEqual(await fieldsOf({ headers: { Subject: 'x' } }), ['headers.Subject'])
    assert.deepEqual(await fieldsOf({ categories: ['a', 'a'] }), ['categories'])
    const many = Array.from({ length: 1_001 }, () => base.personalizations[0])
    assert.deepEqual(await fieldsOf({ personalizations: many }), ['personalizations'])
    assert.deepEqual(
      await fieldsOf({
        template_id: 'd-0123456789abcdef0123456789abcdef',
        content: undefined,
        subject: undefined,
      }),
      ['template_id'],
    )
    const elsewhere = await refused(
      call('POST', '/v3/mail/send', { ...base, from: { email: 'a@elsewhere.test' } }),
      403,
    )
    assert.deepEqual(elsewhere.fields, ['from.email'])
    await refused(
      call('POST', '/v3/mail/send', {
        ...base,
        content: [{ type: 'text/html', value: 'x'.repeat(40 * 1_048_576) }],
      }),
      413,
    )
    assert.equal(await countMessages(), before)
  })

  test('wrong keys, subusers and other calls are refused as there', async () => {
    const wrong = await refused(call('GET', '/v3/scopes', undefined, clientOf('send_wrong')), 401)
    assert.match(wrong.message, /^The provided authorization grant is invalid/)
    const response = await fetch(`${app.app.url}/v3/mail/send`, { method: 'POST', body: '{}' })
    assert.equal(response.status, 401, 'the versioned path at the root needs no prefix')
    assert.match(
      ((await response.json()) as Refused['response']['body']).errors[0]?.message ?? '',
      /^Permission denied/,
    )
    const forbidden = await refused(call('GET', '/v3/whitelabel/domains'), 403)
    assert.match(forbidden.message, /^access forbidden/)
    const subuser = clientOf(app.playground.sending_key)
    subuser.setImpersonateSubuser('other')
    assert.deepEqual(
      (await refused(call('POST', '/v3/mail/send', MAIL, subuser), 400)).fields.includes('On-Behalf-Of'),
      true,
    )
    await refused(call('GET', '/v3/nothing'), 404)
    await refused(call('PUT', '/v3/mail/send', {}), 405)
    await refused(call('GET', '/v3/messages'), 501)
    await refused(call('GET', '/v3/marketing/contacts'), 501)
  })

  test('a repeated Idempotency-Key sends once', async () => {
    const body = {
      personalizations: ['ann', 'bob'].map((name) => ({ to: [{ email: `${name}@receiver.example` }] })),
      ...{ from: FROM, subject: 'Once', content: [{ type: 'text/plain', value: 'x' }] },
    }
    const request = () =>
      client.request({ method: 'POST', url: '/v3/mail/send', body, headers: { 'Idempotency-Key': 'once' } })
    const before = await countMessages()
    const [first] = await request()
    const [second] = await request()
    assert.equal(messageIdOf(first.headers), messageIdOf(second.headers))
    assert.equal(await countMessages(), before + 2)
  })

  test('unsubscribe groups are broadcast streams, with their suppressions', async () => {
    const group = await call('POST', '/v3/asm/groups', { name: 'Our news', description: 'News' })
    assert.ok(Number.isSafeInteger(group.id))
    assert.equal(group.name, 'Our news')
    assert.ok((await call('GET', '/v3/asm/groups')).some(({ id }: { id: number }) => id === group.id))
    const path = `/v3/asm/groups/${group.id}`
    assert.equal((await call('PATCH', path, { name: 'News' })).name, 'News')
    assert.equal((await call('GET', path)).name, 'News')
    const id = await send({
      asm: { groupId: group.id },
      html: '<a href="<%asm_group_unsubscribe_raw_url%>">Stop</a>',
    })
    const message = await shown(id)
    assert.equal(message.stream, 'our-news')
    assert.doesNotMatch(message.html, /asm_group/)
    await call('POST', `${path}/suppressions`, { recipient_emails: ['no@receiver.example'] })
    assert.deepEqual(await call('GET', `${path}/suppressions`), ['no@receiver.example'])
    await call('DELETE', `${path}/suppressions/no@receiver.example`)
    assert.deepEqual(await call('GET', `${path}/suppressions`), [])
    await refused(call('GET', '/v3/asm/groups/99999'), 404)
  })

  test('suppressions of every kind', async () => {
    const emails = ['bounced', 'spam', 'left'].map((name) => `${name}@receiver.example`)
    const reasons = ['hard_bounce', 'complaint', 'unsubscribe']
    const suppressions = emails.map((email, index) => ({ email, reason: reasons[index] }))
    assert.equal((await app.call('POST', '/v1/suppressions', { suppressions })).status, 200)
    for (const [index, list] of ['bounces', 'spam_reports', 'unsubscribes'].entries()) {
      const path = `/v3/suppression/${list}`
      const email = emails[index] as string
      const rows: { email: string; created: number }[] = await call('GET', path)
      assert.deepEqual(
        rows.map((row) => row.email),
        [email],
      )
      const { created } = rows[0]!
      assert.equal((await call('GET', `${path}?start_time=${created + 1}`)).length, 0)
      assert.equal(
        (await call('GET', `${path}?start_time=${created}&end_time=${created}&limit=5&offset=0`)).length,
        1,
      )
      assert.equal((await call('GET', `${path}/${email}`))[0].email, email)
      await call('DELETE', `${path}/${email}`)
      assert.deepEqual(await call('GET', `${path}/${email}`), [])
      await refused(call('DELETE', `${path}/${email}`), 404)
    }
    for (const list of ['blocks', 'invalid_emails'])
      assert.deepEqual(await call('GET', `/v3/suppression/${list}`), [])
    const recipient_emails = ['all@receiver.example']
    assert.deepEqual(await call('POST', '/v3/asm/suppressions/global', { recipient_emails }), {
      recipient_emails,
    })
    const one = '/v3/asm/suppressions/global/all@receiver.example'
    assert.deepEqual(await call('GET', one), { recipient_email: 'all@receiver.example' })
    assert.equal((await call('GET', '/v3/suppression/unsubscribes')).length, 1)
    await call('DELETE', one)
    assert.deepEqual(await call('GET', one), {})
    await call('POST', '/v3/asm/suppressions/global', {
      recipient_emails: ['x@receiver.example', 'y@receiver.example'],
    })
    await call('DELETE', '/v3/suppression/unsubscribes', { emails: ['x@receiver.example'] })
    await call('DELETE', '/v3/suppression/unsubscribes', { delete_all: true })
    assert.deepEqual(await call('GET', '/v3/suppression/unsubscribes'), [])
    await refused(call('POST', '/v3/asm/suppressions/global', { recipient_emails: ['nobody'] }), 400)
  })

  test('statistics, validation, scopes and erasure', async () => {
    const day = new Date().toISOString().slice(0, 10)
    await until('the mail is counted', async () => {
      const [{ stats }] = await call('GET', `/v3/stats?start_date=${day}&aggregated_by=day`)
      return stats[0].metrics.requests > 1_000
    })
    const [week] = await call(
      'GET',
      `/v3/categories/stats?start_date=${day}&aggregated_by=week&categories=receipt`,
    )
    assert.deepEqual([week.stats[0].type, week.stats[0].name], ['category', 'receipt'])
    assert.deepEqual((await refused(call('GET', '/v3/stats'), 400)).fields, ['start_date'])
    const { scopes } = await call('GET', '/v3/scopes')
    assert.ok(scopes.includes('mail.send') && !scopes.includes('whitelabel.create'))
    const verifying = clientOf(app.playground.verification_key)
    const { result } = await call('POST', '/v3/validations/email', { email: 'no address' }, verifying)
    assert.deepEqual([result.verdict, result.checks.domain.has_valid_address_syntax], ['Invalid', false])
    await refused(call('POST', '/v3/validations/email', { email: 'a@receiver.example' }), 403)
    const job = await call('POST', '/v3/recipients/erasejob', { email_addresses: ['r5@receiver.example'] })
    assert.ok(job.job_id)
  })

  test('event webhooks', async () => {
    const path = '/v3/user/webhooks/event/settings'
    const url = 'https://app.example.com/events'
    const created = await call('POST', path, {
      enabled: true,
      url,
      delivered: true,
      bounce: true,
      friendly_name: 'Main',
    })
    assert.deepEqual([created.url, created.delivered, created.open], [url, true, false])
    const changed = await call('PATCH', `${path}/${created.id}`, { open: true, enabled: false })
    assert.deepEqual([changed.delivered, changed.open, changed.enabled], [true, true, false])
    const { public_key } = await call('PATCH', `${path}/signed/${created.id}`, { enabled: true })
    assert.deepEqual(await call('GET', `${path}/signed/${created.id}`), { public_key })
    assert.equal((await call('GET', `${path}/all`)).webhooks.length, 1)
    await call('DELETE', `${path}/${created.id}`)
    await refused(call('GET', `${path}/${created.id}`), 404)
  })

  test('domains and API keys, with a management key', async () => {
    const manage = (method: Method, url: string, body?: object) => call(method, url, body, managing)
    const created = await manage('POST', '/v3/whitelabel/domains', { domain: 'shop.test', subdomain: 'mail' })
    assert.deepEqual([created.domain, created.valid], ['shop.test', false])
    assert.deepEqual(Object.keys(created.dns).toSorted(), ['dkim1', 'dkim2', 'mail_cname'])
    const path = `/v3/whitelabel/domains/${created.id}`
    assert.equal((await manage('GET', path)).domain, 'shop.test')
    assert.ok((await manage('GET', '/v3/whitelabel/domains')).length >= 2)
    const validated = await manage('POST', `${path}/validate`)
    assert.deepEqual([validated.id, validated.valid], [created.id, false])
    assert.match(validated.validation_results.mail_cname.reason, /./)
    await manage('DELETE', path)
    await refused(manage('GET', path), 404)
    const key = await manage('POST', '/v3/api_keys', {
      name: 'Shop',
      scopes: ['mail.send', 'marketing.read'],
    })
    assert.match(key.api_key, /^send_/)
    assert.ok(key.scopes.includes('mail.send') && !key.scopes.includes('templates.read'))
    assert.equal((await manage('PATCH', `/v3/api_keys/${key.api_key_id}`, { name: 'Store' })).name, 'Store')
    assert.equal((await manage('GET', `/v3/api_keys/${key.api_key_id}`)).result[0].name, 'Store')
    assert.ok((await manage('GET', '/v3/api_keys')).result.length > 0)
    await manage('DELETE', `/v3/api_keys/${key.api_key_id}`)
    await refused(call('GET', '/v3/scopes', undefined, clientOf(key.api_key)), 401)
    await refused(manage('POST', '/v3/api_keys', { name: 'x', scopes: ['marketing.read'] }), 400)
  })
})
