// POST /v1/check finds the defects of a message, and the guard of a message, a stream or a domain refuses messages with
// errors at every entry.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { systemClock } from '../../src/lib/clock.ts'
import { suppress } from '../../src/store/workspace/suppressions.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { managementKey } from '../support/keys.ts'
import { until } from '../support/test-clock.ts'

const TEXT = 'Thank you for your order of a red coat, which arrives on Tuesday.'
const GOOD = {
  from: 'hello@example.test',
  to: [{ email: 'you@receiver.example' }],
  subject: 'Your order',
  html: `<p>${TEXT}</p>`,
  text: TEXT,
}
const BROKEN = { ...GOOD, html: `<p>${TEXT}</p>\n<p>Total: undefined</p>` }

interface Found {
  readonly code: string
  readonly path: string
  readonly line?: number
}

describe('the check', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start()
    await app.store.write(suppress, {
      ...{ account_id: await accountId(), domain_id: await domainId(), stream: 'transactional' },
      ...{
        email: 'gone@receiver.example',
        reason: 'manual',
        created_at: systemClock.now(),
        message_id: null,
      },
    } as never)
  })
  after(() => app.stop())

  const domainId = async (): Promise<string> =>
    (
      await app.store.read
        .selectFrom('domains')
        .select('id')
        .where('name', '=', 'example.test')
        .executeTakeFirstOrThrow()
    ).id
  const accountId = async (): Promise<string> =>
    (
      await app.store.read
        .selectFrom('domains')
        .select('account_id')
        .where('name', '=', 'example.test')
        .executeTakeFirstOrThrow()
    ).account_id
  const check = async (body: object): Promise<Answer['body']> => {
    const answer = await app.call('POST', '/v1/check', body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  const codes = ({ findings }: Answer['body']): string[] =>
    findings.map(({ code, path, line }: Found) => `${code} ${path}${line === undefined ? '' : `:${line}`}`)
  const stored = async (): Promise<number> =>
    (await app.store.read.selectFrom('messages').select('id').execute()).length
  const refusedWith = async (answer: Answer, ...expected: string[]): Promise<void> => {
    assert.deepEqual([answer.status, answer.body.code], [422, 'content_refused'], JSON.stringify(answer.body))
    assert.deepEqual(
      answer.body.errors.map(({ code, path, line }: Found) => `${code} ${path}:${line}`),
      expected,
    )
  }

  test('finds nothing in a good message, and reports the sizes of its parts', async () => {
    const answer = await check(GOOD)
    assert.deepEqual(
      [answer.verdict, answer.findings, answer.spam, answer.not_checked],
      ['pass', [], null, []],
    )
    assert.equal(answer.sizes.html, GOOD.html.length)
    assert.ok(answer.sizes.message > 1_000, 'the composed message has its signatures')
    assert.equal(await stored(), 0)
  })

  test('names the defects of fields, of a template, of its source and of a complete message', async () => {
    const fields = await check({
      ...BROKEN,
      to: [{ email: 'gone@receiver.example' }, { email: 'info@gmial.com' }],
    })
    assert.equal(fields.verdict, 'fail')
    assert.deepEqual(codes(fields), [
      ...[
        'placeholder html:2',
        'recipient_suppressed to[0].email',
        'recipient_misspelt to[1].email',
        'recipient_role to[1].email',
      ],
    ])
    const template = {
      alias: 'order',
      name: 'Order',
      subject: 'Hi {{name}}',
      html: '<p>Dear {{name}},</p>\n<a href="{{url}}">x</a>',
    }
    assert.equal((await app.call('POST', '/v1/templates', template)).status, 201)
    const rendered = { template_alias: 'order', template_model: { name: '', url: 'http://localhost' } }
    assert.deepEqual(
      codes(await check(rendered)).filter((one) => !/text/.test(one)),
      ['placeholder html:1', 'link_local html:2'],
    )
    assert.deepEqual(codes(await check({ html: template.html, unrendered: true })), [])
    const raw =
      'From: Shop <a@other.example>\nTo: gone@receiver.example\nSubject: Hi\n\nSee http://localhost/a\n'
    assert.deepEqual(codes(await check({ raw })).toSorted(), [
      ...['link_local text:1', 'not_aligned from', 'recipient_suppressed to[0].email'],
    ])
  })

  test('refuses a request that it cannot check', async () => {
    for (const [body, code] of [
      [{}, 'html required'],
      [{ subject: 'a' }, 'html required'],
      [{ raw: 'a', html: 'b', subject: 'c' }, 'subject conflict,html conflict'],
      [{ html: 'a', clients: ['gmail.isos'] }, 'clients[0] unknown_client'],
      [{ template_alias: 'none' }, 'template_alias not_found'],
      [{ html: 'a', stream: 'none' }, 'stream not_found'],
      [{ ...GOOD, to: [{ email: 'nobody' }] }, 'to[0].email invalid_email'],
      [{ html: 'a', links: 'all' }, 'links one_of'],
    ] as const) {
      const answer = await app.call('POST', '/v1/check', body)
      const errors = answer.body.errors?.map((one: Found) => `${one.path} ${one.code}`).join()
      assert.equal(answer.status, 422, JSON.stringify(body))
      if (code !== 'links one_of') assert.equal(errors, code)
    }
  })

  test('says what it has not checked', async () => {
    const html = `<p>${TEXT}</p><a href="${app.app.url}/none">a</a><a href="https://shop.example/confirm">b</a>`
    const answer = await check({ html, text: TEXT, links: 'fetch', spam: true })
    assert.deepEqual(answer.not_checked, ['links', 'spam'])
    assert.ok(codes(answer).includes('link_dead html:1'))
  })

  test('answers hostile content', async () => {
    const html = `${'<div>'.repeat(10_000)}<style>${'a{b:c}'.repeat(100_000)}</style>`
    assert.deepEqual(codes(await check({ html, text: TEXT })), ['clipped html:1'])
  })

  test('refuses nothing by default, and a single message by its own guard', async () => {
    const before = await stored()
    assert.deepEqual(Object.keys((await app.call('POST', '/v1/messages', BROKEN)).body).toSorted(), [
      'message_id',
      'status',
    ])
    await refusedWith(
      await app.call('POST', '/v1/messages', { ...BROKEN, guard: 'refuse' }),
      'placeholder html:2',
    )
    assert.equal((await app.call('POST', '/v1/messages', { ...GOOD, guard: 'refuse' })).status, 202)
    const warned = await app.call(
      'POST',
      '/v1/messages',
      { ...BROKEN, guard: 'warn' },
      { 'idempotency-key': 'w1' },
    )
    assert.deepEqual(
      [warned.status, codes({ findings: warned.body.warnings })],
      [202, ['placeholder html:2']],
    )
    const again = await app.call(
      'POST',
      '/v1/messages',
      { ...BROKEN, guard: 'warn' },
      { 'idempotency-key': 'w1' },
    )
    assert.deepEqual(again.body, warned.body)
    const shown = await app.messageIn(warned.body.message_id, 'delivered')
    assert.deepEqual(shown.warnings, warned.body.warnings)
    assert.deepEqual(shown.events[0].detail.warnings, warned.body.warnings)
    assert.equal(await stored(), before + 3)
  })

  test('refuses a recipient on a list by the guard, and asks a second time where the list is of another stream', async () => {
    const before = await stored()
    const listed = { account_id: await accountId(), domain_id: await domainId(), stream: 'broadcast' }
    const entry = { email: 'elsewhere@receiver.example', reason: 'manual', message_id: null }
    await app.store.write(suppress, { ...listed, ...entry, created_at: systemClock.now() } as never)
    const toGone = { ...GOOD, to: [{ email: 'Gone@receiver.example' }], guard: 'refuse' }
    const key = { 'idempotency-key': 'guarded' }
    const suppressed = 'recipient_suppressed to[0].email:undefined'
    await refusedWith(await app.call('POST', '/v1/messages', toGone, key), suppressed)
    await refusedWith(
      await app.call('POST', '/v1/messages', { ...BROKEN, to: toGone.to, guard: 'refuse' }),
      'placeholder html:2',
      suppressed,
    )
    const batch = await app.call('POST', '/v1/messages/batch', JSON.stringify([toGone, GOOD]))
    assert.deepEqual(
      batch.body.data.map((one: Answer['body']) => one.error?.errors[0].code ?? one.status),
      ['recipient_suppressed', 'queued'],
    )
    const elsewhere = { ...toGone, to: [{ email: entry.email }] }
    const accepted = await app.call('POST', '/v1/messages', elsewhere)
    assert.equal(accepted.status, 202, JSON.stringify(accepted.body))
    await app.messageIn(accepted.body.message_id, 'delivered')
    assert.equal(await stored(), before + 2)
    const ignore = (codes: readonly string[] | null) =>
      app.call('PATCH', '/v1/streams/transactional', { ignore: codes })
    await ignore(['recipient_suppressed'])
    // The refused request claimed no idempotency key.
    const kept = await app.call('POST', '/v1/messages', toGone, key)
    assert.equal(kept.status, 202, JSON.stringify(kept.body))
    await app.messageIn(kept.body.message_id, 'suppressed')
    assert.deepEqual((await app.call('POST', '/v1/messages', toGone, key)).body, kept.body)
    await ignore(null)
  })

  test('guards a stream and a domain, in a batch, a bulk, SMTP and a complete message', async () => {
    const before = await stored()
    const set = async (path: string, body: object): Promise<Answer['body']> => {
      const answer = await app.call('PATCH', path, body)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body
    }
    const stream = await set('/v1/streams/transactional', { guard: 'refuse' })
    assert.deepEqual([stream.guard, stream.ignore], ['refuse', []])
    const good = { ...GOOD, tag: 'guarded' }
    const batch = await app.call(
      'POST',
      '/v1/messages/batch',
      JSON.stringify([good, BROKEN, { ...BROKEN, guard: 'off' }]),
    )
    assert.deepEqual(
      batch.body.data.map((one: Answer['body']) => one.error?.code ?? one.status),
      ['queued', 'content_refused', 'queued'],
    )
    const raw = Buffer.from(
      `From: hello@example.test\r\nTo: you@receiver.example\r\nSubject: Hi\r\n\r\n${TEXT} undefined\r\n`,
    )
    await refusedWith(
      await app.call('POST', '/v1/messages/raw', raw, { 'content-type': 'message/rfc822' }),
      'placeholder text:1',
    )
    const { smtp } = app.playground
    const transport = createTransport({
      ...{ host: '127.0.0.1', port: smtp.port, requireTLS: true, tls: { rejectUnauthorized: false } },
      auth: { user: smtp.username, pass: smtp.password },
    })
    const mail = { from: GOOD.from, to: 'you@receiver.example', subject: 'Hi' }
    await assert.rejects(
      transport.sendMail({ ...mail, text: `${TEXT} {{name}}` }),
      /550 5\.6\.0 text: "\{\{name\}\}" was not replaced/,
    )
    await transport.sendMail({ ...mail, text: TEXT })
    const rows = ['Ann', ''].map((name, index) => ({
      ...{ to: `${index}@receiver.example`, template_model: { name, url: 'https://www.shop.de/' } },
    }))
    const lines = [{ from: GOOD.from, template_alias: 'order' }, ...rows].map((row) => JSON.stringify(row))
    const type = { 'content-type': 'application/x-ndjson' }
    const bulk = await app.call('POST', '/v1/bulk', lines.join('\n'), type)
    assert.equal(bulk.status, 202, JSON.stringify(bulk.body))
    const done = await until('the bulk is done', async () => {
      const { body } = await app.call('GET', `/v1/bulk/${bulk.body.bulk_id}`)
      return body.status === 'done' && body
    })
    assert.deepEqual([done.accepted, done.refused], [1, 1])
    assert.equal(await stored(), before + 4)
    const ignoring = await set('/v1/streams/transactional', { ignore: ['placeholder'] })
    assert.deepEqual(ignoring.ignore, ['placeholder'])
    assert.equal((await app.call('POST', '/v1/messages', BROKEN)).status, 202)
    assert.deepEqual(codes(await check(BROKEN)), [])
    await set('/v1/streams/transactional', { guard: null, ignore: null })
    assert.equal((await app.call('POST', '/v1/messages', BROKEN)).status, 202)
  })

  test('guards the streams of a domain that set no guard of their own', async () => {
    const manager = { authorization: `Bearer ${await managementKey(app)}` }
    const set = async (path: string, body: object, headers = {}): Promise<Answer['body']> => {
      const answer = await app.call('PATCH', path, body, headers)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body
    }
    const domain = `/v1/domains/${await domainId()}`
    const send = (fields: object = {}) => app.call('POST', '/v1/messages', { ...BROKEN, ...fields })
    const before = await stored()

    const guarded = await set(domain, { guard: 'refuse' }, manager)
    assert.deepEqual([guarded.guard, guarded.ignore], ['refuse', []])
    assert.equal((await app.call('GET', domain, undefined, manager)).body.guard, 'refuse')
    assert.equal((await set('/v1/streams/transactional', {})).guard, null)
    for (const stream of ['transactional', 'broadcast']) {
      await refusedWith(await send({ stream }), 'placeholder html:2')
    }
    assert.equal(await stored(), before)

    await set('/v1/streams/transactional', { guard: 'warn' })
    const warned = await send()
    assert.deepEqual(
      [warned.status, warned.body.warnings.map(({ code }: Found) => code)],
      [202, ['placeholder']],
    )
    await set('/v1/streams/transactional', { guard: null })
    await refusedWith(await send(), 'placeholder html:2')

    await set(domain, { ignore: ['placeholder'] }, manager)
    assert.equal((await send()).status, 202)
    const open = await set(domain, { guard: null, ignore: null }, manager)
    assert.deepEqual([open.guard, open.ignore], ['off', []])
    assert.equal((await send()).status, 202)
    const wrong = await app.call('PATCH', domain, { guard: 'block', ignore: ['nothing'] }, manager)
    assert.deepEqual(
      [wrong.status, wrong.body.errors.map(({ path }: Found) => path)],
      [422, ['guard', 'ignore[0]']],
    )
  })
})
